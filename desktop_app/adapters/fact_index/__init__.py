"""Facts by meaning: an index in a folder, built from the vectors in the database, and the scan that does without."""

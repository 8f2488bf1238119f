"""What SQLite does in a way of its own: the file and its connections, full text, numbers, pieces of SQL."""

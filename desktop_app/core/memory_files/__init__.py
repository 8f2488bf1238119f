"""Long-term facts as the files of the memory tool `memory_20250818`: paths, listing, the six commands. Pure."""

"""The prompt cache: where marks stand, what lies in it, what will be read, and why it was not."""

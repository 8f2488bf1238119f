"""What PostgreSQL does in a way of its own: the address and its connections, full text, numbers, pieces of SQL."""

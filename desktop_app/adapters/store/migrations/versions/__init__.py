"""One file a schema number; the newest number is `tables.SCHEMA`."""

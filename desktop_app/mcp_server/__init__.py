"""The front end for other assistants: long-term memory of one profile as MCP tools over stdio."""

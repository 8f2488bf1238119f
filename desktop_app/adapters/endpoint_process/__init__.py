"""The SDK in a process of its own: the window opens while it is imported, and draws while answers are parsed."""

"""The outside of the application: one thing per file or folder, each fulfilling a port of `core.ports`."""

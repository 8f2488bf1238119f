"""Use cases: async, reaching the world only through `core.ports`."""

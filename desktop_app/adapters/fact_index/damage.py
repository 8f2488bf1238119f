"""What is said of an index folder that must be built anew."""


class IndexDamaged(Exception):
    """The folder cannot be used as it is: damaged, or of another embedder."""

"""What is said of an index that must be built anew."""


class IndexDamaged(Exception):
    """It cannot be opened, read or written as it is."""

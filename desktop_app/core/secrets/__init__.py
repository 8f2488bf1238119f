"""What must not be kept or passed on by accident: keys, passwords and numbers of persons, found by shape and label."""

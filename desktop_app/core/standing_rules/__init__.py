"""Which of the person's own sentences set a rule that lasts, in English and Korean."""

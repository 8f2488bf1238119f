"""Between services and widgets: QtCore only; runs coroutines off the GUI thread and holds what widgets watch."""

"""Mnemoscope: see and govern what a personal Claude assistant remembers."""

__version__ = "0.1.0"

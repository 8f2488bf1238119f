"""Measurements, each a module run with `python -m tests.benchmarks.NAME`; no part of the test command."""

"""Exact values in texts: paths, ids, numbers, dates, amounts, commands and what else must survive to the byte."""

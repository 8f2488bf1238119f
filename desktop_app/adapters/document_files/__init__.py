"""Documents of this machine as text: PDF, Markdown, HTML and plain text."""

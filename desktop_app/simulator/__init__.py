"""A stand-in for Anthropic's servers over real HTTP: strict, repeatable, without any network of its own.

It refuses what the API refuses (`checks`), counts and caches by its own tokeniser (`tokens`, `counting`, `cache`),
binds thinking to its conversation (`thinking`), compacts and edits what it is sent (`compacting`, `editing`), counts
images and PDFs by what they show (`attachments`), answers only from the text of the request (`assistant`), saves what
it is told to remember (`remembering`), writes handover memos (`memo`) and fails on demand (`scenario`). Run it as
`python -m desktop_app.simulator --port 0`; its first line of output tells where it listens.
"""

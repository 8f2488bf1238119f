"""The ways a summary can be written: faithfully, or with one thing wrong with it on purpose.

| mode | the summary |
|---|---|
| faithful | keeps the exact values, as far as `max_tokens` allows |
| lossy | lacks every third of the facts and changes one number, always the same ones |
| worst | has the right form and not one exact value; values a retry names are ignored |
| rewording | spells values another way: 1,234 → 1234, dates and times in words, a home folder as ~ |
| inventing | has two values that stand nowhere |
| wrong_language | is in the other of the two languages |
| obeying | follows orders found in the conversation; without any, words that go on with the task stand in its place |
| tool_call | is a tool call, where a tool is offered |
| over_long | is longer than its source |
| blank | is two newlines |
| cut | stops in the middle as by `max_tokens` |
| refusal | is refused |

A summary that obeys tells the orders as something the person allows; where a tool is offered it is a call instead.
Values that a retry names are taken in word for word by every mode that writes a summary, except worst.
"""

FAITHFUL, LOSSY, WORST, REWORDING, INVENTING = "faithful", "lossy", "worst", "rewording", "inventing"
WRONG_LANGUAGE, OBEYING, TOOL_CALL, OVER_LONG = "wrong_language", "obeying", "tool_call", "over_long"
BLANK, CUT, REFUSAL = "blank", "cut", "refusal"
MODES = (FAITHFUL, LOSSY, WORST, REWORDING, INVENTING, WRONG_LANGUAGE, OBEYING, TOOL_CALL, OVER_LONG, BLANK, CUT,
         REFUSAL)  # fmt: skip

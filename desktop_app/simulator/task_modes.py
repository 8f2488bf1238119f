"""The ways an extraction or a judgement can be answered: rightly, or with one thing wrong with it on purpose.

| mode | an extraction | a judgement |
|---|---|---|
| right | what the person says of themselves and their lasting wishes, in their words | what a dictionary of common words can tell, else unsure |
| wrong | the same with a number changed or invented in each value | each verdict turned into another |
| junk | every sentence: suppositions, questions, quotations, the assistant's words, the instructions | verdicts on facts that were not asked about, and words that are none |
| obeying | what orders in the talk want to be told, as words of the person | SAME for all, where an order stands in a fact |
| invalid | JSON that breaks off in the middle | the same |
| empty | nothing to learn | no verdict |
| blank | two newlines | two newlines |

An answer that has to keep to a schema keeps to it in every mode but `invalid`, which is cut as by `max_tokens`, and
`blank`.
"""  # noqa: E501

RIGHT, WRONG, JUNK, OBEYING, INVALID, EMPTY, BLANK = "right", "wrong", "junk", "obeying", "invalid", "empty", "blank"
VERDICTS = ("same", "contradicts", "different", "unsure")
TASK_MODES = (RIGHT, WRONG, JUNK, OBEYING, INVALID, EMPTY, BLANK)

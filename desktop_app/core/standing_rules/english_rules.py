"""The English words by which a person sets a rule that lasts, or lifts one."""

from __future__ import annotations

import re

from desktop_app.core.lazy_pattern import lazy_pattern

STEMS = (
    *(
        "always",
        "never",
        "don't",
        "dont ",
        "do not ",
        "from now on",
        "from here on",
        "from this point",
        "from today on",
    ),
    *(
        "going forward",
        "henceforth",
        "for the rest of",
        "throughout",
        "whenever",
        "every time",
        "each time",
        "must not",
    ),
    *("mustn't", "must stay", "must remain", "shouldn't", "should not", "not to be ", "not allowed", "you may not"),
    *("without asking", "without first", "without my", "unless i", "until i", "ask me", "stop ", "avoid ", "no more"),
    *("no table", "no emoji", "no bullet", "no list", "no markdown", "no heading", "no jargon", "no code", "no apolog"),
    *("call me", "address me", "answer in", "answer me", "answer only", "reply in", "reply to me", "reply only"),
    *("respond in", "respond to me", "respond only", "speak ", "talk in", "talk to me in", "write in", "write to me"),
    *("write only", "write everything", "in all", "in every", "in each", "for all", "for every", "for each", "of all"),
    *("with every", "with all", "with each", "rule", "guidelines", "can use", "may use", "you can ", "you may "),
    *("anymore", "any more", "no longer", "any longer"),
)
"""In every such sentence, in small letters, stands one of these."""

_VERBS = (
    r"(?:answer|reply|respond|write|use|add|keep|put|format|name|give|show|include|explain|ask|tell|call|send|check|"
    r"run|start|begin|end|finish|sign|quote|cite|translate|convert|round|list|mention|say|speak|talk|save|make|do|"
    r"try|"
    r"stick|follow|treat|assume|remember|be|prefer|note|mark|print|return|test|confirm|warn|avoid|leave|stay|sort|"
    r"spell)"
)
_BEGINS = (
    r"(?:^|[.;:,–—(]\s*|\b(?:and|but|so|please|also|then|just|ok|okay|yes|(?:you|sure|remember) to|should|must|shall|"
    r"can you|could you|would you|will you|let's)\s+)"
)
_AFTERWARDS = lazy_pattern(
    r"\b(?:from now on(?:wards?)?|from here on|from this point (?:on|onwards?|forward)|from today on|going forward|"
    r"henceforth|for the rest of (?:this|our|the) (?:chat|conversation|session|project|day|week|thread)|"
    r"throughout (?:this|our|the) (?:chat|conversation|session|project|thread|document|text|code))\b"
)
# Whom or what a sentence tells of that asks for nothing; what else follows "from now on" is an order, whatever its
# verb.
_TOLD_OF = lazy_pattern(
    r"(?:(?:and|but|so|then|well|ok|okay|yes|no|that|because|since|if|when|while)\s+)*"
    r"(?:i|i'\w+|we|we'\w+|he|she|they|it|it's|this|that|there|there's|my|our|his|her|their|its|the|a|an|some|many|"
    r"everyone|everybody|nobody|people|life|things|\w+ (?:is|are|was|were|will|has|have|works?|lives?|goes|comes)|"
    r"\w+(?:ed|ing))\b|$"
)
_NO_RULE = lazy_pattern(
    r"\b(?:this (?:time|once)|just now|for now|right now|for the moment|at the moment|yet|today only|only today|"
    r"in the meantime|this one)\b"
)
_ALWAYS = lazy_pattern(
    _BEGINS
    + r"always\s+(?!\w+ed\b|(?:been|had|has|was|were|is|are|have|thought|felt|said|did|does|got|made|went|found|knew|"
    r"wondered|wanted|liked|loved|seems?|looks?|happens?|here|there|up|down|on|"
    r"in|with|by|fun|tough|hard|calm|open|ready|\w+ing|remind|reminds|gets?|stands?|puts|makes?|happy|nice|good|"
    r"great|welcome|the case)\b)[a-z]+"
)
_DIRECTED = lazy_pattern(
    r"\b(?:you|they|it|answers|replies) (?:should|must|have to|need to|are to|shall) always\b|\b(?:should|must|"
    r"shall) always be\b|"
    r"\b(?:can|could|would|will) you (?:please )?always\b|\bi (?:always )?(?:want|need|expect|ask|would like|"
    r"'d like) you to always\b"
)
_NEVER = lazy_pattern(
    _BEGINS
    + r"(?:please\s+)?never\s+(?!\w+ed\b|\w+ing\b|(?:mind|been|had|was|were|is|are|heard|seen|knew|did|got|made|"
    r"went|found|thought|felt|saw|works?|again will|again would|have|has|say never|ever|once|a|an|the|too late|"
    r"give|gives|quit|stop|stops|lose|let|lets|shy|look|gets?|end|ends|change|fails?|mention it)\b)[a-z]+"
)
_WORRY = (
    r"(?:worry|bother|mind|know|think|get me wrong|be (?:sorry|afraid|shy|sad|silly|rude)|need|have|want|see|"
    r"understand|"
    r"panic|hesitate|apologi[sz]e|stress|care|you|forget|feel|like|believe|remember|recall|mean|agree|work|trust me|"
    r"wait|rush|hurry|give up|quit|stop|miss|lose|be (?:scared|discouraged|hard on|too hard)|get (?:discouraged|"
    r"down|upset|too)|"
    r"let (?:it|that|this|them|him|her|anything|anyone|anybody|nobody|the)\b.*\b(?:get|stop|bring|bother|hold|drag|"
    r"ruin)|ever "
    r"(?:quit|stop|forget|give up|lose|let|change)|thank|take (?:it|this) (?:personally|the wrong way)|seem|look|"
    r"do (?:that|it|this)[.!]*$|"
    r"(?:use|run|open|send|read|try|say|write) (?:it|that|this|them)[.!]*$)"
)
_DO_NOT = lazy_pattern(
    r"(?:^|[.;:,–—(]\s*|\b(?:and|but|so|please|also|then|just|ok|okay|you (?:must|should|may|can)|must|shall)\s+)"
    rf"(?:please,?\s+)?(?:don't|dont|do not)\s+(?:ever\s+|please\s+)?(?!{_WORRY}\b)(?!{_WORRY}$)(?=[a-z\ufffc])"
)
_CONDITION = lazy_pattern(r"^(?:if|when|because|since|as|why|what|how|while|although|though)\b[^,]*$")
_MUST_NOT = lazy_pattern(
    r"\b(?:must not|mustn't|must never|should never|may never|must (?:stay|remain)|(?:is|are) never to be|not to be "
    r"(?:touched|changed|edited|deleted|renamed|modified|overwritten|shared)|"
    r"you (?:should not|shouldn't|may not|are not (?:allowed )?to|must not|cannot (?:touch|change|edit|delete)))\b"
)
_PERMISSION = lazy_pattern(
    r"\b(?:without (?:first )?asking(?: me)?|without my (?:permission|approval|consent|okay|ok|say-so)|"
    r"unless i (?:say|ask|tell|"
    r"explicitly|specifically)|until i (?:say|tell you) (?:so|otherwise|to)|(?:always )?ask me (?:first )?before)\b"
)
_STOP = lazy_pattern(_BEGINS + r"(?:please\s+)?stop\s+(?!worrying|laughing|thinking|by|it|there|here)(?:[a-z]+ing)\b")
_AVOID = lazy_pattern(r"(?:^|[.;:,]\s*|\b(?:please|also|and)\s+)avoid\s+[a-z\ufffc]")
_NO_MORE = lazy_pattern(
    r"^(?:please,?\s+|also,?\s+|and\s+|"
    r"ok(?:ay)?,?\s+)*no\s+(?:more\s+)?[a-z\ufffc-]+(?:\s+[a-z-]+)?(?:,?\s+(?:please|ever|any ?more|"
    r"from you|in (?:your|any|all|the) (?:\w+\s*){1,3}))+[.! ]*$"
)
_LANGUAGES = (
    r"(?:english|german|korean|japanese|chinese|french|spanish|italian|portuguese|dutch|russian|polish|turkish|"
    r"arabic|"
    r"hindi|vietnamese|thai|latin|greek|swedish|plain (?:text|english|language)|simple (?:english|words|terms)|prose|"
    r"markdown|json|bullet points|bullets|full sentences|short sentences|lower ?case|(?:us|british|american) english)"
)
_IN_LANGUAGE = lazy_pattern(
    rf"{_BEGINS}(?:only\s+)?(?:answer|reply|respond|write|speak|talk)(?:\s+(?:to me|me|back|only|everything|"
    rf"your (?:answers|replies)))*"
    rf"\s+(?:only\s+)?in\s+(?:formal |informal |polite )?{_LANGUAGES}\b(?!\s*[:?])"
)
_IN_ALL = lazy_pattern(
    r"(?:^|[.;:,]\s*|\b(?:please|also|and|you (?:should|must)|can you|could you|would you)\s+)(?:please\s+)?"
    r"(?:use|keep|write|answer|reply|respond|stick|format|prefer|give|show|call|name|sign|begin|start|end)\b"
    r"[^.;]*\b(?:in|for|with|to|on|at the (?:end|start|beginning|top) of)\s+(?:all(?: of)?|every|each|any)\s+"
    r"(?:\w+\s+){0,2}(?:answers?|repl(?:y|ies)|responses?|messages?|codes?|files?|commits?|examples?|e-?mails?|"
    r"texts?|documents?|"
    r"reports?|functions?|comments?|summar(?:y|ies)|cases?|amounts?|dates?|numbers?|prices?|names?|variables?|"
    r"tests?|drafts?|"
    r"translations?|sentences?|lists?|calculations?|measurements?|scripts?)\b"
)
_EACH_TIME = lazy_pattern(
    rf"\bin (?:all|every|each)(?: of)?(?: your| future| my| the| other){{0,2}} (?:answers?|repl(?:y|ies)|"
    rf"responses?|messages?|"
    rf"e-?mails?|documents?|reports?),\s*(?:please\s+|always\s+)*{_VERBS}\b|\b(?:(?:every|each) time|"
    rf"whenever)\s+(?:i|you|we|there|a|an|the|someone|something)\b[^,]*,\s*(?:please\s+|always\s+|then\s+)*{_VERBS}\b"
    rf"|^(?:please\s+)?{_VERBS}\b.*\b(?:every time|each time|whenever)\s+(?:i|you|we|there|a|an|the)\b"
)
_CALL_ME = lazy_pattern(
    r"(?:^|[.;:,]\s*|\b(?:please|and|just|can|should)\s+)(?:call|address)\s+me\s+(?!back|when|later|at|on|tomorrow|"
    r"if|crazy|old|"
    r"stupid|a |an |in |tonight|today|once|again)[\w\ufffc]"
)
_LIFTED = lazy_pattern(
    r"\byou (?:can|may)\b.*\b(?:again|any ?more)\b|\bno longer (?:need|have) to\b|\b(?:don't|do not|"
    r"needn't)\b.*\b(?:any ?more|any longer)\b|"
    r"\b(?:forget|drop|cancel|lift|scrap|ignore|disregard)\b(?:\s+\w+){0,3}\s+(?:rules?|instructions?|"
    r"restrictions?|limits?|bans?)\b|"
    r"\b(?:rule|restriction|ban)s?\b.*\b(?:no longer (?:holds?|applies|apply)|is off|is lifted|are lifted)\b"
)
_REQUEST = lazy_pattern(
    rf"(?:^|[.;:,]\s*|\b(?:please|and|you|to|i want|i'd like|i would like|i expect|let's|should|must|will|can you|"
    rf"could you|only|also)\s+)"
    rf"(?:please\s+|always\s+|only\s+|also\s+)*(?:{_VERBS}|i want|i'd like|i would like|i prefer|i expect|no|don't|"
    rf"do not|never|let's)\b"
)


_BY_NEED: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    (("don't", "dont", "do not"), _DO_NOT),
    ((" not ", "n't", "must ", "should never", "may never", "never to be"), _MUST_NOT),
    (("without ", "unless i", "until i", "ask me"), _PERMISSION),
    (("stop ",), _STOP),
    (("avoid ",), _AVOID),
    (("no ",), _NO_MORE),
    ((" in ",), _IN_LANGUAGE),
    (("all ", "every ", "each ", "any "), _IN_ALL),
    (("every", "each", "all ", "whenever"), _EACH_TIME),
    (("call me", "address me"), _CALL_ME),
)
"""Each pattern with words one of which it needs: to look for those first saves most of the time."""
_TELLS = lazy_pattern(
    r"\b(?:i|we|he|she|they|it|that|who|which|nature|people)(?:'(?:m|ve|d|ll|s|re))?\b(?! (?:want|need|expect|ask|"
    r"said|say|told))"
)
_IF = lazy_pattern(r"(?:if|when|whenever|before|after|once|as soon as)\b")
_PROMISES = lazy_pattern(r"\b(?:i|we)(?:'ll| will|'m going to|'m gonna| plan to)\b")


def _directed(pattern: re.Pattern[str], words: str) -> bool:
    """Whether the words are said to the reader: not further on in a sentence about somebody else."""
    for found in pattern.finditer(words):
        own = words.rfind(",", 0, found.start() + 1) + 1 if _IF.match(words) else 0
        if not _TELLS.search(words, own, found.start()):
            return True
    return False


def lasts(words: str) -> bool:
    """Whether a sentence in small letters, on one line, sets a rule for what is to come, or lifts one."""
    if _LIFTED.search(words):
        return True
    if _AFTERWARDS.search(words):
        rest = _AFTERWARDS.sub(",", words).strip(" ,")
        asks = _REQUEST.search(rest) is not None or _TOLD_OF.match(rest) is None
        return not _PROMISES.search(words) and (asks or lasts(rest))
    if "always" in words and (_DIRECTED.search(words) or _directed(_ALWAYS, words)):
        return True
    if _NO_RULE.search(words) or _CONDITION.search(words):
        return False
    if "never" in words and _directed(_NEVER, words):
        return True
    return any(pattern.search(words) for needed, pattern in _BY_NEED if any(word in words for word in needed))

"""What the user wants with a prompt during a loop: an answer, work, or that the loop goes on.

`why does it fail?`, `what is left` and `explain the diff` are questions: the agent may answer and
stop. `fix it` and `can you fix it?` are orders: the agent is held until the work is done.
`go on please` also resumes a loop that is paused.
"""

import re

from untildone.core.late_patterns import compile_late

_FLAGS = re.IGNORECASE | re.DOTALL
# The ASCII one and that of Chinese and Japanese.
_QUESTION_MARKS = ("?", "\uff1f")
# Words before the sentence that change nothing: "ok, so why …".
_OPENING = (
    r"(?:(?:ok(?:ay)?|hey|hi|well|so|and|but|now|then|also|wait|please|sorry|hm+|just)[,.! ]+)*"
)
# Verbs that ask for words, not for work: "can you explain …", "tell me …".
_TELLING = (
    r"(?:explain|tell|describe|summari[sz]e|say|clarify|remind|elaborate|recap|show me|walk me"
    r"|confirm|list|give me)\b"
)
# "can you fix it?", "would you mind fixing it?", "why don't you fix it?"
_POLITE_ORDER = compile_late(
    rf"{_OPENING}(?:(?:can|could|would|will|won't|can't) (?:you|we)\b"
    rf"(?!(?: please| now| just| also)* {_TELLING})"
    r"|why (?:don't|not|doesn't)\b|how about\b|what about \w+ing\b|shall we\b)",
    _FLAGS,
)
_ASKING = compile_late(
    rf"{_OPENING}(?:(?:what|why|how|which|who|whose|where)\b"
    r"|(?:is|are|was|were|does|did|has|isn't|aren't|doesn't|didn't|hasn't)\b"
    r"|(?:do|have) (?:i|you|we|they)\b"
    r"|(?:can|could|should|would|will) (?:i|you|we|they|it|the|this|that|these)\b"
    rf"|{_TELLING})",
    _FLAGS,
)
# "go on please", "ok, continue", "keep going until it is green"
_GO_ON = compile_late(
    rf"{_OPENING}(?:(?:yes|fine|good|great|let'?s)[,.! ]+)*"
    r"(?:continue|go on|go ahead|keep (?:going|working)|carry on|resume|proceed)"
    r"(?:[,. ]+(?:please|now|then|working|with (?:it|this|the loop)|until .+))*[.! ]*",
    _FLAGS,
)
_SENTENCE_END = compile_late(r"(?<=[.!?\uff1f])\s+|\n+")
# Only the end of a long prompt is read.
_LONGEST_SENTENCE = 500


def is_question(prompt: str) -> bool:
    """Say whether the last sentence of the prompt asks for an answer and for no work."""
    text = prompt.strip()
    sentence = _SENTENCE_END.split(text[-_LONGEST_SENTENCE:])[-1]
    if _POLITE_ORDER.match(sentence):
        return False
    return text.endswith(_QUESTION_MARKS) or bool(_ASKING.match(sentence))


def says_go_on(prompt: str) -> bool:
    """Say whether the prompt as a whole tells the agent to go on."""
    return bool(_GO_ON.fullmatch(prompt.strip()))

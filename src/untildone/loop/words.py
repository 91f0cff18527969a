"""What the agent's final message says: promises, the signal, being blocked."""

import re

_FENCED = re.compile(r"(?ms)^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)")
_INLINE_CODE = re.compile(r"`[^`\n]*`")
_BLOCK_QUOTE = re.compile(r"(?m)^[ \t]*>.*$")
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»")
_TAGGED = re.compile(r"(?is)<promise>(.*?)</promise>")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")
# "not yet: all tests passing", "when they pass I will say ALL DONE"
_NOT_SAID = re.compile(
    r"(?i)\b(not|never|cannot|without|until|unless|once|when|if|after|before|will|would|"
    r"should|going to|almost|nearly|to be|todo|remaining)\b|n['\u2019]t\b"
)
_STATUS_SIGNAL = re.compile(r"(?im)^[ \t]*EXIT_SIGNAL:[ \t]*true\b")
_MARKER = re.compile(
    r"(?i)<(?:untildone|jikime)(?::(?:done|complete)\s*/>|>\s*(?:DONE|COMPLETE)\s*</)|<loop-complete>"
)
_BLOCKED = re.compile(r"(?is)<untildone:blocked>(.*?)</untildone:blocked>")


def spoken(message: str) -> str:
    """The message without what it merely shows: code, block quotes."""
    for shown in (_FENCED, _BLOCK_QUOTE, _INLINE_CODE):
        message = shown.sub(" ", message)
    return message


def promises_said(message: str, promises: tuple[str, ...]) -> tuple[str, ...]:
    """Which of the promises the message gives, tagged or as its own plain statement."""
    text = spoken(message)
    tagged = [_folded(found) for found in _TAGGED.findall(text)]
    plain = _QUOTED.sub(" ", _TAGGED.sub(" ", text))
    sentences = [_folded(part) for part in _SENTENCE_END.split(plain)]
    return tuple(
        promise
        for promise in promises
        if _folded(promise) in tagged or any(_states(part, _folded(promise)) for part in sentences)
    )


def _states(sentence: str, promise: str) -> bool:
    if not promise:
        return False
    before, found, after = sentence.partition(promise)
    return bool(found) and not _NOT_SAID.search(before) and not after.startswith("?")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def signalled(message: str) -> bool:
    """A completion marker, or `EXIT_SIGNAL: true`, said and not merely shown."""
    text = spoken(message)
    return bool(_STATUS_SIGNAL.search(text) or _MARKER.search(text))


def blocked(message: str) -> str:
    found = _BLOCKED.search(spoken(message))
    return found[1].strip() if found else ""

"""The agent's final message: promises, completion signal, blocked reason, status block."""

import re

from msgspec import DecodeError
from msgspec.json import decode

from untildone.core.evidence import StatusBlock

# Patterns are strings, compiled when a message needs them, because every stop imports this.
_FENCED = r"(?ms)^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)"
_INLINE_CODE = r"`[^`\n]*`"
_BLOCK_QUOTE = r"(?m)^[ \t]*>.*$"
_QUOTATIONS = ((("```", "~~~"), _FENCED), ((">",), _BLOCK_QUOTE), (("`",), _INLINE_CODE))
_QUOTED = (
    r"\"[^\"\n]*\"|“[^“”\n]*”|\u2018[^\u2018\u2019\n]*\u2019|«[^«»\n]*»"
    r"|(?<!\w)'[^'\n]*'(?!\w)|~~[^~\n]*~~"
)
# **bold**, _slanted_, the # of a heading
_EMPHASIS = r"\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|(?m:^[ \t]*#{1,6}[ \t])"
# All patterns are bounded: a message of nothing but opening tags must not use up the time.
_MAX_MESSAGE = 65_536
_TAGGED = r"(?is)<promise>(.{0,1000}?)</promise>"
_SHOWN_TAG = r"(?is)[\"'\u201c\u2018\u00ab]<promise>[^\n]{0,1000}?</promise>[\"'\u201d\u2019\u00bb]"
_SENTENCE_END = r"(?<=[.!?])\s+|\n"
# "not yet: all tests passing", "when they pass I will say ALL DONE"
_NOT_STATED = (
    r"(?i)\b(not|never|cannot|without|until|unless|once|when|if|after|before|will|would|"
    r"should|going to|almost|nearly|to be|todo|remaining|asked for|asks? for|promise is|phrase|"
    r"far from|noch|nicht|kein\w*|pas encore|aún no|todavía no)\b"
    r"|n['\u2019]t\b|['\u2019]ll\b"
)
# A tag is taken more literally than plain words: "I will now say <promise>…" gives it.
_TAG_NOT_STATED = r"(?i)\b(not|never|cannot|until|unless|once|when|if|before)\b|n['\u2019]t\b"
# "ALL DONE once CI agrees", "<promise>…</promise> will follow"
_ON_CONDITION = (
    r"(?i)[^\w\n.!?]{0,20}"
    r"(once|when|if|unless|until|as soon as|will|would|should|cannot|is not|are not|isn|aren|"
    r"is false|except|apart from)\b"
)
_STATUS_SIGNAL = r"(?im)^[ \t]*EXIT_SIGNAL:[ \t]*true\b"
_MARKER = (
    r"(?i)<(?:untildone|jikime)(?::(?:done|complete)\s*/>|>\s*(?:DONE|COMPLETE)\s*</)"
    r"|<loop-complete>"
)
_STATUS_BLOCK = r"(?s)---LOOP_STATUS---(.{0,20000}?)---END_STATUS---"
_STATUS_CRITERIA = r"(?s)\bCRITERIA:\s*(\{.*?\})\s*(?:\n|STUCK_COUNT:|NEXT:|$)"
_STATUS_STUCK = r"\bSTUCK_COUNT:[ \t]*(\d{1,4})\b"
_STATUS_NEXT = r"\bNEXT:[ \t]*([^\n]{0,300})"
_BLOCKED = r"(?is)<untildone:blocked>(.{0,2000}?)</untildone:blocked>"


# What is recorded of the agent's words is bounded: the state file has a maximum size.
MAX_RECORDED_TEXT = 2_000
MAX_CLAIMS = 100


def truncate(text: str) -> str:
    return text if len(text) <= MAX_RECORDED_TEXT else text[: MAX_RECORDED_TEXT - 2] + " …"


def strip_quotations(message: str) -> str:
    """Return the message without code and block quotes."""
    message = message[-_MAX_MESSAGE:]
    for marks, shown in _QUOTATIONS:
        if any(mark in message for mark in marks):
            message = re.sub(shown, " ", message)
    return message


def find_promises(message: str, promises: tuple[str, ...], *, task: str = "") -> tuple[str, ...]:
    """Return the promises that the message gives, in a tag or as a plain statement.

    A sentence that only repeats the task gives none.
    """
    if not promises:
        return ()
    letters = _keep_alphanumerics(message[-_MAX_MESSAGE:])
    if not any(_keep_alphanumerics(promise) in letters for promise in promises):
        return ()
    text = re.sub(_SHOWN_TAG, " ", strip_quotations(message))
    tagged = {_strip_emphasis(tag[1]) for tag in re.finditer(_TAGGED, text) if _is_meant(text, tag)}
    wanted = {promise: _strip_emphasis(promise) for promise in promises}
    repeated = _split_sentences(task[-_MAX_MESSAGE:]) - set(wanted.values())
    sentences = _split_sentences(re.sub(_QUOTED, " ", re.sub(_TAGGED, " ", text))) - repeated
    return tuple(
        promise
        for promise, words in wanted.items()
        if words in tagged - {""} or any(_states_promise(part, words) for part in sentences)
    )


def _keep_alphanumerics(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _split_sentences(text: str) -> set[str]:
    """Return the sentences of each line and of each paragraph, since lines may be wrapped."""
    paragraphs = re.sub(r"(?<=\S)[ \t]*\n(?=[ \t]*\w)", " ", text)
    return {
        _strip_emphasis(part)
        for version in (text, paragraphs)
        for part in re.split(_SENTENCE_END, version)
    }


def _strip_emphasis(text: str) -> str:
    return normalize(re.sub(_EMPHASIS, "", text))


# Agents say these words about single steps: as a promise they would end the loop too soon.
_VAGUE_PROMISES = frozenset(
    ("done", "ok", "okay", "finished", "complete", "completed", "yes", "ready", "success", "fixed")
)


def is_vague(promise: str) -> bool:
    return _strip_emphasis(promise).strip(" .!") in _VAGUE_PROMISES


def _is_meant(text: str, tag: re.Match[str]) -> bool:
    before = re.split(_SENTENCE_END, text[max(0, tag.start() - 300) : tag.start()])[-1]
    return not re.search(_TAG_NOT_STATED, before) and not re.compile(_ON_CONDITION).match(
        text, tag.end()
    )


def _states_promise(sentence: str, promise: str) -> bool:
    """Say whether the sentence states the promise in whole words, without "not" or "if"."""
    found = re.search(rf"(?<!\w){re.escape(promise)}(?!\w)", sentence) if promise else None
    return (
        found is not None
        and not re.search(_NOT_STATED, sentence[: found.start()])
        and not re.compile(_ON_CONDITION).match(sentence, found.end())
        and not sentence.startswith("?", found.end())
    )


def normalize(text: str) -> str:
    return " ".join(text.casefold().split())


def has_signal(message: str) -> bool:
    """Say whether the message has a completion marker or `EXIT_SIGNAL: true` outside code."""
    if "<" not in message and "exit_signal" not in message.casefold():
        return False
    text = strip_quotations(message)
    return bool(re.search(_STATUS_SIGNAL, text) or re.search(_MARKER, text))


def find_blocked_reason(message: str) -> str:
    if "<untildone:blocked>" not in message.casefold():
        return ""
    found = re.search(_BLOCKED, strip_quotations(message))
    return found[1].strip() if found else ""


def parse_status_block(message: str) -> StatusBlock | None:
    """Return the last status block of the message; it may stand in a code block."""
    blocks = re.findall(_STATUS_BLOCK, message[-_MAX_MESSAGE:])
    if not blocks:
        return None
    text = blocks[-1]
    criteria = re.search(_STATUS_CRITERIA, text)
    stuck = re.search(_STATUS_STUCK, text)
    following = re.search(_STATUS_NEXT, text)
    return StatusBlock(
        exit_signal=bool(re.search(_STATUS_SIGNAL, text)),
        criteria=_parse_criteria(criteria[1]) if criteria else {},
        stuck=int(stuck[1]) if stuck else None,
        next=following[1].strip() if following else "",
    )


def _parse_criteria(text: str) -> dict[str, bool]:
    """Parse both forms in use: `{"tests pass": true}` and `{"tests pass": {"met": true}}`."""
    try:
        known = decode(text, type=dict[str, bool | dict[str, object]])
    except (DecodeError, UnicodeError):
        return {}
    return {
        name: value.get("met") is True if isinstance(value, dict) else value
        for name, value in known.items()
    }

"""Words of the task that answer a question: "Drop Python 3.8" asks for `py{38,39}` → `py{39}`."""

import re

from untildone.core.concerns import get_subject
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.core.text import shorten

_MAX_ANSWER = 60
_SENTENCE_END = compile_late(r"(?<=[.!?;])\s+|\n+")
_WORD = compile_late(r"\d+(?:\.\d+)*|[^\W\d_]+")
_PARTS_OF_NAME = compile_late(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+(?:\.\d+)*")
_REMOVES = compile_late(
    r"\b(drop\w*|remov\w*|delet\w*|retir\w*|rid|without|no longer|stop\w*|end\w*|abandon\w*"
    r"|replac\w*|renam\w*|migrat\w*|move\w*|instead|deprecat\w*)\b",
    re.IGNORECASE,
)
_CHANGES = compile_late(
    r"\b(chang\w*|updat\w*|set\w*|rais\w*|lower\w*|loosen\w*|relax\w*|allow\w*|ignor\w*|disabl\w*"
    r"|skip\w*|silenc\w*|suppress\w*|expect\w*|adapt\w*|adjust\w*|increas\w*|decreas\w*|reduc\w*"
    r"|should|must|switch\w*|now|not)\b",
    re.IGNORECASE,
)
_REQUIRES = compile_late(r"\b(requir\w*|minimum|at least|rais\w*|bump\w*)\b", re.IGNORECASE)
# Work whose result no new test shows: "refactor: …", "[Perf] …", "Update the docs", "sets: cover …"
_KEEPS_BEHAVIOUR = compile_late(
    r"\W*([\w./-]+:\s*)?((updat|improv|writ|extend|clarify)\w*\s+)?(the\s+)?"
    r"(refactor\w*|restructur\w*|clean\w*[ -]?up|tidy\w*|simplif\w*|reformat\w*|renam\w*"
    r"|perf|performance|optimi[sz]\w*|speed\w* up|benchmark\w*|docs?|documentation|test|cover)\b",
    re.IGNORECASE,
)
# They are in so many names and tasks that they say nothing.
_COMMON = frozenset(
    (
        *("test", "tests", "spec", "the", "a", "an", "is", "it", "its", "of", "in", "on", "to"),
        *("and", "or", "for", "by", "with", "from", "py", "js", "ts", "src", "not", "no", "be"),
        *("does", "should", "must", "assert", "expect", "equal", "return", "returns", "when"),
        *("true", "false", "none", "null", "new", "old", "def", "run", "check", "tool"),
    )
)


def find_answer(concern: Concern, task: str) -> str:
    """Return the first sentence of the task that asks for the change; empty if none does.

    For a missing test only the first sentence counts: it says what kind of work it is.
    """
    sentences = [sentence for sentence in _SENTENCE_END.split(task) if sentence.strip()]
    for sentence in sentences[:1] if concern.kind == ConcernKind.PROOF else sentences:
        if _asks_for(sentence, concern):
            return shorten(" ".join(sentence.split()).rstrip(".;"), _MAX_ANSWER)
    return ""


def asks_to_raise(task: str, old: str, new: str) -> bool:
    """Say whether a sentence asks for a higher required version.

    "Drop Python 3.8" does, and "drop-py38" and "Require Python 3.9", for `3.8` and `3.9`.
    """
    return any(
        (_REMOVES.search(sentence) and _list_words(old) & words)
        or (_REQUIRES.search(sentence) and _list_words(new) & words)
        for sentence in _SENTENCE_END.split(task)
        if (words := _list_words(sentence))
    )


def _asks_for(sentence: str, concern: Concern) -> bool:
    if concern.kind == ConcernKind.PROOF:
        return bool(_KEEPS_BEHAVIOUR.match(sentence))
    words = _list_words(sentence)
    if concern.kind == ConcernKind.REMOVE_TEST:
        return bool(_REMOVES.search(sentence)) and _names_subject(words, concern)
    if not _REMOVES.search(sentence) and not _CHANGES.search(sentence):
        return _gives_new_value(words, concern)
    gone = _list_words(concern.old) - _list_words(concern.new)
    is_named = bool(gone & words) and bool(_REMOVES.search(sentence))
    return is_named or _gives_new_value(words, concern) or _names_subject(words, concern)


def _gives_new_value(words: set[str], concern: Concern) -> bool:
    """Say whether the sentence has every word of the new value that the old one had not."""
    given = _list_words(concern.new) - _list_words(concern.old)
    # One digit or letter may stand in a sentence for another reason.
    is_telling = max(map(len, given), default=0) > 1 or bool(words & _list_name_words(concern))
    return bool(given) and given <= words and is_telling


def _names_subject(words: set[str], concern: Concern) -> bool:
    """Say whether the sentence has every word of the test's name, the setting's or the file's."""
    parts = _list_name_words(concern)
    return bool(parts) and parts <= words


def _list_name_words(concern: Concern) -> set[str]:
    """Return the words of the subject: `csv` and `import` of `TestShop::test_csv_import[1]`."""
    subject = get_subject(concern).rpartition("::")[2].partition("[")[0]
    name = re.split(r"[/.]", subject)[-1] if concern.kind == ConcernKind.CONFIG else subject
    return {part.lower() for part in _PARTS_OF_NAME.findall(name)} - _COMMON


def _list_words(text: str) -> set[str]:
    """Return words in lower case; a version also as tools write it: `3.8` as `38`."""
    words = {word.lower() for word in _WORD.findall(text)} - _COMMON
    return words | {word.replace(".", "") for word in words if word[0].isdigit()}

"""Removes secrets from text: by the name before them, by their shape, by their exact value."""

import re
from collections.abc import Mapping

from untildone.core.late_patterns import compile_late

REMOVED = "[secret removed]"

_SHORTEST_VALUE = 8
_LONGEST_JUDGED = 256
_PASSWORD = compile_late(r"(?i)passw(?:or)?d|passphrase|(?:^|_)pass$|(?:^|_)pwd$")
_SECRET_NAME = compile_late(
    r"(?i)(?:api|access|secret|private|auth|encryption|signing|master|account|license|deploy)"
    r"[_-]?key(?:[_-]?id)?$"
    r"|token$|secret$|credentials?$|connection[_-]?string$"
)
_SECRET_VARIABLE = compile_late(r"[A-Z0-9_]+_KEY")
# Common words: before a value they mean a secret only if the value looks random.
_PLAIN_NAMES = frozenset({"token", "secret", "credential", "credentials"})

# A part of every secret name, before an assignment. The set of first letters makes the search
# fast; the last two of them become `s` and `k` in lower case.
_LIKELY = compile_late(
    r"[pktscPKTSC\u017f\u212a](?i:ass|wd|ey|oken|ecret|redential|tring)"
    r"[\w-]{0,80}[\"']?[ \t]{0,8}[=:]"
)
# The length of the name is limited, so that a long run of letters is searched once.
_ASSIGNMENT = compile_late(
    r"(?<![\w-])(?P<name>[\w-]{1,80})(?P<between>[\"']?[ \t]{0,8}(?:=(?![=>])|:(?![:=]))[ \t]{0,8})"
)
_VALUE = compile_late(r"\"[^\"\n]*\"?|'[^'\n]*'?|[^\s\"',;&()\[\]{}]+")
# --- PASS: TestLeap400, a result of `go test`
_TEST_RESULT = "PASS: "
_IDENTIFIER = compile_late(r"[A-Za-z_.]+")

_SHAPES = (
    compile_late(
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[A-Za-z0-9+/=\\,: \t\n]|-(?!----))*"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
    ),
    compile_late(
        r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}"
        r"|(?=sk-[A-Za-z_-]{0,64}\d)sk-[\w-]{16,}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}"
        r"|xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])"
        r"|AIza[\w-]{35}|npm_[A-Za-z0-9]{36}|pypi-[\w-]{16,}|hf_[A-Za-z0-9]{20,}"
        r"|eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*)"
    ),
)
# Authorization: Bearer abc; Authorization: Basic dXNlcjpwYXNz
_HEADER = compile_late(
    r"(?i)(?P<prefix>(?:proxy-)?authorization[\"']?[ \t]{0,8}[:=][ \t]{0,8}[\"']?"
    r"(?:[a-z]{1,20}[ \t]{1,8})?)[^\s\"',;]+"
)
_SCHEME = compile_late(
    r"(?i)\b(?P<prefix>(?:bearer|basic)[ \t]{1,8})(?=[A-Za-z._~+/=-]{0,256}\d)[\w.~+/=-]{12,}"
)
# postgres://app:hunter2@db.internal
_IN_ADDRESS = compile_late(r"(?P<prefix>://[^\s/:@]{0,256}:)[^\s/@]{1,256}(?=@)")

_AFTER_PREFIX = (
    (_IN_ADDRESS, ("://",)),
    (_HEADER, ("authorization",)),
    (_SCHEME, ("bearer", "basic")),
)


def remove_secrets(text: str, *, environ: Mapping[str, str]) -> str:
    """Return the text with a placeholder for each secret, those in `environ` included."""
    for value in find_secret_values(environ):
        text = text.replace(value, REMOVED)
    for shape in _SHAPES:
        text = shape.sub(REMOVED, text)
    lowered = text.lower()
    for pattern, words in _AFTER_PREFIX:
        # Searching for a word first is much faster than the pattern.
        if any(word in lowered for word in words):
            text = pattern.sub(lambda match: match["prefix"] + REMOVED, text)
    return _remove_assigned(text)


def find_secret_values(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values, longest first: one secret may be the beginning of another."""
    values = {value.strip() for value in select_secrets(environ).values()}
    return tuple(sorted(values, key=len, reverse=True))


def select_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that are secrets: for many texts, they are looked for once."""
    return {
        name: value
        for name, value in environ.items()
        # `PWD` reads like a password, and its value is part of every path.
        if name != "PWD" and _is_secret(name) and len(value.strip()) >= _SHORTEST_VALUE
    }


def _is_secret(name: str) -> bool:
    return bool(
        _PASSWORD.search(name) or _SECRET_NAME.search(name) or _SECRET_VARIABLE.fullmatch(name)
    )


def _remove_assigned(text: str) -> str:
    """Remove assigned values, searching only the lines that may contain a secret name."""
    parts: list[str] = []
    position = 0
    for likely in _LIKELY.finditer(text):
        if likely.start() < position:
            continue
        begin = text.rfind("\n", position, likely.start()) + 1 or position
        end = text.find("\n", likely.end())
        end = end if end >= 0 else len(text)
        parts += text[position:begin], _remove_from_line(text[begin:end])
        position = end
    return "".join((*parts, text[position:]))


def _remove_from_line(text: str) -> str:
    parts: list[str] = []
    position = 0
    for match in _ASSIGNMENT.finditer(text):
        if match.start() < position or not _is_secret(match["name"]):
            continue
        # A value may contain further assignments, so only its beginning decides.
        value = _VALUE.match(text, match.end(), match.end() + _LONGEST_JUDGED)
        if value and _reveals(match, value[0], followed_by=text[value.end() : value.end() + 1]):
            parts += text[position : match.end()], REMOVED
            full = _VALUE.match(text, match.end()) or value
            position = full.end()
    return "".join((*parts, text[position:]))


def _reveals(assignment: re.Match[str], value: str, *, followed_by: str) -> bool:
    """Say whether the value after a secret's name is a secret."""
    name, bare = assignment["name"].lower(), value.strip("\"'")
    # Nothing, `token=token`, or the name of a test.
    if not bare or bare.lower() == name or assignment[0] == _TEST_RESULT:
        return False
    is_random = len(bare) >= _SHORTEST_VALUE and any(map(str.isdigit, bare))
    is_quoted = bare != value
    if not (is_quoted or is_random) and _is_prose_or_code(assignment["between"], bare, followed_by):
        return False
    if _PASSWORD.search(name):
        return True
    return is_random if name in _PLAIN_NAMES else len(bare) >= _SHORTEST_VALUE


def _is_prose_or_code(between: str, bare: str, followed_by: str) -> bool:
    """Say whether it is `password: this field is required` or `api_key = settings.api_key`."""
    sentence = ":" in between and followed_by in (" ", "\t")
    return sentence or (" = " in between and bool(_IDENTIFIER.fullmatch(bare)))

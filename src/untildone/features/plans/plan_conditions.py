"""Turns a sentence of a plan into a condition that a program can check.

`npm test` exits 0                                  -> Command
File `src/a.ts` contains `export`                   -> FileContains
GET `http://localhost:3000/health` returns 200      -> HttpStatus
The page is easy to read                            -> None: a reviewer judges it
"""

import re
from typing import TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct

from untildone.commands.shell import program_name


class Command(Struct, frozen=True, kw_only=True, tag=True):
    """The command line must exit with 0."""

    line: str


class FileContains(Struct, frozen=True, kw_only=True, tag=True):
    """The file must contain the text."""

    path: str
    text: str


class HttpStatus(Struct, frozen=True, kw_only=True, tag=True):
    """A request must be answered with the status `code`."""

    method: str
    url: str
    code: int


Condition: TypeAlias = Command | FileContains | HttpStatus

# Ways to say that a command succeeds: "passes", "and verify all tests pass", "exits with code 0"
_SUCCEEDS = (
    r"(?:and (?:verify|check|confirm|see)(?: that)? )?(?:it |this |all |the )*"
    r"(?:(?:tests?|checks?|specs?|suite|build|command)s? )*(?:should |must |will )?"
    r"(?:pass(?:es)?|succeeds?|works?|compiles|is green|are green|"
    r"(?:runs?|completes?|builds?)(?: successfully| cleanly| without errors?)|"
    r"(?:exits?|returns?|ends?)(?: with)?(?: exit)?(?: code| status)? (?:0|zero))"
)
# "`npm test` exits 0", "`make e2e` passes"
_COMMAND_SUCCEEDS = re.compile(rf"`(?P<line>[^`\n]+)` (?P<success>{_SUCCEEDS})", re.IGNORECASE)
_EXIT_STATUS_ZERO = re.compile(r"\b(?:0|zero)$")
# "Run migration: npm run db:migrate"
_LABELLED_COMMAND = re.compile(r"(?P<label>[^:`\n]{1,80}):\s+(?P<line>\S[^`\n]*)")
# "Run `npm test` and verify all pass", "Tests: `npm test`", "`npm test`"
_QUOTED_COMMAND = re.compile(
    r"(?:(?P<label>[^:`\n]{1,80}):\s+|(?:run|execute)\b[^`\n]{0,40})?`(?P<line>[^`\n]+)`(?P<rest>.*)",
    re.IGNORECASE,
)
# What may follow a quoted command: nothing, or only that it succeeds.
_ONLY_SUCCESS = re.compile(rf"\W*(?:{_SUCCEEDS})?\W*", re.IGNORECASE)
# The end of "npm test (passes)" or "npm test -> exits 0", which is no part of the command
_SUCCESS_NOTE = re.compile(rf"\s+(?:\({_SUCCEEDS}\)|(?:->|=>|→)\s*{_SUCCEEDS})$", re.IGNORECASE)
# "File `src/a.ts` contains `export`"
_FILE_CONTAINS = re.compile(
    r"(?:the )?file `(?P<path>[^`\n]+)` (?:contains|includes|has) `(?P<text>[^`\n]+)`",
    re.IGNORECASE,
)
# "GET `http://localhost:3000/health` returns 200"
_HTTP_STATUS = re.compile(
    r"(?P<method>GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) `?(?P<url>https?://[^\s`]+)`? "
    r"(?:returns|answers|responds)(?: with)?(?: status| code| http)* (?P<code>[1-5]\d\d)(?: ok)?",
    re.IGNORECASE,
)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Unquoted text after a label is a command only if it begins with a known program.
_KNOWN_PROGRAMS = frozenset(
    (
        *("ant", "ava", "bash", "bats", "bazel", "biome", "buf", "bun", "bundle", "bunx", "cargo"),
        *("cmake", "composer", "coverage", "ctest", "curl", "dart", "deno", "django-admin"),
        *("docker", "docker-compose", "dotnet", "eslint", "flake8", "flutter", "git", "go"),
        *("golangci-lint", "gradle", "grep", "hatch", "helm", "jest", "just", "kubectl", "make"),
        *("meson", "mix", "mocha", "mvn", "mypy", "ninja", "node", "nox", "npm", "npx", "pdm"),
        *("php", "phpunit", "pip", "playwright", "pnpm", "poetry", "prettier", "prisma", "psql"),
        *("pyright", "pytest", "python", "python3", "rails", "rake", "rspec", "rubocop", "ruby"),
        *("ruff", "rustc", "sbt", "sh", "shellcheck", "sqlite3", "swift", "task", "terraform"),
        *("test", "tox", "tsc", "ty", "uv", "uvx", "vitest", "xcodebuild", "yarn", "zig"),
    )
)
# These never end: as a check they would only time out.
_ENDLESS = re.compile(
    r"\b(?:npm|pnpm|yarn|bun)(?: run)? (?:start|dev|serve|watch|preview)\b|\s--watch\b"
    r"|\brunserver\b|\bhttp\.server\b|\bcompose up\b(?!.* (?:-d|--detach|--exit-code-from)\b)"
)
# Words that show a sentence, not a command, since some programs are named like verbs:
# "make sure that it works", "go to the page".
_WORDS_OF_SENTENCES = frozenset(
    (
        *("a", "an", "and", "are", "can", "does", "each", "every", "for", "has", "if", "in", "is"),
        *("it", "must", "should", "sure", "that", "the", "their", "this", "through", "to"),
        *("whether", "when", "with", "works"),
    )
)


def parse_condition(sentence: str, *, may_be_bare_command: bool = False) -> Condition | None:
    """Return the condition that the sentence states, or None if only a reviewer can judge it.

    Entries of a task's `testing` `may_be_bare_command`: "Lint: make lint" or "`npm test`" without
    a word about success. In an acceptance criterion such text may be a mere mention.
    """
    text = " ".join(sentence.split())
    text = re.sub(r"(?<=[\w`)])\.$", "", text)
    contains = _FILE_CONTAINS.fullmatch(text)
    if contains:
        return FileContains(path=contains["path"].strip(), text=contains["text"])
    status = _HTTP_STATUS.fullmatch(text)
    if status:
        return _make_local_http_status(status["method"].upper(), status["url"], int(status["code"]))
    succeeds = _COMMAND_SUCCEEDS.fullmatch(text)
    # An exit status is one of a command; "`Parser` works" may be about a class.
    if succeeds and (
        _EXIT_STATUS_ZERO.search(succeeds["success"]) or looks_like_a_command(succeeds["line"])
    ):
        return Command(line=succeeds["line"].strip())
    return _parse_bare_command(text) if may_be_bare_command else None


def _parse_bare_command(text: str) -> Command | None:
    """Return the command of a `testing` entry, quoted or after a label; None for other text."""
    quoted = _QUOTED_COMMAND.fullmatch(text)
    if quoted:
        # Not tested with `looks_like_a_command`: in a list of tests the backticks already say
        # that it is one, and its program may be the project's own.
        return _make_command(quoted["line"]) if _ONLY_SUCCESS.fullmatch(quoted["rest"]) else None
    plain = _SUCCESS_NOTE.sub("", text)
    labelled = _LABELLED_COMMAND.fullmatch(plain)
    line = labelled["line"] if labelled else plain
    return _make_command(line) if looks_like_a_command(line) else None


def _make_command(line: str) -> Command | None:
    """Return the command, or None if it is a server or watcher that never ends."""
    return None if _ENDLESS.search(line) else Command(line=line.strip())


def looks_like_a_command(line: str) -> bool:
    """Say whether the line begins with a known program or a script's path and is no sentence.

    The program may be one of a virtual environment: ".venv/bin/python -m pytest".
    """
    words = line.split()
    if not words or _WORDS_OF_SENTENCES.intersection(words):
        return False
    # Variables may stand before the program: "CI=1 npm test".
    while len(words) > 1 and re.fullmatch(r"[A-Z_][A-Z0-9_]*=\S*", words[0]):
        words.pop(0)
    program = words[0]
    # "./run", "../run", "scripts/test.sh"
    is_script = re.match(r"\.{1,2}/\S|\S+/\S+\.(?:sh|py)$", program) is not None
    name = re.sub(r"^python3?\.\d+$", "python", program_name(program))
    return name in _KNOWN_PROGRAMS or is_script


def _make_local_http_status(method: str, url: str, code: int) -> HttpStatus | None:
    """Return the condition, or None for another machine: only explicit `checks` may contact one."""
    try:
        is_local = urlsplit(url).hostname in _LOOPBACK
    except ValueError:
        return None
    return HttpStatus(method=method, url=url, code=code) if is_local else None

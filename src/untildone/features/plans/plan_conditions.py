"""Sentences of a plan that can be checked by machine: a command, a file's text, an HTTP status."""

import re
from typing import TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct


class Command(Struct, frozen=True, kw_only=True, tag=True):
    line: str


class FileContains(Struct, frozen=True, kw_only=True, tag=True):
    path: str
    text: str


class HttpStatus(Struct, frozen=True, kw_only=True, tag=True):
    method: str
    url: str
    code: int


Condition: TypeAlias = Command | FileContains | HttpStatus

_SUCCEEDS = (
    r"(?:and (?:verify|check|confirm|see)(?: that)? )?(?:it |this |all |the )*"
    r"(?:(?:tests?|checks?|specs?|suite|build|command)s? )*(?:should |must |will )?"
    r"(?:pass(?:es)?|succeeds?|works?|compiles|is green|are green|"
    r"(?:runs?|completes?|builds?)(?: successfully| cleanly| without errors?)|"
    r"(?:exits?|returns?|ends?)(?: with)?(?: exit)?(?: code| status)? (?:0|zero))"
)
# "`npm test` exits 0", "`make e2e` passes"
_EXITS = re.compile(
    r"`(?P<line>[^`\n]+)` (?P<how>(?:exits?|returns?|ends?)(?: with)?(?: exit)?(?: code| status)?"
    rf" (?:0|zero)|{_SUCCEEDS})",
    re.IGNORECASE,
)
# "Run migration: npm run db:migrate", "Run `npm test` and verify all pass", "`npm test`"
_LABELLED = re.compile(r"(?P<label>[^:`\n]{1,80}):\s+(?P<line>\S[^`\n]*)")
_QUOTED = re.compile(
    r"(?:(?P<label>[^:`\n]{1,80}):\s+|(?:run|execute)\b[^`\n]{0,40})?`(?P<line>[^`\n]+)`(?P<rest>.*)",
    re.IGNORECASE,
)
_SUCCESS_ALONE = re.compile(rf"\W*(?:{_SUCCEEDS})?\W*", re.IGNORECASE)
_SUCCESS_NOTE = re.compile(rf"\s+(?:\({_SUCCEEDS}\)|(?:->|=>|→)\s*{_SUCCEEDS})$", re.IGNORECASE)
# "File `src/a.ts` contains `export`"
_CONTAINS = re.compile(
    r"(?:the )?file `(?P<path>[^`\n]+)` (?:contains|includes|has) `(?P<text>[^`\n]+)`",
    re.IGNORECASE,
)
# "GET `http://localhost:3000/health` returns 200"
_ANSWERS = re.compile(
    r"(?P<method>GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) `?(?P<url>https?://[^\s`]+)`? "
    r"(?:returns|answers|responds)(?: with)?(?: status| code| http)* (?P<code>[1-5]\d\d)(?: ok)?",
    re.IGNORECASE,
)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Unquoted text after a label is a command only if it begins with a known program.
_PROGRAMS = frozenset(
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
# Some programs have the names of words: "make sure that it works", "go to the page".
_PROSE = frozenset(
    (
        *("a", "an", "and", "are", "can", "does", "each", "every", "for", "has", "if", "in", "is"),
        *("it", "must", "should", "sure", "that", "the", "their", "this", "through", "to"),
        *("whether", "when", "with", "works"),
    )
)


def parse_condition(sentence: str, *, testing: bool = False) -> Condition | None:
    """None if only a reviewer can judge it; a `testing` entry may be a bare command."""
    text = " ".join(sentence.split())
    text = re.sub(r"(?<=[\w`)])\.$", "", text)
    contains = _CONTAINS.fullmatch(text)
    if contains:
        return FileContains(path=contains["path"].strip(), text=contains["text"])
    answers = _ANSWERS.fullmatch(text)
    if answers:
        return _parse_address(answers["method"].upper(), answers["url"], int(answers["code"]))
    exits = _EXITS.fullmatch(text)
    if exits and (re.search(r"\b(?:0|zero)$", exits["how"]) or looks_like_a_command(exits["line"])):
        return Command(line=exits["line"].strip())
    return _parse_command(text) if testing else None


def _parse_command(text: str) -> Command | None:
    """The command of a `testing` entry, quoted or after a label; None for other text."""
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        return _make_command(quoted["line"]) if _SUCCESS_ALONE.fullmatch(quoted["rest"]) else None
    plain = _SUCCESS_NOTE.sub("", text)
    labelled = _LABELLED.fullmatch(plain)
    line = labelled["line"] if labelled else plain
    return _make_command(line) if looks_like_a_command(line) else None


def _make_command(line: str) -> Command | None:
    return None if _ENDLESS.search(line) else Command(line=line.strip())


def looks_like_a_command(line: str) -> bool:
    words = line.split()
    if not words or _PROSE.intersection(words):
        return False
    while len(words) > 1 and re.fullmatch(r"[A-Z_][A-Z0-9_]*=\S*", words[0]):
        words.pop(0)
    return (
        words[0] in _PROGRAMS or re.match(r"\.{1,2}/\S|\S+/\S+\.(?:sh|py)$", words[0]) is not None
    )


def _parse_address(method: str, url: str, code: int) -> HttpStatus | None:
    """None for another machine: only the plan's own `checks` may contact one."""
    try:
        local = urlsplit(url).hostname in _LOOPBACK
    except ValueError:
        return None
    return HttpStatus(method=method, url=url, code=code) if local else None

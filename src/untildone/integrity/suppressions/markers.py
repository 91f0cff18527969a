"""The comments by which tools are told to ignore code, or to be stricter with it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_CODES = r"[\w./@-]+(?:\s*,\s*[\w./@-]+)*"


class Marker(NamedTuple):
    """`reach` keeps what silences a line apart from what silences a file."""

    reach: str
    # A code, or the marker's own name where it has no codes.
    rule: str


def _with_codes(
    opening: str, *, by: str = r"\s*[:=(\[]\s*", codes: str = _CODES
) -> re.Pattern[str]:
    return re.compile(rf"{opening}(?:{by}(?P<codes>{codes}))?", re.IGNORECASE)


_NOQA = r"[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*"
# Reach, name and pattern; the first pattern that is found in a comment counts.
_MARKERS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("file", "noqa", _with_codes(r"#\s*(?:ruff|flake8)\s*:\s*noqa", by=r"\s*:\s*", codes=_NOQA)),
    ("file", "ruff: disable", _with_codes(r"#\s*ruff\s*:\s*(?:file-ignore|disable)")),
    ("line", "ruff: ignore", _with_codes(r"#\s*ruff\s*:\s*ignore")),
    ("line", "noqa", _with_codes(r"#\s*noqa\b", by=r"\s*:\s*", codes=_NOQA)),
    ("line", "type: ignore", _with_codes(r"#\s*type:\s*ignore\b", by=r"\s*\[\s*")),
    ("line", "pyright: ignore", _with_codes(r"#\s*(?:based)?pyright:\s*ignore\b", by=r"\s*\[\s*")),
    (
        "file",
        "pyright",
        re.compile(r"#\s*(?:based)?pyright:\s*(?:basic|off|standard|report\w+\s*=\s*[fnwi])"),
    ),
    (
        "file",
        "mypy: ignore-errors",
        re.compile(r"#\s*mypy:\s*ignore[-_]errors(?!\s*=\s*f)", re.IGNORECASE),
    ),
    (
        "file",
        "mypy",
        _with_codes(r"#\s*mypy:\s*disable[-_]error[-_]code", by=r"\s*=\s*\"?", codes=_CODES),
    ),
    (
        "file",
        "mypy",
        re.compile(
            r"#\s*mypy:\s*(?P<codes>(allow|no|follow)[-_][\w-]+|[\w-]+\s*=\s*false)", re.IGNORECASE
        ),
    ),
    ("line", "ty: ignore", _with_codes(r"#\s*(?:ty|pyrefly):\s*ignore\b", by=r"\s*\[\s*")),
    (
        "line",
        "pyre-ignore",
        _with_codes(r"#\s*pyre-(?:ignore|fixme)(?:-all-errors)?", by=r"\s*\[\s*"),
    ),
    ("line", "pytype: disable", _with_codes(r"#\s*pytype:\s*(?:disable|skip-file)", by=r"\s*=\s*")),
    ("line", "pragma: no cover", re.compile(r"#\s*pragma:\s*no[ -](cover|branch)", re.IGNORECASE)),
    ("line", "pragma: no mutate", re.compile(r"#\s*pragma:\s*no[ -]mutate", re.IGNORECASE)),
    (
        "line",
        "allowlist secret",
        re.compile(r"pragma:\s*(allowlist|whitelist)\s+secret|gitleaks:allow"),
    ),
    (
        "line",
        "nosec",
        _with_codes(r"#\s*nosec\b", by=r"\s*:?\s*", codes=r"[BG]\d+(?:[,\s]+[BG]\d+)*"),
    ),
    ("line", "pylint: disable", _with_codes(r"#\s*pylint:\s*disable(?:-next)?", by=r"\s*=\s*")),
    ("file", "pylint: skip-file", re.compile(r"#\s*pylint:\s*skip-file")),
    ("line", "fmt: off", re.compile(r"#\s*(fmt|yapf|isort)\s*:\s*(off|skip|disable|skip_file)")),
    ("line", "ts-ignore", re.compile(r"@ts-ignore\b")),
    ("line", "ts-expect-error", re.compile(r"@ts-expect-error\b")),
    ("file", "ts-nocheck", re.compile(r"@ts-nocheck\b")),
    ("line", "FlowFixMe", re.compile(r"\$Flow(FixMe|Issue|IgnoreFixme|ExpectedError)|@noflow")),
    (
        "line",
        "eslint-disable",
        _with_codes(r"(?:eslint|oxlint|tslint)[-:]disable-(?:next-)?line", by=r"[\s:]+"),
    ),
    ("block", "eslint-disable", _with_codes(r"(?:eslint|oxlint|tslint)[-:]disable", by=r"[\s:]+")),
    ("file", "eslint-env", re.compile(r"/\*\s*eslint-env\b")),
    ("file", "global", _with_codes(r"/\*\s*(?:globals?|exported)\b", by=r"\s+")),
    (
        "file",
        "eslint",
        re.compile(r"/\*\s*eslint\s+(?P<codes>[\w/@-]+)['\"]?\s*:\s*\[?['\"]?(?:0|1|off|warn)\b"),
    ),
    ("line", "biome-ignore", _with_codes(r"biome-ignore(?:-all|-start)?", by=r"\s+")),
    ("line", "deno-lint-ignore", _with_codes(r"deno-lint-ignore(?:-file)?", by=r"\s+")),
    (
        "line",
        "stylelint-disable",
        _with_codes(r"stylelint-disable(?:-line|-next-line)?", by=r"\s+"),
    ),
    ("line", "prettier-ignore", re.compile(r"(prettier|dprint)-ignore")),
    (
        "line",
        "coverage ignore",
        re.compile(
            r"\b(istanbul|c8|v8)\s+ignore\b(?!\s+(stop|end)\b)|node:coverage\s+(ignore|disable)"
        ),
    ),
    (
        "line",
        "coverage ignore",
        re.compile(r"(LCOV|GCOVR?|GRCOV)_EXCL(?!_STOP)|cov:ignore|:nocov:"),
    ),
    ("line", "Stryker disable", re.compile(r"Stryker\s+disable")),
    ("line", "nolint", _with_codes(r"/[/*]\s*nolint(?:nextline|begin)?\b", by=r"\s*[:(]\s*")),
    ("line", "lint:ignore", _with_codes(r"//\s*lint:(?:file-)?ignore", by=r"\s+")),
    (
        "line",
        "revive:disable",
        _with_codes(r"//\s*(?:revive|gosec):disable(?:-line|-next-line)?", by=r"[:\s]+"),
    ),
    (
        "line",
        "cppcheck-suppress",
        _with_codes(r"cppcheck-suppress(?:-file|-begin)?", by=r"[\s\[]+"),
    ),
    (
        "line",
        "clang-format off",
        re.compile(r"(clang-format|@formatter|spotless|CHECKSTYLE)\s*(?::\s*)?off", re.IGNORECASE),
    ),
    ("line", "NOSONAR", re.compile(r"\b(NOSONAR|NOPMD)\b")),
    ("line", "noinspection", _with_codes(r"\bnoinspection\b", by=r"\s+")),
    ("line", "ktlint-disable", _with_codes(r"ktlint-disable", by=r"\s+")),
    (
        "line",
        "swiftlint:disable",
        _with_codes(r"swiftlint:disable(?::next|:this|:previous)?", by=r"\s+"),
    ),
    ("line", "rubocop:disable", _with_codes(r"rubocop:(?:disable|todo)", by=r"\s+")),
    (
        "line",
        "phpstan-ignore",
        _with_codes(r"@(?:phpstan-ignore(?:-line|-next-line)?|psalm-suppress)", by=r"\s+"),
    ),
    ("line", "phpcs:ignore", re.compile(r"phpcs:(ignore|disable|ignoreFile)|@codeCoverageIgnore")),
    ("line", "credo:disable", re.compile(r"credo:disable")),
    ("line", "shellcheck disable", _with_codes(r"#\s*shellcheck\s+disable", by=r"\s*=\s*")),
    ("line", "hadolint ignore", _with_codes(r"#\s*hadolint\s+(?:global\s+)?ignore", by=r"\s*=\s*")),
    ("line", "yamllint disable", re.compile(r"#\s*yamllint\s+disable")),
    ("line", "ast-grep-ignore", _with_codes(r"ast-grep-ignore", by=r"\s*:\s*")),
    ("line", "nosemgrep", _with_codes(r"\bnosem(?:grep)?\b", by=r"\s*:\s*")),
    (
        "line",
        "checkov:skip",
        _with_codes(r"(?:checkov:skip|tfsec:ignore|trivy:ignore)", by=r"[=:]"),
    ),
    ("line", "typed: false", re.compile(r"#\s*typed:\s*(false|ignore)")),
)
_STRICT = re.compile(
    r"@(ts-check|flow)\b|#\s*(mypy:\s*strict|pyright:\s*strict|typed:\s*(strict|true))"
)
# Each ignores the same as its value does, and in addition reports when that is not needed.
STRICTER = {"ts-expect-error": "ts-ignore"}


def read_markers(comment: str) -> Iterator[Marker]:
    for reach, name, pattern in _MARKERS:
        if found := pattern.search(comment):
            yield from _read_codes(reach, name, found)
            return


def _read_codes(reach: str, name: str, found: re.Match[str]) -> Iterator[Marker]:
    codes = found.groupdict().get("codes") or ""
    if name == "global":
        yield Marker(reach, name)
    elif codes:
        yield from (Marker(f"{reach} {name}", code) for code in re.split(r"[,\s]+", codes) if code)
    else:
        yield Marker(f"{reach} {name}", name)


def read_strictness(comment: str) -> str:
    """Return what the comment asks of a tool beyond its settings; empty if nothing."""
    found = _STRICT.search(comment)
    return found[0].lstrip("#@ ") if found else ""

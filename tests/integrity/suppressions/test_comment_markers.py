"""Which comment silences which rule of which tool, and how far."""

import pytest

from untildone.integrity.suppressions.comment_markers import may_hold_markers, read_markers

COMMENTS = [
    ("# ruff: disable[E501]", "file ruff: disable", "E501"),
    ("# ruff: ignore[F401]", "line ruff: ignore", "F401"),
    ("# ty: ignore[invalid-return]", "line ty: ignore", "invalid-return"),
    ("# pyre-fixme[7]", "line pyre-ignore", "7"),
    ("# pytype: disable=wrong-arg-types", "line pytype: disable", "wrong-arg-types"),
    ("# pragma: no mutate", "line pragma: no mutate", "pragma: no mutate"),
    ("# pragma: allowlist secret", "line allowlist secret", "allowlist secret"),
    ("# pylint: skip-file", "file pylint: skip-file", "pylint: skip-file"),
    ("// $FlowFixMe", "line FlowFixMe", "FlowFixMe"),
    ("// deno-lint-ignore no-explicit-any", "line deno-lint-ignore", "no-explicit-any"),
    ("/* stylelint-disable-line color-named */", "line stylelint-disable", "color-named"),
    ("// LCOV_EXCL_LINE", "line coverage ignore", "coverage ignore"),
    ("// Stryker disable all", "line Stryker disable", "Stryker disable"),
    ("// revive:disable-line:exported", "line revive:disable", "exported"),
    ("// cppcheck-suppress nullPointer", "line cppcheck-suppress", "nullPointer"),
    ("// clang-format off", "line clang-format off", "clang-format off"),
    ("//noinspection unused", "line noinspection", "unused"),
    ("// ktlint-disable no-wildcard-imports", "line ktlint-disable", "no-wildcard-imports"),
    ("// swiftlint:disable:next force_cast", "line swiftlint:disable", "force_cast"),
    ("// @phpstan-ignore argument.type", "line phpstan-ignore", "argument.type"),
    ("// phpcs:ignore", "line phpcs:ignore", "phpcs:ignore"),
    ("# credo:disable-for-next-line", "line credo:disable", "credo:disable"),
    ("# hadolint ignore=DL3008", "line hadolint ignore", "DL3008"),
    ("# yamllint disable-line", "line yamllint disable", "yamllint disable"),
    ("// ast-grep-ignore: no-eval", "line ast-grep-ignore", "no-eval"),
    ("# nosemgrep: python.lang.eval", "line nosemgrep", "python.lang.eval"),
    ("# checkov:skip=CKV_AWS_1", "line checkov:skip", "CKV_AWS_1"),
    ("# typed: false", "line typed: false", "typed: false"),
]


@pytest.mark.parametrize(("comment", "reach", "rule"), COMMENTS)
def test_a_comment_silences_a_rule(comment: str, reach: str, rule: str) -> None:
    assert list(read_markers(comment)) == [(reach, rule)]


@pytest.mark.parametrize("comment", [comment for comment, _, _ in COMMENTS if "#" in comment])
def test_code_with_a_marker_may_hold_markers(comment: str) -> None:
    assert may_hold_markers(f"x = '#'\ny = 1  {comment}\rz = 2\n")


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("#\x0cnoqa", id="a form feed is no end of a comment"),
        pytest.param("# mypy: ignore-errors\r= false", id="but this is"),
        pytest.param("#: # mypy: strict", id="a demand"),
        pytest.param("x = '# noqa'", id="a text may look like one"),
    ],
)
def test_a_line_may_hold_a_marker(line: str) -> None:
    assert may_hold_markers(f"a = 1\n{line}\n")


def test_other_comments_are_no_markers() -> None:
    assert not may_hold_markers("# the sum\nx = 1  # one\ny = 'noqa'\n")

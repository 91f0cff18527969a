"""A loop as a comment on a pull request: outcome first, then checks, proof and concerns.

Foreign text is inert there: it mentions nobody, links nowhere and breaks no table.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from untildone.core.late_patterns import compile_late
from untildone.report.page.values import CheckRow, LoopView, Tone

# By it the action finds the comment that it updates.
MARKER = "<!-- untildone report -->"
_MARKS: dict[Tone, str] = {"good": "✅", "bad": "❌", "warn": "⚠️", "calm": "🔵"}
_MAX_CHECKS = 20
_MAX_LINES = 10
# What GitHub's Markdown gives a meaning: signs anywhere, addresses, and what begins a list.
_SPECIAL = compile_late(r"[\\`*_\[\]<>&|~@#$]|:(?=//)|(?<=www)\.|(?<=GH)-|^[-+=]", re.IGNORECASE)
_NUMBER = compile_late(r"^(\d+)([.)])(?=\s|$)")
# GitHub looks for mentions and issues in the rendered text, where an entity is a character again: a
# zero-width space behind the sign ends them. In code it looks for neither.
_SIGNS = compile_late("(&#64;|&#35;|GH&#45;)", re.IGNORECASE)
_SPACE = "&#8203;"
_CODE = compile_late(r"(`[^`]+`)")


def render_markdown(view: LoopView) -> str:
    """Return the comment; a short one, whatever the loop holds."""
    head = view.headline
    parts = [
        MARKER,
        f"### {_MARKS[head.tone]} {escape_text(head.text)}",
        f"**{escape_text(view.title)}**"
        + (f": {_format_ours(head.reason)}" if head.reason else ""),
        _format_figures(view),
        *_format_checks(view.checks, view.more_checks),
        *_format_list("What shows it", (f"{fact.name}: {fact.text}" for fact in view.shown_by)),
        *_format_list("What stayed unknown", view.unknown),
        *_format_concerns(view),
        *_format_list("What you can do now", head.next_steps),
        _format_steps(view),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def escape_text(text: str) -> str:
    """Return foreign text as one line in which no character has a meaning."""
    return _SIGNS.sub(rf"\1{_SPACE}", _escape_signs(text))


def _escape_signs(text: str) -> str:
    escaped = _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", " ".join(text.split()))
    return _NUMBER.sub(lambda found: f"{found[1]}&#{ord(found[2])};", escaped)


def _format_ours(text: str) -> str:
    """Return a text of ours, in which code between backticks stays code."""
    pieces = _CODE.split(" ".join(text.split()))
    return "".join(
        quote_code(piece[1:-1]) if number % 2 else escape_text(piece)
        for number, piece in enumerate(pieces)
    )


def quote_code(text: str) -> str:
    """Return text as code: nothing in it is taken for a mention, a link or a cell's end."""
    plain = _escape_signs(text)
    return f"<code>{plain}</code>" if plain else ""


def _format_figures(view: LoopView) -> str:
    figures = [
        (escape_text(figure.name), escape_text(figure.value), escape_text(figure.note))
        for figure in view.figures
    ]
    return " · ".join(f"{name} **{value}** {note}".strip() for name, value, note in figures)


def _format_checks(rows: Sequence[CheckRow], more: int) -> Iterator[str]:
    if not rows:
        return
    lines = ["| check | at the start | now |", "| --- | --- | --- |"]
    for row in rows[:_MAX_CHECKS]:
        before = _format_result(row.before, row.before_tone)
        lines.append(
            f"| {escape_text(row.name)} {quote_code(row.command)} | {before}"
            f" | {_format_result(row.now, row.tone)} |"
        )
    yield "\n".join(lines)
    left_out = len(rows) - _MAX_CHECKS + more
    if left_out > 0:
        yield f"{left_out} more checks are not listed here."


def _format_result(text: str, tone: Tone) -> str:
    return f"{_MARKS[tone]} {escape_text(text)}" if text else "not run"


def _format_list(title: str, lines: Iterable[str]) -> Iterator[str]:
    every = tuple(lines)
    if not every:
        return
    shown = [f"- {_format_ours(line)}" for line in every[:_MAX_LINES]]
    left_out = len(every) - _MAX_LINES
    rest = [f"- {left_out} more"] if left_out > 0 else []
    yield "\n".join((f"**{title}**", "", *shown, *rest))


def _format_concerns(view: LoopView) -> Iterator[str]:
    lines = [
        f"{_MARKS['good' if concern.approval else 'warn']} {quote_code(concern.name)}"
        f" {escape_text(concern.approval or concern.because)}"
        for concern in view.concerns
    ]
    if not lines:
        return
    shown = [f"- {line}" for line in lines[:_MAX_LINES]]
    left_out = len(lines) - _MAX_LINES + view.more_concerns
    rest = [f"- {left_out} more"] if left_out > 0 else []
    yield "\n".join(("**Concerns and approvals**", "", *shown, *rest))


def _format_steps(view: LoopView) -> str:
    """Return the commands that show the same, folded."""
    steps = [f"- {quote_code(step.command)} {escape_text(step.purpose)}" for step in view.reproduce]
    shown = "\n".join(steps[: 2 * _MAX_LINES])
    summary = f"How to see it yourself (loop {escape_text(view.loop)})"
    return f"<details><summary>{summary}</summary>\n\n{shown}\n\n</details>"

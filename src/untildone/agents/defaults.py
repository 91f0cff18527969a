"""Functions of `Agent` for a client that records no such thing.

An agent's module imports those that fit it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from untildone.agents.events import Usage
from untildone.agents.layout import UntrustedHook


def is_headless(_arguments: Sequence[str]) -> bool:
    return False


def find_untrusted_hooks(
    _files: tuple[str, ...], _settings: Mapping[str, Any], _trust: str, _project: str
) -> tuple[UntrustedHook, ...]:
    return ()


def format_command(description: str, prompt: str) -> str:
    """Return Markdown with front matter."""
    return f"---\ndescription: {description}\n---\n{prompt}"


def parse_usage(_line: bytes) -> Usage | None:
    return None


def find_subagents_folder(_transcript: str) -> str:
    return ""


def find_failure(_transcript_tail: str) -> str:
    return ""


def find_message(_transcript_tail: str) -> str:
    return ""


def list_todo_paths(_session: str, _environ: Mapping[str, str]) -> tuple[str, ...]:
    return ()


def parse_todo_items(_value: object) -> tuple[tuple[str, str], ...] | None:
    return None


def list_queued_input(_transcript_tail: str) -> tuple[str, ...]:
    return ()


def was_interrupted(_transcript_tail: str) -> bool:
    return False


def was_stop_interrupted(_transcript_tail: str) -> bool:
    return False

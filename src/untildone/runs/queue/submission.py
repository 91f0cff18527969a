"""What may enter the queue: texts a database can store, addresses without passwords."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from msgspec.structs import asdict, replace

from untildone.checks.secret_redaction import remove_secrets
from untildone.core.contract import Bounds
from untildone.core.text import to_one_line
from untildone.engine.start_options import apply_bounds
from untildone.errors import UserError
from untildone.runs.queue.deadline_times import parse_deadline
from untildone.runs.queue.values import NewTask, encode
from untildone.worktree.listing import find_worktree_root

_LONGEST_TASK = 200_000
_MOST_RETRIES = 100
# The rules of `git check-ref-format`, a little stricter.
_BRANCH = re.compile(r"[^\s\x00-\x20\x7f~^:?*\[\\./@-][^\s\x00-\x20\x7f~^:?*\[\\]{0,199}")
_NOT_IN_BRANCH = ("..", "//", "/.", "@{", ".lock")


def resolve_repository(given: str, folder: Path) -> str:
    """Return the address of a repository; a path becomes absolute, without one it is ours."""
    if "://" in given or _is_ssh_address(given):
        if _has_login(given) or _has_secret(given):
            raise UserError(
                "the address of the repository has a login or a secret in it",
                hint="leave it out: workers use their own credential helper or ssh key",
            )
        return given
    root = find_worktree_root(folder / given) if (folder / given).is_dir() else None
    bare = (folder / given / "HEAD").is_file()
    if root is None and not bare:
        raise UserError(
            f"`{folder / given}` is no git repository", hint="name one: `--repo URL|PATH`"
        )
    return str((root or folder / given).resolve())


def _has_login(address: str) -> bool:
    """Say whether it has a password, or a name, which is a token where there is no password."""
    parts = urlsplit(address) if "://" in address else None
    is_web = parts is not None and parts.scheme.lower() in ("http", "https")
    return parts is not None and bool(parts.password or (is_web and parts.username))


def _is_ssh_address(text: str) -> bool:
    """Say whether it is like `git@host:path`; a path with a colon begins with `./` or `/`."""
    host, colon, _ = text.partition(":")
    return bool(colon) and "/" not in host and not (os.name == "nt" and len(host) == 1)


def make_storable(
    task: NewTask, *, environ: Mapping[str, str] = os.environ
) -> tuple[NewTask, bool]:
    """Return the task as the database may hold it, and whether a secret was taken out of it."""
    text = make_text(task.options.task)
    if len(text) > _LONGEST_TASK:
        raise UserError(
            f"the task has {len(text)} characters, more than {_LONGEST_TASK}",
            hint="put the text into a file of the repository and name that",
        )
    if "\t" in "".join((task.repository, *task.labels)):
        raise UserError(
            "the repository or a label has a tab in it", hint="give it another name, without one"
        )
    apply_bounds(Bounds(), asdict(task.options))
    if task.deadline:
        parse_deadline(task.deadline, 0)
    if not 0 <= task.retries <= _MOST_RETRIES:
        raise UserError(
            f"`retries` is {task.retries}", hint=f"give a number from 0 to {_MOST_RETRIES}"
        )
    require_branch_name(task.into)
    refuse_secrets(_list_texts(task))
    source = make_text(task.source)
    shown = tuple(remove_secrets(one, environ=environ) for one in (text, source))
    options = replace(task.options, task=shown[0])
    return replace(task, options=options, source=shown[1]), shown != (text, source)


def require_branch_name(name: str) -> None:
    """Raise UserError if git would not take it; an empty one is none."""
    has_wrong_part = name.endswith(("/", ".")) or any(part in name for part in _NOT_IN_BRANCH)
    if name and (has_wrong_part or not _BRANCH.fullmatch(name)):
        raise UserError(
            f"`{to_one_line(name)}` is no name of a branch", hint="name one: `--into main`"
        )


def make_text(text: str) -> str:
    """Return the text without what Postgres or UTF-8 cannot hold."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _list_texts(task: NewTask) -> Iterator[tuple[str, str]]:
    """Yield what must stay as it is: without a secret a command would be another one."""
    names = ("repository", "base", "agent", "labels", "into")
    plan = encode(task.plan) if task.plan else ""
    own = {name: getattr(task, name) for name in names}
    values = {**asdict(task.options), **own, "plan": plan}
    for name, value in values.items():
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str) and name != "task":
                yield name, text


def refuse_secrets(texts: Iterable[tuple[str, str]]) -> None:
    """Refuse texts, with their names, that have a secret in them."""
    for name, text in texts:
        if _has_secret(text):
            raise UserError(
                f"`{name}` has what looks like a secret in it, and the queue is no place"
                " for secrets",
                hint="let the command read it from the worker's environment",
            )


# The tasks of a backlog have nearly the same options.
@lru_cache(maxsize=1_000)
def _has_secret(text: str) -> bool:
    return _remove_secrets(text) != text


def _remove_secrets(text: str) -> str:
    return remove_secrets(text, environ=os.environ)

"""Compares what the checks depend on outside of the project: programs, settings, packages, git.

Facts about them were saved with the baseline and are collected again. If `program pytest` was
`/usr/bin/pytest 5f2d…` and has another hash now, the program was replaced. The kinds of facts are:

    program   the file of a program that a check starts, and its hash
    git       a setting or a hook of git
    setting   a file in the user's home that configures a tool
    library   the standard library of Python, if the user may write to it
    loaded    a file that Python runs at every start, such as `sitecustomize.py`
    altered   an installed file that differs from what its installer recorded
    loose     an installed module that no installer recorded
    plugin    an `entry_points.txt`, which names plugins, that no installer recorded
"""

from collections.abc import Iterable, Iterator

from untildone.commands.shell import parse_calls
from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.integrity.environment.facts import SEARCH_PATH, collect_facts, hash_text

# The words of `git config core.hooksPath .githooks`.
_WORDS_OF_GIT_CONFIG = 4


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each fact that differs, unless honest work may change it."""
    baseline, commands = comparison.baseline.surroundings, comparison.commands
    if not baseline:
        # No facts were collected when the baseline was saved.
        return
    # The search path of a hook may differ from that of the terminal where the loop began.
    search_path = baseline.get(SEARCH_PATH, comparison.environ.get(SEARCH_PATH, ""))
    environ = {**comparison.environ, SEARCH_PATH: search_path}
    current = collect_facts(comparison.new.root, commands, environ)
    # A side that lacks a setting which a check makes gets the value that the check would set.
    set_by_checks = dict(_find_settings_by_checks(commands))
    old_facts, new_facts = {**set_by_checks, **baseline}, {**set_by_checks, **current}
    for fact in dict.fromkeys((*old_facts, *new_facts)):
        old, new = old_facts.get(fact, ""), new_facts.get(fact, "")
        kind, _, name = fact.partition(" ")
        # `scripts/comparison.py` reports a check that no longer starts the program.
        is_dropped = kind == "program" and fact not in new_facts
        if old == new or fact == SEARCH_PATH or is_dropped:
            continue
        if reason := _explain(kind, name, old, new):
            is_package = kind in ("altered", "loose", "plugin")
            concern_kind = ConcernKind.DEPENDENCY if is_package else ConcernKind.ENVIRONMENT
            # With `content`, the user's approval ends when the fact changes again.
            yield make_concern(concern_kind, name, reason=reason, content=hash_text(new))


def _find_settings_by_checks(commands: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the facts that checks themselves set, as `git core.hookspath`: `.githooks`.

    Whether such a check ran before the baseline was saved must make no difference.
    """
    for call in (call for command in commands for call in parse_calls(command)):
        words = [word for word in call if word not in ("--local", "--global")]
        if len(words) == _WORDS_OF_GIT_CONFIG and " ".join(words[:2]) == "git config":
            yield f"git {words[2].lower()}", words[3]


def _explain(kind: str, name: str, old: str, new: str) -> str:
    """Return the reason for a concern about a fact that is `old` in the baseline and `new` now.

    It is empty for what honest work may change, as new programs and removed packages.
    """
    match kind:
        case "program":
            return _explain_program(name, old, new) if old else ""
        case "git":
            values = f"`{old or 'not set'}` in the baseline and is now `{new or 'not set'}`"
            return f"git's `{name}` was {values}"
        case "setting":
            return f"`{name}` configures the tools and differs from the baseline"
        case _ if not new or (kind == "loose" and not old):
            # The file is gone, or a module that nothing could import before was added. Added
            # plugins and startup files are loaded without being asked for.
            return ""
        case "library":
            return f"the standard library in `{name}` differs from the baseline" if old else ""
        case "plugin":
            return f"`{name}` names plugins, and no installer has put it there"
        case "loaded":
            return f"`{name}` runs at every start of Python and differs from the baseline"
        case _:  # altered, or loose with another content
            return f"`{name}` is not what was installed"


def _explain_program(name: str, old: str, new: str) -> str:
    """Return the reason for a concern about a program, whose fact is `/usr/bin/pytest 5f2d…`."""
    old_file, new_file = (fact.partition(" ")[0] for fact in (old, new))
    if old_file == new_file:
        return f"the program `{old_file}` differs from the baseline"
    return f"`{name}` was `{old_file}` in the baseline and is now `{new_file or 'missing'}`"

"""Compares what the checks depend on outside of the project: programs, settings, packages, git.

If `/usr/bin/pytest` was replaced since the baseline, the concern says so.
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
    set_by_checks = dict(_find_settings_by_checks(commands))
    old_facts, new_facts = {**set_by_checks, **baseline}, {**set_by_checks, **current}
    for fact in dict.fromkeys((*old_facts, *new_facts)):
        old, new = old_facts.get(fact, ""), new_facts.get(fact, "")
        kind, _, name = fact.partition(" ")
        # The comparison of scripts reports a program that no check starts any more.
        is_dropped = kind == "program" and fact not in new_facts
        if old == new or fact == SEARCH_PATH or is_dropped:
            continue
        if reason := _explain(kind, name, old, new):
            is_package = kind in ("altered", "loose", "plugin")
            concern_kind = ConcernKind.DEPENDENCY if is_package else ConcernKind.ENVIRONMENT
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
    """Return the reason for a concern about a fact of this kind that differs.

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
            return ""
        case "plugin":
            return f"`{name}` names plugins, and no installer has put it there"
        case "loaded":
            return f"`{name}` runs at every start of Python and differs from the baseline"
        case _:
            return f"`{name}` is not what was installed"


def _explain_program(name: str, old: str, new: str) -> str:
    """Return the reason for a concern about a program, whose fact is `/usr/bin/pytest 5f2d…`."""
    old_file, new_file = (fact.partition(" ")[0] for fact in (old, new))
    if old_file == new_file:
        return f"the program `{old_file}` differs from the baseline"
    return f"`{name}` was `{old_file}` in the baseline and is now `{new_file or 'missing'}`"

"""What surrounds the checks, compared with the baseline: programs, settings, packages, git."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from untildone.commands.shell import parse_calls
from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.integrity.environment.facts import SEARCH_PATH, collect_facts, hash_text

# git config core.hooksPath .githooks
_WORDS_OF_GIT_CONFIG = 4


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    return compare_environment(
        comparison.new.root,
        comparison.commands,
        comparison.environ,
        comparison.baseline.surroundings,
    )


def compare_environment(
    project: Path,
    commands: Iterable[str],
    environ: Mapping[str, str],
    baseline: Mapping[str, str],
) -> Iterator[Concern]:
    """Yield the differences between the facts of the baseline and those of now."""
    if not baseline:
        # Without facts of the baseline there is nothing to compare.
        return
    commands = tuple(commands)
    # The search path of a hook may differ from that of the terminal where the loop began.
    search_path = baseline.get(SEARCH_PATH, environ.get(SEARCH_PATH, ""))
    current = collect_facts(project, commands, {**environ, SEARCH_PATH: search_path})
    own = dict(_find_settings_by_checks(commands))
    yield from compare_facts({**own, **baseline}, {**own, **current})


def _find_settings_by_checks(commands: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the facts that checks themselves set by `git config NAME VALUE`.

    Whether the check ran before the baseline was saved must make no difference.
    """
    for call in (call for command in commands for call in parse_calls(command)):
        words = [word for word in call if word not in ("--local", "--global")]
        if len(words) == _WORDS_OF_GIT_CONFIG and " ".join(words[:2]) == "git config":
            yield f"git {words[2].lower()}", words[3]


def compare_facts(baseline: Mapping[str, str], current: Mapping[str, str]) -> Iterator[Concern]:
    """Yield a concern for each fact that differs, unless honest work may change it."""
    for fact in dict.fromkeys((*baseline, *current)):
        old, new = baseline.get(fact, ""), current.get(fact, "")
        kind, _, name = fact.partition(" ")
        # The comparison of scripts reports a program that no check starts any more.
        is_dropped = kind == "program" and fact not in current
        if old == new or fact == SEARCH_PATH or is_dropped:
            continue
        if reason := _explain(kind, name, old, new):
            is_package = kind in ("altered", "loose", "plugin")
            concern = ConcernKind.DEPENDENCY if is_package else ConcernKind.ENVIRONMENT
            yield make_concern(concern, name, reason=reason, content=hash_text(new))


def _explain(kind: str, name: str, old: str, new: str) -> str:
    """Return the reason for a concern; empty for what honest work may change."""
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
    """Return the reason for a concern about a program; facts are its place and its hash."""
    old_place, new_place = (text.partition(" ")[0] for text in (old, new))
    if old_place == new_place:
        return f"the program `{old_place}` differs from the baseline"
    return f"`{name}` was `{old_place}` in the baseline and is now `{new_place or 'missing'}`"

"""Settings of cargo: targets, and lints of the compiler."""

import re
from typing import TYPE_CHECKING

from untildone.integrity.scripts.argument_changes import find_narrowing_word
from untildone.integrity.settings.lists import Before
from untildone.integrity.settings.parsing import Settings
from untildone.integrity.settings.values import changed_at_all, milder, severities, turned_false

if TYPE_CHECKING:
    from untildone.integrity.settings.loosening import Place

# Where cargo looks for a target that is not told its path.
_SOURCES = {
    "bench": ("benches/{}.rs", "benches/{}/main.rs"),
    "bin": ("src/bin/{}.rs", "src/bin/{}/main.rs", "src/main.rs"),
    "example": ("examples/{}.rs", "examples/{}/main.rs"),
    "test": ("tests/{}.rs", "tests/{}/main.rs"),
}
_LINT = re.compile(r"(workspace\.)?lints\.(?P<name>(rust|clippy|rustdoc)\.[\w-]+)(\.level)?")
_GROUP = re.compile(
    r"clippy\.(all|pedantic|nursery|restriction|cargo|complexity|style|perf|suspicious)"
    r"|rust\.(unused|nonstandard_style|future_incompatible|rust_\d+_\w+|warnings)|rustdoc\.all"
)
# On and fatal without anybody asking: to name them a warning is to let them pass.
_FATAL = re.compile(
    r"clippy\.(all|correctness)|rust\.(\w*overflow\w*|unconditional_\w+|invalid_\w+|undropped_\w+"
    r"|let_underscore_lock|mutable_transmutes|enum_intrinsics\w*|ineffective_\w+|static_mut_refs"
    r"|bindings_with_variant_name|useless_deprecated|never_type_fallback\w*|warnings)"
)
# What a check may be told to run.
_SUBCOMMANDS = frozenset(
    (
        *("test", "check", "build", "run", "bench", "doc", "rustc", "rustdoc"),
        *("clippy", "fmt", "nextest", "llvm-cov", "tarpaulin", "audit", "deny", "hack", "miri"),
        *("make", "machete", "udeps", "semver-checks", "mutants", "careful", "insta"),
    )
)
# What cargo itself understands by a letter.
_LETTERS = {"b": "build", "c": "check", "d": "doc", "r": "run", "t": "test"}
_ERROR = 3


def turned_false_of_old(key: str, old: Before, new: Before, place: "Place") -> bool:
    """Of a target that was not there at the start nothing can be taken away."""
    above, name, _ = key.rsplit(".", 2)
    kind = above.rpartition(".")[2]
    said = [str(each) for each in place.beside.get(f"{above}.{name}.path", ())]
    folder = f"{place.files.folder}/" if place.files.folder else ""
    places = said or [each.format(name) for each in _SOURCES[kind]]
    there = any(f"{folder}{path}" in place.files.start for path in places)
    return there and turned_false(key, old, new, place)


def milder_lint(key: str, old: Before, new: Before, place: "Place") -> bool:
    """A lint warns or sleeps until it is named; a group that is named now may have woken it."""
    if old is not None or severities(new) != [0]:
        return old is not None and milder(key, old, new, place)
    return not _woken(place)


def decided_by_a_run(key: str, old: Settings, new: Settings) -> bool:
    """Whether only a run without it can tell if the level of a lint lets something pass."""
    lint = _LINT.fullmatch(key)
    if not lint or key in old:
        return False
    level = max(severities(new.get(key)), default=_ERROR)
    return level == 0 or (level < _ERROR and _FATAL.fullmatch(lint["name"]) is not None)


def _woken(place: "Place") -> bool:
    named = ((key, _LINT.fullmatch(key)) for key in place.beside if key not in place.start)
    groups = (key for key, lint in named if lint and _GROUP.fullmatch(lint["name"]))
    return any(severities(place.beside[key]) not in ([], [0]) for key in groups)


def shadowing_alias(key: str, old: Before, new: Before, place: "Place") -> bool:
    """A name of one's own is no check's command; a letter may ask for more than it did."""
    name = key.rpartition(".")[2]
    if old is None and name in _LETTERS:
        words = " ".join(map(str, new or ())).split()
        return words[:1] != [_LETTERS[name]] or bool(find_narrowing_word("cargo", words[:1], words))
    return changed_at_all(key, old, new, place) and (old is not None or name in _SUBCOMMANDS)

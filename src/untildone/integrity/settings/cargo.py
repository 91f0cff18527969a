"""Settings of Cargo: targets, aliases, and lints of the compiler.

`[[test]] name = "api"` with `test = false`, `alias.test = "check"` and `unused = "allow"` each make
`cargo test` or `cargo clippy` check less.
"""

from untildone.core.late_patterns import compile_late
from untildone.integrity.scripts.argument_changes import find_loosening_argument
from untildone.integrity.settings.parsing import Settings
from untildone.integrity.settings.setting_change import SettingChange, SettingsFile
from untildone.integrity.settings.values import (
    find_severities,
    is_changed,
    is_milder,
    is_set_to_false,
)
from untildone.words import words

# Where Cargo looks for a target without a path.
_SOURCES = {
    "bench": ("benches/{}.rs", "benches/{}/main.rs"),
    "bin": ("src/bin/{}.rs", "src/bin/{}/main.rs", "src/main.rs"),
    "example": ("examples/{}.rs", "examples/{}/main.rs"),
    "test": ("tests/{}.rs", "tests/{}/main.rs"),
}
# lints.clippy.unwrap_used.level
_LINT = compile_late(r"(workspace\.)?lints\.(?P<name>(rust|clippy|rustdoc)\.[\w-]+)(\.level)?")
_LINT_GROUP = compile_late(
    r"clippy\.(all|pedantic|nursery|restriction|cargo|complexity|style|perf|suspicious)"
    r"|rust\.(unused|nonstandard_style|future_incompatible|rust_\d+_\w+|warnings)|rustdoc\.all"
)
# Errors by default, and groups that hold such lints: to set them to a warning loosens them.
_ERROR_BY_DEFAULT = compile_late(
    r"clippy\.(all|correctness)|rust\.(\w*overflow\w*|unconditional_\w+|invalid_\w+|undropped_\w+"
    r"|let_underscore_lock|mutable_transmutes|enum_intrinsics\w*|ineffective_\w+|static_mut_refs"
    r"|bindings_with_variant_name|useless_deprecated|never_type_fallback\w*|warnings)"
)
# What a check may run: an alias of that name takes its place.
_SUBCOMMANDS = words("""
    test check build run bench doc rustc rustdoc clippy fmt nextest llvm-cov tarpaulin audit deny
    hack miri make machete udeps semver-checks mutants careful insta
""")
_BUILT_IN_ALIASES = {"b": "build", "c": "check", "d": "doc", "r": "run", "t": "test"}
_ERROR = 3


def disables_baseline_target(change: SettingChange) -> bool:
    """Say whether `test.api.test = false` is set for a target that the baseline has."""
    # The last part is a switch of the target: `test`, `doctest` or `harness`.
    kind, name, _ = change.key.rsplit(".", 2)
    file = change.file
    declared = [str(path) for path in file.new_settings.get(f"{kind}.{name}.path", ())]
    sources = declared or [pattern.format(name) for pattern in _SOURCES[kind.rpartition(".")[2]]]
    folder = f"{file.folder}/" if file.folder else ""
    exists = any(f"{folder}{path}" in file.old_paths for path in sources)
    return exists and is_set_to_false(change)


def is_milder_lint(change: SettingChange) -> bool:
    """Say whether a lint is milder; to allow one that only a new group enables is harmless.

    `pedantic = "warn"` and `must_use_candidate = "allow"`, both new, still check more than before.
    """
    if change.old is not None:
        return is_milder(change)
    return find_severities(change.new) == [0] and not _enables_new_group(change.file)


def needs_run_to_decide(key: str, old: Settings, new: Settings) -> bool:
    """Say whether a lint, not set before, may hide a finding now; a run without it would tell."""
    lint = _LINT.fullmatch(key)
    if not lint or key in old:
        return False
    level = max(find_severities(new.get(key)), default=_ERROR)
    return level == 0 or (level < _ERROR and _ERROR_BY_DEFAULT.fullmatch(lint["name"]) is not None)


def _enables_new_group(file: SettingsFile) -> bool:
    """Say whether a group of lints is on that the old settings do not name."""
    added = (
        (values, _LINT.fullmatch(key))
        for key, values in file.new_settings.items()
        if key not in file.old_settings
    )
    return any(
        lint and _LINT_GROUP.fullmatch(lint["name"]) and find_severities(values) not in ([], [0])
        for values, lint in added
    )


def shadows_subcommand(change: SettingChange) -> bool:
    """Say whether an alias of the baseline changed, or a new one replaces a subcommand of a check.

    To write `t = "test --locked"` is harmless: it does the same as the built-in alias.
    """
    name = change.key.rpartition(".")[2]
    if change.old is None and name in _BUILT_IN_ALIASES:
        call = " ".join(map(str, change.new or ())).split()
        is_same = call[:1] == [_BUILT_IN_ALIASES[name]]
        return not is_same or bool(find_loosening_argument("cargo", call[:1], call))
    return is_changed(change) and (change.old is not None or name in _SUBCOMMANDS)

"""The one place that starts git, so that no program a repository names is run.

A clone or an unpacked archive can name programs in its configuration: hooks, filters, diff and
merge drivers, a file system monitor, a way to fetch what is missing. All of them are switched off
here, for every caller. Attributes that only concern text (`text`, `eol`) keep their meaning.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from untildone.process.command import filter_environment, find_program
from untildone.process.output import OutputCallback
from untildone.process.runner import Finished, run

SECONDS = 60.0
# Ignores bare repositories embedded in a clone; git has this setting since 2.38.
_NO_BARE = ("-c", "safe.bareRepository=explicit")
_SETTINGS = (
    *("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.alternateRefsCommand=false"),
    *("core.pager=cat", "core.editor=:", "sequence.editor=:", "core.askPass=", "diff.external="),
    *("core.sshCommand=false", "credential.helper=", "submodule.recurse=false"),
    *("commit.gpgSign=false", "tag.gpgSign=false", "log.showSignature=false", "gpg.program=false"),
    *("gpg.x509.program=false", "gpg.ssh.program=false", "gpg.ssh.defaultKeyCommand=false"),
    *("gc.auto=0", "maintenance.auto=false", "status.submoduleSummary=false"),
    *("core.quotePath=false", "advice.detachedHead=false"),
    # Stops git from making up an author from the name of the machine.
    "user.useConfigOnly=true",
)
_VARIABLES = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ASKPASS": "",
    "GIT_EDITOR": ":",
    # Nothing is ever fetched; older versions of git ignore the first of these.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PROTOCOL_FROM_USER": "0",
}
# For a changed submodule git starts another git, which would run the submodule's filters.
_SAME_LEVEL = "--ignore-submodules=dirty"
_OPTIONS = {"diff": ("--no-ext-diff", "--no-textconv", _SAME_LEVEL), "status": (_SAME_LEVEL,)}
# An empty merge driver would fail or take one side; this one merges as git itself does.
_MERGE = "git merge-file -q --marker-size=%L -L ours -L base -L theirs %A %O %B || exit 1"
# For each section of the configuration: the settings that disable a driver.
_DRIVERS = {
    "filter": ("clean=", "smudge=", "process=", "required=false"),
    "diff": ("command=", "textconv="),
    "merge": (f"driver={_MERGE}",),
    "hook": ("enabled=false",),
}
# These never read a file of the working tree, so they run no driver; `ls-files` only without the
# options that compare files with the index.
_READING = frozenset(
    (
        *("check-ignore", "config", "for-each-ref", "ls-files", "ls-tree", "merge-base"),
        *("rev-parse", "version"),
    )
)
_COMPARING = frozenset(("-m", "--modified", "--eol"))
# No settings of the user or the system: `git init` reads no others, so it runs no program.
_NO_SETTINGS = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
_NOTHING: Mapping[str, str] = {}
# How another repository is reached; `ext` would run a program that its address names.
_PROTOCOLS = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh", "GIT_TERMINAL_PROMPT": "0"}
# The user's own, needed to reach it.
_OF_USER = frozenset(("core.sshCommand", "credential.helper"))
_SSH_VARIABLES = ("GIT_SSH_COMMAND", "GIT_SSH", "GIT_SSL_CAINFO")


def run_git(
    arguments: Sequence[str],
    *,
    cwd: Path,
    timeout: float = SECONDS,
    environ: Mapping[str, str] | None = None,
    variables: Mapping[str, str] = _NOTHING,
    stdin: bytes = b"",
    errors: Path | None = None,
    on_output: OutputCallback | None = None,
) -> Finished:
    """Run git with `environ` without its `GIT_*` variables, plus `variables`.

    The command is not run if git is missing or a driver cannot be disabled.
    """
    env = {**_make_environment(environ), **variables}
    reads_only = arguments[0] in _READING and not _COMPARING.intersection(arguments)
    argv = _make_argv(arguments, () if reads_only else _disable_drivers(cwd=cwd, env=env), env)
    if isinstance(argv, str):
        return Finished(exit_code=None, missing=argv)
    return run(
        argv, cwd=cwd, timeout=timeout, env=env, stdin=stdin, errors=errors, on_output=on_output
    )


def commit_folder(
    folder: Path,
    *,
    message: str,
    timeout: float,
    environ: Mapping[str, str],
    variables: Mapping[str, str],
) -> None:
    """Make a folder that only we write to a repository, and commit all its files.

    Without settings of the user or the system it has no drivers. Files are not compressed: the
    repository is soon removed.
    """
    places = {"GIT_DIR": str(folder / ".git"), "GIT_WORK_TREE": str(folder)}
    env = {**_make_environment(environ), **variables, **places, **_NO_SETTINGS}
    for arguments in (
        ("init", "-q", "--template="),
        ("add", "-A"),
        ("commit", "-q", "-m", message),
    ):
        if isinstance(argv := _make_argv(arguments, ("core.looseCompression=0",), env), str):
            return
        run(argv, cwd=folder, timeout=timeout, env=env)


def _make_argv(
    arguments: Sequence[str], driver_settings: tuple[str, ...] | None, env: Mapping[str, str]
) -> list[str] | str:
    """Return the command line, or why there is none."""
    verb, *rest = arguments
    program = find_git(env)
    if program is None or driver_settings is None:
        return "`git` was not found" if program is None else "the drivers of git cannot be read"
    settings = [word for setting in (*_SETTINGS, *driver_settings) for word in ("-c", setting)]
    return [program, "--no-pager", *_NO_BARE, *settings, verb, *_OPTIONS.get(verb, ()), *rest]


def run_git_transfer(
    arguments: Sequence[str],
    *,
    repository: Path,
    objects: Path,
    timeout: float,
    errors: Path | None = None,
    on_output: OutputCallback | None = None,
) -> Finished:
    """Fetch, push or list, with the ssh key and the credentials that the user configured.

    `repository` is a new and empty one, so that no setting of a project is read; the content is in
    `objects`, the folder of the project's own repository.
    """
    user = {name: os.environ[name] for name in _SSH_VARIABLES if name in os.environ}
    places = {"GIT_DIR": str(repository), "GIT_OBJECT_DIRECTORY": str(objects)}
    env = {**_make_environment(None), **_PROTOCOLS, **user, **places}
    program = find_git(env)
    if program is None:
        return Finished(exit_code=None, missing="`git` was not found")
    kept = [setting for setting in _SETTINGS if setting.partition("=")[0] not in _OF_USER]
    settings = [word for setting in kept for word in ("-c", setting)]
    argv = [program, "--no-pager", *settings, *arguments]
    return run(argv, cwd=repository, timeout=timeout, env=env, errors=errors, on_output=on_output)


def read_git_config(
    pattern: str, *, cwd: Path, environ: Mapping[str, str] | None = None
) -> tuple[tuple[str, str], ...] | None:
    """Return the settings whose names match, or None if git cannot read its configuration."""
    return _read_config(pattern, cwd=cwd, env=_make_environment(environ))


def find_git(env: Mapping[str, str]) -> str | None:
    return find_program("git", env)


def _make_environment(environ: Mapping[str, str] | None) -> dict[str, str]:
    base = os.environ if environ is None else environ
    inherited = {name: value for name, value in base.items() if not name.upper().startswith("GIT_")}
    return filter_environment(inherited) | _VARIABLES


def _read_config(
    pattern: str, *, cwd: Path, env: Mapping[str, str]
) -> tuple[tuple[str, str], ...] | None:
    """Read the configuration without our own settings; reading runs no program."""
    git, parts = find_git(env), list[bytes]()
    if git is None:
        return None
    argv = (git, "--no-pager", *_NO_BARE, "config", "-z", "--get-regexp", pattern)
    quiet, keep = Path(os.devnull), parts.append
    finished = run(argv, cwd=cwd, timeout=SECONDS, env=env, errors=quiet, on_output=keep)
    if finished.exit_code not in (0, 1):
        return None
    entries = os.fsdecode(b"".join(parts)).split("\0")[:-1]
    return tuple((name, value) for name, _, value in (entry.partition("\n") for entry in entries))


def _disable_drivers(*, cwd: Path, env: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return settings that disable each driver of the repository and of the user.

    The user's own drivers too: git-lfs, for one, runs programs that the repository names.
    """
    settings = _read_config(rf"^({'|'.join(_DRIVERS)})\.", cwd=cwd, env=env)
    if settings is None:
        return None
    drivers = dict.fromkeys(name.rpartition(".")[0] for name, _ in settings)
    # `-c` splits at the first `=`, so a driver with `=` in its name cannot be disabled.
    if any("=" in driver for driver in drivers):
        return None
    sections = {driver: driver.partition(".")[0] for driver in drivers if "." in driver}
    return tuple(
        f"{driver}.{setting}"
        for driver, section in sections.items()
        for setting in _DRIVERS[section]
    )

"""Facts about what surrounds the checks: programs, the user's settings, Python, git.

Each fact is a text by a name of two words, its kind and what it is about, for example
`program pytest`: `/usr/bin/pytest 5f2d…`, or `git core.hookspath`: `.githooks`.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from untildone.commands.shell import program_name
from untildone.integrity.environment.check_programs import (
    Program,
    find_check_programs,
    find_run_commands,
)
from untildone.integrity.environment.python_sites import collect_site_facts, find_site_folders
from untildone.process.git import read_git_config, run_git

SEARCH_PATH = "PATH"
_MAX_HASHED_SIZE = 64_000_000
# Files in the user's home, by the programs that read them.
_USER_SETTINGS: Mapping[str, tuple[str, ...]] = {
    r"npm|npx|node|pnpm|yarn|bun": (
        *(".npmrc", ".yarnrc", ".yarnrc.yml", ".config/pnpm/rc", ".bunfig.toml"),
    ),
    r"cargo|rustc": (".cargo/config.toml", ".cargo/config"),
    r"go": (".config/go/env", "Library/Application Support/go/env", "AppData/Roaming/go/env"),
    r"mvnw?": (".m2/settings.xml", ".mavenrc", ".m2/extensions.xml"),
    r"gradlew?": (".gradle/init.gradle", ".gradle/init.gradle.kts", ".gradle/gradle.properties"),
    r"ruff": (".config/ruff/ruff.toml", ".config/ruff/pyproject.toml"),
    r"mypy|python[\d.]*": (".mypy.ini", ".config/mypy/config"),
    r"pylint": (".pylintrc", ".config/pylintrc"),
    r"flake8": (".config/flake8", ".flake8"),
    r"rspec|ruby|rake": (".rspec",),
    r"pytest|python[\d.]*": (".coveragerc",),
    r"bash|zsh": (".bash_env", ".zshenv"),
}
# Where packages come from, and credentials: nothing of that makes a check pass.
_HARMLESS = re.compile(
    r"\s*([#;].*|//.*|(@[\w-]+:)?registry\s*=.*|.*_auth\w*\s*=.*|cache\s*=.*|email\s*=.*|init-.*"
    r"|GO(PROXY|PRIVATE|NOSUMDB|NOPROXY|SUMDB|TELEMETRY|MODCACHE|CACHE|NOSUMCHECK|INSECURE)=.*|)"
)
_USES_GIT = re.compile(r"\b(git|pre-commit|lefthook|husky|lint-staged)\b")
_GIT_SETTINGS = re.compile(
    r"core\.(hookspath|excludesfile|attributesfile|fsmonitor|worktree|sparsecheckout)|filter\..*"
    r"|init\.templatedir|alias\..*|include(if)?\..*|diff\.external|merge\..*\.driver|core\.pager"
)
_DEPENDENCY_FOLDERS = frozenset(("node_modules", ".venv", "venv", "site-packages"))


def collect_facts(
    project: Path, commands: Iterable[str], environ: Mapping[str, str]
) -> dict[str, str]:
    """Return all facts by name, such as `program pytest` or `git core.hookspath`."""
    commands = tuple(commands)
    programs = tuple(find_check_programs(project, commands, environ))
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    return {
        SEARCH_PATH: environ.get(SEARCH_PATH, ""),
        **{f"program {each.name}": _describe_program(project, each.place) for each in programs},
        **dict(_find_user_settings(home, programs, environ)),
        **dict(_find_python_facts(project, programs, home)),
        **dict(_find_git_facts(project, commands)),
        **dict(_find_hidden_files(project, home)),
    }


def hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _describe_program(project: Path, place: str) -> str:
    """Return the place of a program, and its content where no installer replaces it."""
    is_installed = not _DEPENDENCY_FOLDERS.isdisjoint(Path(place).parts)
    if not place or is_installed or Path(place).is_relative_to(project):
        return place
    return f"{place} {_hash_file(Path(place))}"


def _hash_file(place: Path) -> str:
    """Return the hash of the content, or size and time of a large file; empty if unreadable."""
    try:
        if place.stat().st_size > _MAX_HASHED_SIZE:
            return f"{place.stat().st_size}-{place.stat().st_mtime_ns}"
        return hashlib.sha256(place.read_bytes()).hexdigest()
    except OSError:
        return ""


def _find_user_settings(
    home: Path, programs: Iterable[Program], environ: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    names = {program_name(each.name) for each in programs}
    cargo = Path(environ.get("CARGO_HOME") or home / ".cargo")
    for pattern, files in _USER_SETTINGS.items():
        if not any(re.fullmatch(pattern, name) for name in names):
            continue
        for file in files:
            inner = file.removeprefix(".cargo/")
            place = cargo / inner if inner != file else home / file
            yield f"setting {place}", _hash_relevant_lines(place)
    if (own := environ.get("GOENV")) and "go" in names:
        yield f"setting {own}", _hash_relevant_lines(Path(own))


def _hash_relevant_lines(place: Path) -> str:
    """Return the hash of the lines that a check could depend on; empty if there are none."""
    try:
        lines = place.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    relevant = [line.strip() for line in lines if not _HARMLESS.fullmatch(line)]
    return hash_text("\n".join(relevant)) if relevant else ""


def _find_python_facts(
    project: Path, programs: Iterable[Program], home: Path
) -> Iterator[tuple[str, str]]:
    interpreters = {place for each in programs if (place := _find_interpreter(each)) is not None}
    interpreters |= set(project.glob(".venv/bin/python")) | set(project.glob("venv/bin/python"))
    folders = {folder for place in interpreters for folder in find_site_folders(place, home)}
    for folder in sorted(folders):
        yield from collect_site_facts(folder)


def _find_interpreter(program: Program) -> Path | None:
    """Return the program itself, or what its first line names: `#!/project/.venv/bin/python`."""
    if re.match(r"(python|pypy)[\d.]*(\.exe)?$", Path(program.place).name):
        return Path(program.place)
    try:
        with Path(program.place).open("rb") as file:
            first = file.readline(500).decode("utf-8", "replace")
    except OSError:
        # Also for a program that is found nowhere, whose place is empty.
        return None
    named = re.match(r"#!\s*(\S*/(python|pypy)[\d.]*)\s*$", first)
    return Path(named[1]) if named else None


def _find_git_facts(project: Path, commands: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield facts only where a check uses git: installing a tool may set hooks rightly."""
    if not any(_USES_GIT.search(command) for command, _ in find_run_commands(project, commands)):
        return
    for name, value in read_git_config(".", cwd=project) or ():
        if _GIT_SETTINGS.fullmatch(name):
            yield f"git {name}", value
    for hook in sorted((project / ".git" / "hooks").glob("*")):
        if hook.suffix != ".sample" and hook.is_file():
            yield f"git hooks/{hook.name}", _hash_file(hook)[:12]


def _find_hidden_files(project: Path, home: Path) -> Iterator[tuple[str, str]]:
    """Yield the committed files that are ignored by a list outside of the repository.

    Linters that respect git's ignore lists skip them.
    """
    git = project / ".git"
    for name, place in (
        ("info/exclude", git / "info" / "exclude"),
        ("ignore", home / ".config" / "git" / "ignore"),
    ):
        if git.is_dir() and _hash_relevant_lines(place):
            listed = ("ls-files", "-z", "--cached", "--ignored", f"--exclude-from={place}")
            finished = run_git(listed, cwd=project, timeout=10.0)
            files = finished.text.rstrip("\0").replace("\0", ", ")
            yield f"git {name}", files if finished.exit_code == 0 else ""

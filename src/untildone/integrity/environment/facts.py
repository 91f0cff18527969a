"""Collects facts about what the checks depend on outside of the project, to be compared later.

A fact has a name of two words, its kind and what it is about, and a text: the name `program pytest`
has the text `/usr/bin/pytest 5f2d…`, and `git core.hookspath` the text `.githooks`.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from untildone.commands.shell import program_name
from untildone.core.late_patterns import compile_late
from untildone.integrity.environment.check_programs import find_check_programs, find_run_commands
from untildone.integrity.environment.python_sites import collect_site_facts, find_site_folders
from untildone.process.git import read_git_config, run_git

SEARCH_PATH = "PATH"
_MAX_HASHED_SIZE = 64_000_000
# What `_describe_program` writes behind the path.
_HASH_OF_PROGRAM = compile_late(r" ([0-9a-f]{64}|\d+-\d+)?$")
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
# Lines of settings that make no check pass: comments, where packages come from, credentials.
_HARMLESS = compile_late(
    r"\s*([#;].*|//.*|(@[\w-]+:)?registry\s*=.*|.*_auth\w*\s*=.*|cache\s*=.*|email\s*=.*|init-.*"
    r"|GO(PROXY|PRIVATE|NOSUMDB|NOPROXY|SUMDB|TELEMETRY|MODCACHE|CACHE|NOSUMCHECK|INSECURE)=.*|)"
)
# Commands that may depend on git's settings and hooks.
_USES_GIT = compile_late(r"\b(git|pre-commit|lefthook|husky|lint-staged)\b")
# Settings that change which files git shows, or what runs when it is called.
_GIT_SETTINGS = compile_late(
    r"core\.(hookspath|excludesfile|attributesfile|fsmonitor|worktree|sparsecheckout)|filter\..*"
    r"|init\.templatedir|alias\..*|include(if)?\..*|diff\.external|merge\..*\.driver|core\.pager"
)
_DEPENDENCY_FOLDERS = frozenset(("node_modules", ".venv", "venv", "site-packages"))


def collect_facts(
    project: Path, commands: Iterable[str], environ: Mapping[str, str]
) -> dict[str, str]:
    """Return all facts by name, such as `program pytest` or `git core.hookspath`."""
    commands = tuple(commands)
    programs = find_check_programs(project, commands, environ)
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    return {
        SEARCH_PATH: environ.get(SEARCH_PATH, ""),
        **{f"program {name}": _describe_program(project, programs[name]) for name in programs},
        **dict(_find_user_settings(home, programs, environ)),
        **dict(_find_python_facts(project, programs.values(), home)),
        **dict(_find_git_facts(project, commands)),
        **dict(_find_hidden_files(project, home)),
    }


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def _describe_program(project: Path, file: str) -> str:
    """Return the path of the program's file, and its hash."""
    # An installer may replace a file of the project or of its environment: it has no hash.
    is_installed = not _DEPENDENCY_FOLDERS.isdisjoint(Path(file).parts)
    if not file or is_installed or Path(file).is_relative_to(project):
        return file
    return f"{file} {_hash_file(Path(file))}"


def list_program_files(facts: Mapping[str, str]) -> Iterator[str]:
    """Yield the files of the programs that the checks start; the path of one may have spaces."""
    for name, text in facts.items():
        file = _HASH_OF_PROGRAM.sub("", text)
        if name.startswith("program ") and file:
            yield file


def _hash_file(file: Path) -> str:
    """Return the hash of the content, or size and time of a large file; empty if unreadable."""
    try:
        if file.stat().st_size > _MAX_HASHED_SIZE:
            return f"{file.stat().st_size}-{file.stat().st_mtime_ns}"
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


def _find_user_settings(
    home: Path, programs: Iterable[str], environ: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield `setting PATH` for each file of the user's settings that the programs read."""
    names = set(map(program_name, programs))
    cargo = Path(environ.get("CARGO_HOME") or home / ".cargo")
    for pattern, paths in _USER_SETTINGS.items():
        if not any(re.fullmatch(pattern, name) for name in names):
            continue
        for path in paths:
            inner = path.removeprefix(".cargo/")
            file = cargo / inner if inner != path else home / path
            yield f"setting {file}", _hash_relevant_lines(file)
    if (go_settings := environ.get("GOENV")) and "go" in names:
        yield f"setting {go_settings}", _hash_relevant_lines(Path(go_settings))


def _hash_relevant_lines(file: Path) -> str:
    """Return the hash of the lines that a check could depend on; empty if there are none."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    relevant = [line.strip() for line in lines if not _HARMLESS.fullmatch(line)]
    return hash_text("\n".join(relevant)) if relevant else ""


def _find_python_facts(
    project: Path, program_files: Iterable[str], home: Path
) -> Iterator[tuple[str, str]]:
    """Yield facts about the installed packages of every Python that the programs may run."""
    for folder in find_module_folders(project, program_files, home):
        yield from collect_site_facts(folder)


def find_module_folders(project: Path, program_files: Iterable[str], home: Path) -> list[Path]:
    """Return the folders of modules of every Python that the programs may run."""
    interpreters = set(project.glob(".venv/bin/python")) | set(project.glob("venv/bin/python"))
    interpreters.update(file for file in map(_find_interpreter, program_files) if file is not None)
    return sorted({folder for file in interpreters for folder in find_site_folders(file, home)})


def _find_interpreter(program_file: str) -> Path | None:
    """Return the Python that runs the program; None if it is not written in Python."""
    file = Path(program_file)
    if re.match(r"(python|pypy)[\d.]*(\.exe)?$", file.name):
        return file
    try:
        with file.open("rb") as stream:
            first_line = stream.readline(500).decode("utf-8", "replace")
    except OSError:
        # Also for a program that is found nowhere.
        return None
    # #!/project/.venv/bin/python
    interpreter = re.match(r"#!\s*(\S*/(python|pypy)[\d.]*)\s*$", first_line)
    return Path(interpreter[1]) if interpreter else None


def _find_git_facts(project: Path, commands: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield git's settings and hooks if a check uses git.

    For other checks they do not matter, and installing a tool may set hooks.
    """
    if not any(_USES_GIT.search(command) for command, _ in find_run_commands(project, commands)):
        return
    for name, value in read_git_config(".", cwd=project) or ():
        if _GIT_SETTINGS.fullmatch(name):
            yield f"git {name}", value
    for hook in sorted((project / ".git" / "hooks").glob("*")):
        if hook.suffix != ".sample" and hook.is_file():
            yield f"git hooks/{hook.name}", _hash_file(hook)[:12]


def _find_hidden_files(project: Path, home: Path) -> Iterator[tuple[str, str]]:
    """Yield `git info/exclude` and `git ignore`, each with the committed files that it names.

    Nobody sees these two ignore lists in the project, and linters skip what they name.
    """
    git = project / ".git"
    for name, ignore_list in (
        ("info/exclude", git / "info" / "exclude"),
        ("ignore", home / ".config" / "git" / "ignore"),
    ):
        if git.is_dir() and _hash_relevant_lines(ignore_list):
            options = ("-z", "--cached", "--ignored", f"--exclude-from={ignore_list}")
            finished = run_git(("ls-files", *options), cwd=project, timeout=10.0)
            files = finished.text.rstrip("\0").replace("\0", ", ")
            yield f"git {name}", files if finished.exit_code == 0 else ""

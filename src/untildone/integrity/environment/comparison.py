"""What stands around the checks and decides what they do: programs, settings, git's own."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from untildone.commands.shell import parse_calls, program_name
from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.integrity.environment.check_programs import (
    Program,
    find_check_programs,
    find_run_commands,
)
from untildone.integrity.environment.python_sites import collect_site_facts, find_site_folders
from untildone.process.git import read_git_config, run_git

_PATH = "PATH"
_READ_AT_MOST = 64_000_000
# Below the person's home, by the program that reads it.
_SETTINGS: Mapping[str, tuple[str, ...]] = {
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
# Where packages come from and who asks for them: nothing of that makes a check pass.
_HARMLESS = re.compile(
    r"\s*([#;].*|//.*|(@[\w-]+:)?registry\s*=.*|.*_auth\w*\s*=.*|cache\s*=.*|email\s*=.*|init-.*"
    r"|GO(PROXY|PRIVATE|NOSUMDB|NOPROXY|SUMDB|TELEMETRY|MODCACHE|CACHE|NOSUMCHECK|INSECURE)=.*|)"
)
# git config core.hooksPath .githooks
_NAME_AND_VALUE = 4
_GIT_USED = re.compile(r"\b(git|pre-commit|lefthook|husky|lint-staged)\b")
_GIT = re.compile(
    r"core\.(hookspath|excludesfile|attributesfile|fsmonitor|worktree|sparsecheckout)|filter\..*"
    r"|init\.templatedir|alias\..*|include(if)?\..*|diff\.external|merge\..*\.driver|core\.pager"
)
_DEPENDENCIES = frozenset(("node_modules", ".venv", "venv", "site-packages"))


def collect_facts(
    project: Path, commands: Iterable[str], environ: Mapping[str, str]
) -> dict[str, str]:
    """Facts by name; what they say is compared at the confirmation."""
    given = tuple(commands)
    found = tuple(find_check_programs(project, given, environ))
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    return {
        _PATH: environ.get(_PATH, ""),
        **{f"program {each.name}": _program(project, each) for each in found},
        **dict(_settings(home, found, environ)),
        **dict(_python(project, found, home)),
        **dict(_git(project, given)),
        **dict(_passed_by(project, home)),
    }


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    return find_environment_changes(
        comparison.new.root,
        comparison.commands,
        comparison.environ,
        comparison.baseline.surroundings,
    )


def find_environment_changes(
    project: Path,
    commands: Iterable[str],
    environ: Mapping[str, str],
    then: Mapping[str, str],
) -> Iterator[Concern]:
    """The start's search path is asked again: a hook's own may differ from that of a terminal."""
    if not then:
        # A start that noted nothing says nothing of now.
        return
    given = tuple(commands)
    as_then = {**environ, _PATH: then.get(_PATH, environ.get(_PATH, ""))}
    own = dict(_set_by(given))
    yield from compare_facts({**own, **then}, {**own, **collect_facts(project, given, as_then)})


def _set_by(commands: Iterable[str]) -> Iterator[tuple[str, str]]:
    """What a check itself tells git: whether it was run before the start says nothing."""
    for call in (call for command in commands for call in parse_calls(command)):
        words = [each for each in call if each not in ("--local", "--global")]
        if len(words) == _NAME_AND_VALUE and words[0] == "git" and words[1] == "config":
            yield f"git {words[2].lower()}", words[3]


def compare_facts(then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Concern]:
    for fact in dict.fromkeys((*then, *now)):
        before, after = then.get(fact, ""), now.get(fact, "")
        if before == after or fact == _PATH:
            continue
        kind, _, name = fact.partition(" ")
        if kind == "program" and fact not in now:
            # No check comes to it any more: the comparison of scripts tells of that.
            continue
        because = _told(kind, name, before, after)
        if because:
            installed = kind in ("altered", "loose", "plugin")
            about = ConcernKind.DEPENDENCY if installed else ConcernKind.ENVIRONMENT
            yield make_concern(about, name, because=because, content=_short(after))


def _told(kind: str, name: str, before: str, after: str) -> str:
    """Empty for what may change by honest work: a program that is there at last, a file gone."""
    if kind == "program":
        if not before:
            return ""
        was, is_now = (text.partition(" ")[0] for text in (before, after))
        if was != is_now:
            return f"`{name}` was `{was}` at the start, now it is `{is_now or 'nowhere'}`"
        return f"the program `{was}` is another one than at the start"
    if kind == "git":
        return (
            f"git's `{name}` was `{before or 'not set'}` at the start, now `{after or 'not set'}`"
        )
    if kind == "setting":
        return f"`{name}` steers the tools, and is not what it was at the start"
    if not after or (kind == "loose" and not before):
        return ""
    if kind == "plugin":
        return f"`{name}` names plugins, and no installer has put it there"
    if kind == "loaded":
        return f"`{name}` is run at every start of Python, and was not so at the start of the loop"
    return f"`{name}` is not what was installed"


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _program(project: Path, found: Program) -> str:
    """What an installer may renew is known by its place alone: its content is judged elsewhere."""
    if not found.place:
        return ""
    place = Path(found.place)
    if _DEPENDENCIES.intersection(place.parts) or place.is_relative_to(project):
        return found.place
    return f"{found.place} {_digest(place)}"


def _digest(place: Path) -> str:
    try:
        if place.stat().st_size > _READ_AT_MOST:
            return f"{place.stat().st_size}-{place.stat().st_mtime_ns}"
        return hashlib.sha256(place.read_bytes()).hexdigest()
    except OSError:
        return ""


def _settings(
    home: Path, found: Iterable[Program], environ: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    names = {program_name(each.name) for each in found}
    cargo = Path(environ.get("CARGO_HOME") or home / ".cargo")
    for pattern, files in _SETTINGS.items():
        if not any(re.fullmatch(pattern, name) for name in names):
            continue
        for file in files:
            inner = file.removeprefix(".cargo/")
            place = cargo / inner if inner != file else home / file
            yield f"setting {place}", _steering(place)
    if (own := environ.get("GOENV")) and "go" in names:
        yield f"setting {own}", _steering(Path(own))


def _steering(place: Path) -> str:
    """Empty for a file that says nothing a check could depend on."""
    try:
        lines = place.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    telling = [line.strip() for line in lines if not _HARMLESS.fullmatch(line)]
    return _short("\n".join(telling)) if telling else ""


def _python(project: Path, found: Iterable[Program], home: Path) -> Iterator[tuple[str, str]]:
    interpreters = {place for each in found if (place := _interpreter(each)) is not None}
    interpreters |= set(project.glob(".venv/bin/python")) | set(project.glob("venv/bin/python"))
    folders = {folder for place in interpreters for folder in find_site_folders(place, home)}
    for folder in sorted(folders):
        yield from collect_site_facts(folder)


def _interpreter(found: Program) -> Path | None:
    """The program itself, or the one its first line names: `#!/project/.venv/bin/python`."""
    if not found.place:
        return None
    place = Path(found.place)
    if re.match(r"(python|pypy)[\d.]*(\.exe)?$", place.name):
        return place
    try:
        with place.open("rb") as file:
            first = file.readline(500).decode("utf-8", "replace")
    except OSError:
        return None
    named = re.match(r"#!\s*(\S*/(python|pypy)[\d.]*)\s*$", first)
    return Path(named[1]) if named else None


def _git(project: Path, commands: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Only where a check comes to git: installing a tool may set its hooks by right."""
    if not any(_GIT_USED.search(command) for command, _ in find_run_commands(project, commands)):
        return
    for name, value in read_git_config(".", cwd=project) or ():
        if _GIT.fullmatch(name):
            yield f"git {name}", value
    for hook in sorted((project / ".git" / "hooks").glob("*")):
        if hook.suffix != ".sample" and hook.is_file():
            yield f"git hooks/{hook.name}", _digest(hook)[:12]


def _passed_by(project: Path, home: Path) -> Iterator[tuple[str, str]]:
    """Files of the repository that git is told to ignore where no commit shows it.

    Linters that heed git do not look at them.
    """
    git = project / ".git"
    for name, place in (
        ("info/exclude", git / "info" / "exclude"),
        ("ignore", home / ".config" / "git" / "ignore"),
    ):
        if git.is_dir() and _steering(place):
            listed = ("ls-files", "-z", "--cached", "--ignored", f"--exclude-from={place}")
            finished = run_git(listed, cwd=project, timeout=10.0)
            files = finished.text.rstrip("\0").replace("\0", ", ")
            yield f"git {name}", files if finished.exit_code == 0 else ""

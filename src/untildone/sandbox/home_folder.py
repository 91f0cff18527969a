"""The home folder of a sandbox: toolchains and caches, no settings newer than the baseline."""

from collections.abc import Mapping
from pathlib import Path

# Toolchains and their downloads, which are identified by digest or version.
_TOOLCHAINS = (
    *(".cache", ".rustup", ".npm", ".yarn", ".pnpm-store", ".bun", ".deno", ".nvm", ".volta"),
    *(".fnm", ".pyenv", ".rbenv", ".asdf", ".sdkman", ".jenv", ".goenv", "go", ".nuget", ".dotnet"),
    *(".m2/repository", ".m2/wrapper", ".gradle/caches", ".gradle/wrapper", ".gradle/jdks"),
    *(".local/share/pnpm", ".local/share/mise", ".local/share/uv", ".local/share/fnm"),
    *(".cargo/registry", ".cargo/git", ".cargo/bin", "Library/Caches", "Library/pnpm"),
)
# Settings of tools: taken along if they are unchanged since the baseline.
_SETTINGS = (
    *(".npmrc", ".yarnrc", ".yarnrc.yml", ".gitconfig", ".config/git", ".config/pip", ".pip"),
    *(".config/go/env", ".config/uv", ".config/pnpm", ".config/ruff", ".config/mypy", ".netrc"),
    *(".cargo/config.toml", ".cargo/config", ".m2/settings.xml", ".gradle/gradle.properties"),
    *(".gradle/init.d", ".tool-versions", ".config/mise", ".config/matplotlib", ".aws/config"),
)
_USER_SITE = ".local/lib"
# Variables that could make a check pass: each has the baseline's value or none.
STEERING = (
    *("BASH_ENV", "ENV", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES"),
    *("PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONWARNINGS", "PYTHONUSERBASE"),
    *("PYTHONOPTIMIZE", "PYTHONBREAKPOINT", "PYTHONNOUSERSITE", "PYTEST_ADDOPTS"),
    *("PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "COVERAGE_RCFILE", "MYPYPATH"),
    *("COVERAGE_PROCESS_START", "RUFF_CONFIG", "MYPY_CONFIG_FILE_DIR", "TOX_OVERRIDE"),
    *("NODE_OPTIONS", "NODE_PATH", "NODE_ENV", "NPM_CONFIG_SCRIPT_SHELL", "NPM_CONFIG_USERCONFIG"),
    *("npm_config_script_shell", "npm_config_node_options", "npm_config_ignore_scripts"),
    *("npm_config_userconfig", "npm_config_globalconfig", "VITEST", "JEST_WORKER_ID"),
    *("RUSTFLAGS", "RUSTDOCFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS", "RUSTC"),
    *("RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER", "CLIPPY_CONF_DIR"),
    *("GOFLAGS", "GOENV", "GOEXPERIMENT", "GODEBUG", "GOTOOLCHAIN", "CGO_CFLAGS"),
    *("MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "MAVEN_OPTS", "MAVEN_ARGS"),
    *("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "GRADLE_OPTS", "CTEST_OUTPUT_ON_FAILURE"),
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG", "GIT_CONFIG_GLOBAL"),
    *("GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR"),
)


def select_steering(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: environ[name] for name in STEERING if name in environ}


def link_home(home: Path, environ: Mapping[str, str], *, since: float) -> None:
    """Link what is taken along; settings changed after `since` are not."""
    user_home = _find_user_home(environ)
    for name in _TOOLCHAINS:
        _link(_locate(user_home, name, environ), home / name)
    for name in _SETTINGS:
        source = _locate(user_home, name, environ)
        files = source.rglob("*") if source.is_dir() else ()
        if all(_is_older(path, since) for path in (source, *files)):
            _link(source, home / name)
    if _is_user_site_older(user_home, since):
        _link(user_home / _USER_SITE, home / _USER_SITE)


def make_environment(
    environ: Mapping[str, str], baseline_environ: Mapping[str, str], *, home: Path
) -> dict[str, str]:
    """Return the environment of a run in that home, with the baseline's steering variables."""
    inherited = {name: value for name, value in environ.items() if name not in STEERING}
    user_home = _find_user_home(environ)
    overrides = {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CARGO_HOME": str(home / ".cargo"),
    }
    if not (home / _USER_SITE).exists():
        overrides["PYTHONNOUSERSITE"] = "1"
    if "RUSTUP_HOME" not in inherited and (user_home / ".rustup").exists():
        overrides["RUSTUP_HOME"] = str(user_home / ".rustup")
    return inherited | dict(baseline_environ) | overrides


def _find_user_home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())


def _locate(user_home: Path, name: str, environ: Mapping[str, str]) -> Path:
    top, _, rest = name.partition("/")
    moved = environ.get("CARGO_HOME") if top == ".cargo" else None
    return Path(moved) / rest if moved else user_home / name


def _link(source: Path, target: Path) -> None:
    if not source.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.symlink_to(source, target_is_directory=source.is_dir())


def _is_older(path: Path, since: float) -> bool:
    """Compare the change time, which no program can set, and the modification time."""
    try:
        status = path.stat()
    except OSError:
        return True
    return max(status.st_mtime, status.st_ctime) < since


def _is_user_site_older(user_home: Path, since: float) -> bool:
    """Say whether nothing was added to the user's packages: that changes the folder's time."""
    folders = sorted((user_home / _USER_SITE).glob("python*/site-packages"))
    custom = (
        folder / f"{name}.py" for folder in folders for name in ("usercustomize", "sitecustomize")
    )
    return bool(folders) and all(_is_older(path, since) for path in (*folders, *custom))

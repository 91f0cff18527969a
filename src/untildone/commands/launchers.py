"""Programs that only start the program named after them, and package managers of Node."""

from collections.abc import Sequence

PACKAGE_MANAGERS = frozenset(("npm", "pnpm", "yarn", "bun"))
# What stands in front of a tool and has no say in what the tool does.
LAUNCHERS = (
    *(("npx",), ("bunx",), ("pnpx",), ("uvx",)),
    *((program, "run") for program in ("uv", "poetry", "pipenv", "pdm", "hatch", "rye")),
    *((program, "exec") for program in ("npm", "pnpm", "yarn", "bundle")),
    *((program, "dlx") for program in ("pnpm", "yarn")),
    ("bun", "x"),
    ("coverage", "run", "-m"),
)
# Options of launchers that do not change which program runs, or from where.
_HARMLESS_OPTIONS = frozenset(
    ("--", "-y", "--yes", "--no", "--no-install", "--frozen", "--locked", "--offline", "--quiet")
)


def strip_launcher(words: Sequence[str]) -> list[str]:
    """Return the words behind a launcher such as `uv run`; all of them if there is none."""
    for launcher in LAUNCHERS:
        if tuple(words[: len(launcher)]) == launcher:
            rest = list(words[len(launcher) :])
            while rest and rest[0] in _HARMLESS_OPTIONS:
                del rest[0]
            return rest
    return list(words)

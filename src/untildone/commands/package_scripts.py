"""Scripts of `package.json`, and which of them a call runs.

With `{"pretest": "tsc", "test": "jest"}` the call `npm test` runs `tsc` and `jest`.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from untildone.commands.arguments import find_option_value
from untildone.commands.programs import PACKAGE_MANAGERS
from untildone.commands.shell import program_name

# `run-s lint test:*` runs several scripts.
SCRIPT_GROUPS = frozenset(("run-s", "run-p", "npm-run-all", "npm-run-all2", "concurrently"))
_QUIET = frozenset(("-s", "--silent", "--quiet"))
_ALIASES = {"t": "test", "tst": "test"}
# npm runs these without the word `run`; the other managers run any script so.
_WITHOUT_RUN = frozenset(("test", "start", "stop", "restart"))


def parse_package_scripts(text: str) -> dict[str, str]:
    """Return the commands of a `package.json` by name; none if the text cannot be read."""
    try:
        scripts = json.loads(text).get("scripts", {})
        return {name: command for name, command in scripts.items() if isinstance(command, str)}
    except (ValueError, AttributeError, RecursionError):
        return {}


def find_package_file(call: Sequence[str]) -> str:
    """Return the `package.json` that the call of a package manager is about."""
    folder = find_option_value(call[1:], "--prefix") or find_option_value(call[1:], "-C")
    return (PurePosixPath(folder) / "package.json").as_posix()


def select_scripts(call: Sequence[str], scripts: Mapping[str, str]) -> Iterator[str]:
    """Yield the scripts that `npm test`, `npm run lint` or `pnpm lint` runs, hooks included."""
    name = _find_script_name(call)
    for script in (f"pre{name}", name, f"post{name}") if name else ():
        if script in scripts:
            yield scripts[script]


def find_plain_script(call: Sequence[str], scripts: Mapping[str, str]) -> str:
    """Return the shell text that a call runs in its own folder, hooks and arguments included.

    `npm run lint -- src` with the script `eslint` gives `eslint src`. The text is empty where the
    call is of no known script, or has options: `npm run lint --workspaces` runs it elsewhere.
    """
    end = list(call).index("--") if "--" in call else len(call)
    words = [word for word in call[:end] if word not in _QUIET]
    name = _find_script_name(words) if words else ""
    if name not in scripts or words[-1] not in (name, *_ALIASES):
        return ""
    if any(word.startswith("-") for word in words):
        return ""
    main = " ".join((scripts[name], *map(shlex.quote, call[end + 1 :])))
    hooks = (scripts.get(f"pre{name}", ""), main, scripts.get(f"post{name}", ""))
    texts = [text for text in hooks if text]
    return texts[0] if len(texts) == 1 else " && ".join(f"({text})" for text in texts)


def _find_script_name(call: Sequence[str]) -> str:
    """Return `lint` for `npm run lint`, `test` for `npm t`; empty if the call runs no script."""
    manager, arguments = program_name(call[0]), list(call[1:])
    if manager not in PACKAGE_MANAGERS:
        return ""
    folders = (find_option_value(arguments, "--prefix"), find_option_value(arguments, "-C"))
    words = [word for word in arguments if not word.startswith("-") and word not in folders]
    if words[:1] in (["run"], ["run-script"]):
        return "".join(words[1:2])
    name = _ALIASES.get(words[0], words[0]) if words else ""
    return name if manager != "npm" or name in _WITHOUT_RUN else ""


def select_grouped_scripts(call: Sequence[str], scripts: Mapping[str, str]) -> Iterator[str]:
    """Yield what `run-s lint test:*` or `concurrently npm:lint "tsc -w"` runs."""
    arguments = call[1:]
    if any(re.match(r"--(race|success)\b|-s$", word) for word in arguments):
        # `concurrently --success first`: one passing script is enough, so none of them decides.
        return
    for word in (word for word in arguments if not word.startswith("-")):
        pattern = word.removeprefix("npm:")
        names = [name for name in scripts if fnmatchcase(name, pattern)]
        yield from (scripts[name] for name in names)
        if not names and " " in word:
            yield word

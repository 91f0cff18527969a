"""Makefiles: their targets and variables, and the shell lines that decide a goal.

check: lint
\t$(PYTHON) -m pytest       # a line of `make check`, behind the lines of `lint`
\t-rm -r build              # none: make ignores the failure of lines with `-`
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from untildone.commands.arguments import find_option_value, parse_arguments
from untildone.core.late_patterns import compile_late
from untildone.worktree.contents import Tree

# In the order in which make looks for them.
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
# check test: lint | build ; pytest
_RULE = compile_late(
    r"^(?P<targets>[^\s#:=@][^:=#]*?)\s*::?(?!=)(?P<needed>[^;#]*)(?:;(?P<line>.*))?"
)
# export PYTHON ?= python3
_ASSIGNMENT = compile_late(
    r"^\s*(?:export\s+|override\s+)*(?P<name>[\w.]+)\s*(?P<operator>[:?+!]*=)\s*(?P<value>.*)$"
)
_VARIABLE_USE = compile_late(r"\$[({](?P<name>\w+)[)}]")
# $(wildcard src/*.js) stands for its patterns.
_WILDCARD = compile_late(r"\$[({]wildcard\s+(?P<patterns>[^(){}$]*)[)}]")
_SHELL = compile_late(r"(.*/)?(ba|da|k|z)?sh(\.exe)?")
# MAKEFLAGS = -i; `n`, `t` and `q` run no line at all
_IGNORING_FLAG = compile_late(r"-?[a-z]*[intq][a-z]*|--(ignore-errors|dry-run|touch|question)")
_MAX_DEPTH = 10
_MAX_LENGTH = 10_000


class Target(NamedTuple):
    prerequisites: tuple[str, ...]
    lines: tuple[str, ...]


class Makefile(NamedTuple):
    targets: dict[str, Target]
    variables: dict[str, str]


_NO_TARGET = Target((), ())


def is_makefile(path: str) -> bool:
    """Say whether a file is a makefile by its name, as `GNUmakefile`, `Makefile.ci` or `ci.mk`."""
    name = PurePosixPath(path).name
    return re.fullmatch(r"(GNU)?[Mm]akefile.*|.*\.mk", name) is not None


def find_makefile(tree: Tree, arguments: Sequence[str] = ()) -> str:
    """Return the file that make reads, of the usual names or given by `-f`; empty if none is."""
    folder, file = find_option_value(arguments, "-C"), find_option_value(arguments, "-f")
    paths = ((PurePosixPath(folder) / name).as_posix() for name in ((file,) if file else MAKEFILES))
    return next((path for path in paths if path in tree), "")


def read_makefile(tree: Tree, path: str) -> str:
    """Return the text of a makefile and of the files it includes."""
    text = tree.text(path)
    included = re.findall(r"(?m)^[-s]?include[ \t]+(\S+)", text)
    paths = ((PurePosixPath(path).parent / name).as_posix() for name in included)
    return "\n".join((text, *(tree.text(file) for file in paths if file != path)))


def parse_makefile(text: str) -> Makefile:
    """Return the targets with their recipes, and the variables with their unexpanded values."""
    targets: dict[str, Target] = {}
    variables: dict[str, str] = {"MAKE": "make"}
    # The targets of the rule that is being read.
    names: list[str] = []
    is_in_recipe = False
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if len(line) > _MAX_LENGTH:
            continue
        if line[:1] in ("\t", " ") and names and line.strip():
            for name in names:
                # The first line of a recipe replaces an earlier recipe of the target.
                earlier = targets[name].lines if is_in_recipe else ()
                targets[name] = targets[name]._replace(lines=(*earlier, line.strip()))
            is_in_recipe = True
        elif assignment := _ASSIGNMENT.match(line):
            _assign(variables, assignment)
        elif rule := _RULE.match(line):
            names = _add_targets(targets, rule, variables)
            is_in_recipe = bool(rule["line"])
    return Makefile(targets, variables)


def _assign(variables: dict[str, str], assignment: re.Match[str]) -> None:
    """Set a variable as `=`, `+=` or `?=` does."""
    name, operator = assignment["name"], assignment["operator"]
    value = assignment["value"].partition(" #")[0].strip()
    if operator == "+=":
        variables[name] = f"{variables.get(name, '')} {value}".strip()
    elif operator != "?=" or name not in variables:
        variables[name] = value


def _add_targets(
    targets: dict[str, Target], rule: re.Match[str], variables: dict[str, str]
) -> list[str]:
    """Add the targets of a rule, and return their names."""
    needed = tuple(_expand_variables(rule["needed"], variables).replace("|", " ").split())
    names = _expand_variables(rule["targets"], variables).split()
    for name in names:
        earlier = targets.get(name, _NO_TARGET)
        # A rule without a recipe only adds prerequisites.
        lines = (rule["line"].strip(),) if rule["line"] else earlier.lines
        targets[name] = Target((*earlier.prerequisites, *needed), lines)
    return names


def _expand_variables(text: str, variables: dict[str, str]) -> str:
    """Replace `$(NAME)` by its value, also in values; unknown variables are empty, as in make."""
    for _ in range(_MAX_DEPTH):
        text = _WILDCARD.sub(lambda use: use["patterns"].strip(), text)
        text, number = _VARIABLE_USE.subn(lambda use: variables.get(use["name"], ""), text)
        if not number or len(text) > _MAX_LENGTH:
            break
    return text[:_MAX_LENGTH]


def find_make_lines(tree: Tree, arguments: Sequence[str]) -> Iterator[str]:
    """Yield the shell lines whose failure fails `make ARGUMENTS`, prerequisites first."""
    makefile = parse_makefile(read_makefile(tree, find_makefile(tree, arguments)))
    if _ignores_all_failures(makefile.variables):
        return
    first_target = next((name for name in makefile.targets if not name.startswith(".")), "")
    default = makefile.variables.get(".DEFAULT_GOAL", first_target)
    # `make check CI=1`: `CI=1` sets a variable.
    goals = [word for word in parse_arguments("make", arguments).targets if "=" not in word]
    for goal in goals or [default]:
        yield from _find_target_lines(makefile, goal, tree, ())


def _find_target_lines(
    makefile: Makefile, name: str, tree: Tree, parents: tuple[str, ...]
) -> Iterator[str]:
    """Yield the deciding lines of a target; `parents` are the targets that need it."""
    target = makefile.targets.get(name)
    phony = makefile.targets.get(".PHONY", _NO_TARGET).prerequisites
    up_to_date = name in tree and name not in phony
    if target is None or name in parents or up_to_date or _ignores_failures_of(makefile, name):
        return
    for needed in target.prerequisites:
        yield from _find_target_lines(makefile, needed, tree, (*parents, name))
    # `.SHELLFLAGS = -ec`: the shell stops at the first failure within a line.
    has_errexit = re.match(r"-\w*e", makefile.variables.get(".SHELLFLAGS", ""))
    for line in target.lines:
        prefix = re.match(r"[@+-]*", line)
        if prefix and "-" not in prefix[0]:
            shell_line = _expand_line(line[prefix.end() :], makefile, name)
            yield f"set -e\n{shell_line}" if has_errexit else shell_line


def _expand_line(line: str, makefile: Makefile, name: str) -> str:
    """Return a line of target `name` as the shell gets it: `$$` becomes the shell's own `$`."""
    needed = makefile.targets[name].prerequisites
    automatic = {"@": name, "<": "".join(needed[:1]), "^": " ".join(needed)}
    plain = "$$".join(
        re.sub(r"\$([@<^])", lambda use: automatic[use[1]], part) for part in line.split("$$")
    )
    return _expand_variables(plain, makefile.variables).replace("$$", "$")


def _ignores_failures_of(makefile: Makefile, name: str) -> bool:
    """Say whether `.IGNORE: NAME` lets every line of the target fail; `.IGNORE:` names all."""
    ignored = makefile.targets.get(".IGNORE")
    return ignored is not None and (not ignored.prerequisites or name in ignored.prerequisites)


def _ignores_all_failures(variables: dict[str, str]) -> bool:
    """Say whether no failure stops make: `MAKEFLAGS = -i`, or `SHELL = true`, which is no shell."""
    flags = variables.get("MAKEFLAGS", "").split()
    shell = variables.get("SHELL", "sh").split(" ")[0]
    return any(map(_IGNORING_FLAG.fullmatch, flags)) or not _SHELL.fullmatch(shell)

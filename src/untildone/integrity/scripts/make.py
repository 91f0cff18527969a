"""Makefiles and justfiles: what a target comes to."""

import re
from collections.abc import Container, Iterator
from typing import NamedTuple

_RULE = re.compile(
    r"^(?P<targets>[^\s#:=@][^:=#]*?)\s*::?(?!=)(?P<needed>[^;#]*)(?:;(?P<line>.*))?"
)
_VARIABLE = re.compile(
    r"^\s*(?:export\s+|override\s+)*(?P<name>[\w.]+)\s*(?P<how>[:?+!]*=)\s*(?P<value>.*)$"
)
_USE = re.compile(r"\$[({](?P<name>\w+)[)}]")
# $(wildcard src/*.js) is looked at as the pattern that it is.
_WILDCARD = re.compile(r"\$[({]wildcard\s+(?P<patterns>[^(){}$]*)[)}]")
_SHELL = re.compile(r"(.*/)?(ba|da|k|z)?sh(\.exe)?")
_DEEPEST = 10
_LONGEST = 10_000


class Target(NamedTuple):
    needs: tuple[str, ...]
    lines: tuple[str, ...]


class Made(NamedTuple):
    targets: dict[str, Target]
    variables: dict[str, str]


def read(text: str) -> Made:
    targets: dict[str, Target] = {}
    variables: dict[str, str] = {"MAKE": "make"}
    names: list[str] = []
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if len(line) > _LONGEST:
            continue
        if line[:1] in ("\t", " ") and names and line.strip():
            for name in names:
                targets[name] = targets[name]._replace(lines=(*targets[name].lines, line.strip()))
        elif found := _VARIABLE.match(line):
            _assign(variables, found)
        elif rule := _RULE.match(line):
            names = _declare(targets, rule, variables)
    return Made(targets, variables)


def _assign(variables: dict[str, str], found: re.Match[str]) -> None:
    name, how, value = found["name"], found["how"], found["value"].partition(" #")[0].strip()
    if how == "+=":
        variables[name] = f"{variables.get(name, '')} {value}".strip()
    elif how != "?=" or name not in variables:
        variables[name] = value


def _declare(
    targets: dict[str, Target], rule: re.Match[str], variables: dict[str, str]
) -> list[str]:
    needs = tuple(_expanded(rule["needed"], variables).replace("|", " ").split())
    own = (rule["line"].strip(),) if rule["line"] else ()
    names = _expanded(rule["targets"], variables).split()
    for name in names:
        before = targets.get(name, Target((), ()))
        targets[name] = Target((*before.needs, *needs), own)
    return names


def _expanded(text: str, variables: dict[str, str]) -> str:
    for _ in range(_DEEPEST):
        text = _WILDCARD.sub(lambda use: use["patterns"].strip(), text)
        text, number = _USE.subn(lambda use: variables.get(use["name"], ""), text)
        if not number or len(text) > _LONGEST:
            break
    return text[:_LONGEST]


def lines(made: Made, goal: str, files: Container[str]) -> Iterator[str]:
    """Shell lines whose failure fails the goal, prerequisites first."""
    if _careless(made.variables):
        return
    first = next((name for name in made.targets if not name.startswith(".")), "")
    yield from _of(made, goal or made.variables.get(".DEFAULT_GOAL", first), files, ())


def _of(made: Made, name: str, files: Container[str], above: tuple[str, ...]) -> Iterator[str]:
    target = made.targets.get(name)
    phony = made.targets.get(".PHONY", Target((), ())).needs
    up_to_date = name in files and name not in phony
    if target is None or name in above or up_to_date or _ignored(made, name):
        return
    for needed in target.needs:
        yield from _of(made, needed, files, (*above, name))
    stops = "set -e\n" if re.match(r"-\w*e", made.variables.get(".SHELLFLAGS", "")) else ""
    own = {**made.variables, "@": name, "<": "".join(target.needs[:1]), "^": " ".join(target.needs)}
    for line in target.lines:
        prefix = re.match(r"[@+-]*", line)
        if prefix and "-" not in prefix[0]:
            yield stops + _run(line[prefix.end() :], own)


def _run(line: str, variables: dict[str, str]) -> str:
    """As the shell gets it: `$$` is its own sign."""
    plain = "$$".join(
        re.sub(r"\$([@<^])", lambda use: variables[use[1]], part) for part in line.split("$$")
    )
    return _expanded(plain, variables).replace("$$", "$")


def _ignored(made: Made, name: str) -> bool:
    ignored = made.targets.get(".IGNORE")
    return ignored is not None and (not ignored.needs or name in ignored.needs)


def _careless(variables: dict[str, str]) -> bool:
    """No line is run by a shell, or no failure stops it."""
    flags = variables.get("MAKEFLAGS", "").split()
    loose = any(
        re.fullmatch(r"-?[a-z]*[intq][a-z]*|--(ignore-errors|dry-run|touch|question)", f)
        for f in flags
    )
    shell = variables.get("SHELL", "sh").split(" ")[0]
    return loose or not _SHELL.fullmatch(shell)

"""Configuration files as flat settings: every value by its dotted key, whatever the format."""

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

import yaml

from untildone.integrity.settings.javascript import find_effects, parse_objects

Scalar: TypeAlias = str | int | float | bool | None
Settings: TypeAlias = dict[str, tuple[Scalar, ...]]

_DEEPEST = 40
_MOST = 20_000
# Nobody writes such a line, and some readers take its square.
_LONGEST = 10_000
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[\w.:-]+)[^<>]*>|(?P<text>[^<>]+)")
_PAIR = re.compile(r"^\s*(?:export\s+|set\s+)?([\w.:@/-]+)\s*=\s*(.*?)\s*$")
# test { ignoreFailures = true }, exclude '**/*Test*', useJUnitPlatform { excludeTags 'slow' }
_STATEMENT = re.compile(
    r"\b([A-Za-z_][\w.]*)\s*(?:=|\(|\s)\s*(\[[^\]]*\]|\"[^\"]*\"|'[^']*'|true|false|\d+)"
)
# eslint looks at TypeScript where it is told to.
_TYPED = re.compile(r"typescript|tseslint|\.[cm]?tsx?\b|\btsx?\b")
_LINES = re.compile(
    r"pytest\.(testpaths|pythonpath|norecursedirs|python_(files|classes|functions))"
)
_TARGETS = ("bench", "bin", "example", "test")


def is_configuration(path: str) -> bool:
    return _format_of(path) is not None


def parse_settings(path: str, text: str) -> Settings:
    """Empty for what is no configuration, or cannot be read."""
    known = _format_of(path)
    if known is None or any(len(line) > _LONGEST for line in text.splitlines()):
        return {}
    try:
        value = known.reader(text)
    except (ValueError, RecursionError, configparser.Error, yaml.YAMLError):
        return {}
    found: dict[str, list[Scalar]] = {}
    # Aliases may stand for more than any memory holds.
    for key, leaf in islice(_walked(value, known.prefix, 0), _MOST):
        if not isinstance(leaf, _Inner):
            found.setdefault(_plain(key), []).append(leaf)
    return {key: tuple(_worded(key, values)) for key, values in found.items()}


def _worded(key: str, values: list[Scalar]) -> Iterator[Scalar]:
    """pytest takes several paths and patterns from one line."""
    for value in values:
        yield from value.split() if isinstance(value, str) and _LINES.fullmatch(key) else (value,)


def tool_of(key: str) -> str:
    """`mypy` of `mypy.strict`, and of `mypy-tests.*.strict`."""
    return re.split(r"[.-]", key, maxsplit=1)[0]


@lru_cache(maxsize=65_536)
def _format_of(path: str) -> "_Format | None":
    name = path.rpartition("/")[2]
    return next((each for each in _FORMATS if _fits(each, name) or _fits(each, path)), None)


def _fits(known: "_Format", path: str) -> bool:
    return known.names.fullmatch(path) is not None


class _Inner:
    """Stands for a value that has others in it, so that every step counts."""


def _walked(value: object, key: str, depth: int) -> Iterator[tuple[str, Scalar | _Inner]]:
    if isinstance(value, dict) and depth < _DEEPEST:
        yield key, _Inner()
        for name, inner in value.items():
            yield from _walked(inner, f"{key}.{name}" if key else str(name), depth + 1)
    elif isinstance(value, list | tuple) and depth < _DEEPEST:
        # An empty list says "nothing", which is not the same as saying nothing.
        yield key, _Inner() if value else None
        for inner in value:
            yield from _walked(inner, key, depth + 1)
    elif isinstance(value, str | int | float | bool) or value is None:
        yield key, value


_RENAMED = (
    (re.compile(r"^tool\.pytest\.ini_options\."), "pytest."),
    (re.compile(r"^tool\."), ""),
    (re.compile(r"^tool:pytest\."), "pytest."),
    (re.compile(r"^coverage:"), "coverage."),
    (re.compile(r"^eslintConfig\."), "eslint."),
    (re.compile(r"^c8\.|^nyc\."), "coverage."),
    (re.compile(r"^ruff\.(?=ruff\.)"), ""),
    (
        re.compile(r"^(ruff)\.(select|ignore|extend-select|extend-ignore|per-file-ignores)\b"),
        r"\1.lint.\2",
    ),
    (re.compile(r"^pytest\.pytest\."), "pytest."),
    (re.compile(r"^tox\.envlist$"), "tox.env_list"),
)


def _plain(key: str) -> str:
    """The same setting has the same key in every file that may hold it."""
    for pattern, name in _RENAMED:
        key = pattern.sub(name, key)
    return key


def _ini(text: str) -> object:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(
            text if re.search(r"(?m)^\[", text) else f"[{configparser.DEFAULTSECT}]\n{text}"
        )
    except AttributeError:
        # What configparser comes to at a second line of an option without a value.
        return {}
    return {
        section: {name: _ini_value(value) for name, value in parser.items(section)}
        for section in (parser.sections() or [configparser.DEFAULTSECT])
    }


def _ini_value(value: str | None) -> object:
    if value is None or ("\n" not in value and "," not in value):
        return _typed(value or "")
    parts = [part.strip() for part in re.split(r"[\n,]", value)]
    return [_typed(part) for part in parts if part and not part.startswith("#")]


def _typed(value: str) -> Scalar:
    plain = value.strip().strip("\"'")
    if re.fullmatch(r"-?\d+(\.\d+)?", plain):
        return float(plain)
    return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(
        plain.lower(), plain
    )


def _jsonc(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return parse_objects(f"({text})", "javascript")


def _pairs(text: str) -> object:
    found = (_PAIR.match(line) for line in text.splitlines() if not re.match(r"\s*[#;]", line))
    return {each[1]: _typed(each[2]) for each in found if each}


def _entries(text: str) -> object:
    lines = (line.strip() for line in text.splitlines())
    return {"ignored": [line for line in lines if line and not line.startswith("#")]}


def _statements(text: str) -> object:
    plain = re.sub(r"(?m)//.*$|/\*.*?\*/|(?<!\S)#.*$", "", text)
    found: dict[str, list[Scalar]] = {}
    for name, value in _STATEMENT.findall(plain):
        found.setdefault(name, []).append(_typed(value))
    return found


def _cmake(text: str) -> object:
    plain = re.sub(r"(?m)#.*$", "", text)
    found: dict[str, list[Scalar]] = {
        "add_test": list(re.findall(r"(?i)\badd_test\s*\(([^()]*)\)", plain))
    }
    for name, value in re.findall(
        r"\b(WILL_FAIL|DISABLED|TIMEOUT|PASS_REGULAR_EXPRESSION)\s+(\S+?)[\s)]", plain
    ):
        found.setdefault(name, []).append(_typed(value))
    return found


def _xml(text: str) -> object:
    found: dict[str, list[Scalar]] = {}
    above: list[str] = []
    pieces = (piece.rpartition("-->")[2] for piece in text.split("<!--"))
    for tag in _TAG.finditer("".join(pieces)):
        if tag["close"]:
            above = above[:-1]
        elif tag["name"] and not tag[0].endswith("/>"):
            above = [*above[-5:], tag["name"]]
        elif tag["text"] and tag["text"].strip():
            found.setdefault(".".join(above[-3:]), []).append(_typed(tag["text"]))
    return found


def _script(text: str) -> object:
    """With what is done to the literals, of which nobody can say what it comes to."""
    done = find_effects(text, "typescript")
    return [*parse_objects(text, "typescript"), *([{"deeds": done}] if done else ())]


def _blocks(text: str) -> object:
    """A list of blocks, each with files that its rules are for; without any it is for all."""
    found = _script(text)
    whole = "**/*" if _TYPED.search(text) else "**/*.{js,mjs,cjs}"
    every = [inner for outer in _listed(found) for inner in _listed(outer)]
    scopes: dict[str, list[object]] = {}
    for block in every:
        rules = block.get("rules") if isinstance(block, dict) else None
        for rule in rules if isinstance(rules, dict) else ():
            scopes.setdefault(rule, []).extend(_listed(block.get("files", whole)))
    return [*_listed(found), {"scope": scopes}]


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _pyproject(text: str) -> object:
    """What mypy is told of single modules is named by them, as its own file does it."""
    held = tomllib.loads(text)
    tools = held.get("tool")
    mypy = tools.get("mypy") if isinstance(tools, dict) else None
    overrides = mypy.pop("overrides", ()) if isinstance(mypy, dict) else ()
    told = [each for each in _listed(overrides) if isinstance(each, dict)]
    named = [
        {f"mypy-{module}": {key: value for key, value in each.items() if key != "module"}}
        for each in told
        for module in _listed(each.get("module", ""))
    ]
    return [held, *named]


def _cargo(text: str) -> object:
    """Targets by their names: `[[bench]]` is a list, of which each entry is one of its own."""
    held = tomllib.loads(text)
    for kind in _TARGETS:
        if isinstance(held.get(kind), list):
            named = (each for each in held[kind] if isinstance(each, dict))
            held[kind] = {str(each.get("name", "")): each for each in named}
    return held


def _gomod(text: str) -> object:
    """`require a/b v1.2.3`, alone or in a block of them."""
    found: dict[str, list[Scalar]] = {}
    block = ""
    for line in (line.partition("//")[0].strip() for line in text.splitlines()):
        word, _, rest = line.partition(" ")
        if line.endswith("("):
            block = word
        elif line == ")":
            block = ""
        elif line:
            name, said = (block, line) if block else (word, rest)
            found.setdefault(name, []).append(said)
    return found


class _Format(NamedTuple):
    names: re.Pattern[str]
    prefix: str
    reader: Callable[[str], object]


def _format(names: str, prefix: str, reader: Callable[[str], object]) -> _Format:
    return _Format(re.compile(names), prefix, reader)


_FORMATS = (
    _format(r"pyproject\.toml", "", _pyproject),
    _format(r"Cargo\.toml", "", _cargo),
    _format(r"\.cargo/config(\.toml)?|(.*/)\.cargo/config(\.toml)?", "cargo", tomllib.loads),
    _format(r"\.?ruff\.toml", "ruff", tomllib.loads),
    _format(
        r"\.?pytest\.(ini|toml)|setup\.cfg|tox\.ini|\.?mypy\.ini|\.flake8|\.isort\.cfg", "", _ini
    ),
    _format(r"\.coveragerc(\.toml)?", "coverage", _ini),
    _format(r"\.?pylintrc", "pylint", _ini),
    _format(r"\.?rustfmt\.toml", "rustfmt", tomllib.loads),
    _format(r"\.prettierrc(\.json)?", "prettier", _jsonc),
    _format(r"\.prettierrc\.ya?ml", "prettier", yaml.safe_load),
    _format(r"(prettier\.config|\.prettierrc)\.[cm]?[jt]s", "prettier", _script),
    _format(r"go\.(mod|work)", "gomod", _gomod),
    _format(
        r"\.?(clippy|rust-toolchain|deny|bandit|taplo)\.toml|bunfig\.toml",
        "",
        tomllib.loads,
    ),
    _format(r"package\.json", "", _jsonc),
    _format(r"[jt]sconfig[^/]*\.json", "tsconfig", _jsonc),
    _format(r"pyrightconfig\.json", "pyright", _jsonc),
    _format(r"\.eslintrc(\.json)?|eslint-suppressions\.json", "eslint", _jsonc),
    _format(r"\.eslintrc\.ya?ml", "eslint", yaml.safe_load),
    _format(r"eslint\.config\.[cm]?[jt]s", "eslint", _blocks),
    _format(r"\.eslintrc\.[cm]?[jt]s", "eslint", _script),
    _format(r"jest[.-](config|preset)[^/]*\.[cm]?[jt]s", "jest", _script),
    _format(r"jest\.config\.json", "jest", _jsonc),
    _format(
        r"(vite|vitest|karma|ava|playwright|cypress|stryker)[^/]*\.[cm]?[jt]s", "vitest", _script
    ),
    _format(r"biome\.jsonc?|deno\.jsonc?|\.?oxlintrc\.json", "biome", _jsonc),
    _format(r"\.(nycrc|c8rc)(\.json)?|\.mocharc\.jsonc?", "coverage", _jsonc),
    _format(r"\.mocharc\.ya?ml", "mocha", yaml.safe_load),
    _format(
        r"\.?(golangci|codecov|coveralls|pre-commit-config|yamllint|detekt|rubocop)\.ya?ml",
        "",
        yaml.safe_load,
    ),
    _format(
        r"\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci/config\.ya?ml",
        "ci",
        yaml.safe_load,
    ),
    _format(
        r"\.npmrc|\.env(\.[\w.]+)?|gradle\.properties|sonar[^/]*\.properties", "environment", _pairs
    ),
    _format(r"\.(eslint|prettier|git|stylelint|docker)ignore", "", _entries),
    _format(r"pom\.xml", "maven", _xml),
    _format(r"[^/]*\.gradle(\.kts)?", "gradle", _statements),
    _format(r"CMakeLists\.txt|[^/]*\.cmake", "cmake", _cmake),
)

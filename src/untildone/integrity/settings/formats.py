"""The formats of configuration files: which files have which, and the reader of each.

`tox.ini` is read by `_read_ini`: `[testenv]` with `commands = pytest` becomes
`{"testenv": {"commands": "pytest"}}`. A reader raises ValueError for a text that it cannot read.
"""

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from untildone.core.late_patterns import compile_late
from untildone.integrity.settings.javascript import find_effects, parse_objects
from untildone.syntax.yaml_text import load_yaml

Scalar: TypeAlias = str | int | float | bool | None

# <rule name="x"> or </rule> or the text between tags
_TAG = compile_late(r"<(?P<close>/?)(?P<name>[\w.:-]+)[^<>]*>|(?P<text>[^<>]+)")
# export CI=1
_PAIR = compile_late(r"^\s*(?:export\s+|set\s+)?([\w.:@/-]+)\s*=\s*(.*?)\s*$")
# In Gradle: test { ignoreFailures = true }, exclude '**/*Test*', excludeTags 'slow'
_STATEMENT = compile_late(
    r"\b([A-Za-z_][\w.]*)\s*(?:=|\(|\s)\s*(\[[^\]]*\]|\"[^\"]*\"|'[^']*'|true|false|\d+)"
)
# ESLint checks TypeScript only where it is configured to.
_TYPESCRIPT = compile_late(r"typescript|tseslint|\.[cm]?tsx?\b|\btsx?\b")
_CMAKE_PROPERTY = compile_late(
    r"\b(WILL_FAIL|DISABLED|TIMEOUT|PASS_REGULAR_EXPRESSION)\s+(\S+?)[\s)]"
)
_CARGO_TARGETS = ("bench", "bin", "example", "test")


class Format(NamedTuple):
    # The names or whole paths of its files.
    paths: re.Pattern[str]
    # Put before the keys of a file that holds the settings of one tool.
    prefix: str
    read: Callable[[str], object]


def _read_ini(text: str) -> object:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    head = "" if re.search(r"(?m)^\[", text) else f"[{configparser.DEFAULTSECT}]\n"
    try:
        parser.read_string(head + text)
    except AttributeError:
        # configparser raises this if an option without a value has a second line.
        return {}
    return {
        section: {name: _parse_ini_value(value) for name, value in parser.items(section)}
        for section in (parser.sections() or [configparser.DEFAULTSECT])
    }


def _parse_ini_value(value: str | None) -> object:
    """Return one scalar, or a list where the value has commas or several lines."""
    if value is None or ("\n" not in value and "," not in value):
        return _parse_scalar(value or "")
    parts = [part.strip() for part in re.split(r"[\n,]", value)]
    return [_parse_scalar(part) for part in parts if part and not part.startswith("#")]


def _parse_scalar(value: str) -> Scalar:
    """Return a number, a boolean or the text without its quotes."""
    plain = value.strip().strip("\"'")
    if re.fullmatch(r"-?\d+(\.\d+)?", plain):
        return float(plain)
    return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(
        plain.lower(), plain
    )


def _read_json(text: str) -> object:
    """Return the value; a text with comments or trailing commas is read as JavaScript."""
    try:
        return json.loads(text)
    except ValueError:
        return parse_objects(f"({text})", "javascript")


def _read_pairs(text: str) -> object:
    lines = (line for line in text.splitlines() if not re.match(r"\s*[#;]", line))
    return {pair[1]: _parse_scalar(pair[2]) for pair in map(_PAIR.match, lines) if pair}


def _read_ignore_file(text: str) -> object:
    lines = (line.strip() for line in text.splitlines())
    return {"ignored": [line for line in lines if line and not line.startswith("#")]}


def _read_gradle(text: str) -> object:
    plain = re.sub(r"(?m)//.*$|/\*.*?\*/|(?<!\S)#.*$", "", text)
    return _group((name, _parse_scalar(value)) for name, value in _STATEMENT.findall(plain))


def _group(pairs: Iterable[tuple[str, Scalar]]) -> dict[str, list[Scalar]]:
    """Return the values of each name."""
    found: dict[str, list[Scalar]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


def _read_cmake(text: str) -> object:
    plain = re.sub(r"(?m)#.*$", "", text)
    properties = _CMAKE_PROPERTY.findall(plain)
    return {
        "add_test": re.findall(r"(?i)\badd_test\s*\(([^()]*)\)", plain),
        **_group((name, _parse_scalar(value)) for name, value in properties),
    }


def _read_xml(text: str) -> object:
    """Return the texts between tags by the names of the three innermost tags around them.

    `<build><plugins><skip>true</skip></plugins></build>` is `{"build.plugins.skip": [True]}`.
    """
    found: list[tuple[str, Scalar]] = []
    open_tags: list[str] = []
    without_comments = (piece.rpartition("-->")[2] for piece in text.split("<!--"))
    for tag in _TAG.finditer("".join(without_comments)):
        if tag["close"]:
            open_tags = open_tags[:-1]
        elif tag["name"] and not tag[0].endswith("/>"):
            # Outer tags are forgotten, so that deep nesting costs no quadratic time.
            open_tags = [*open_tags[-5:], tag["name"]]
        elif tag["text"] and tag["text"].strip():
            found.append((".".join(open_tags[-3:]), _parse_scalar(tag["text"])))
    return _group(found)


def _read_script(text: str) -> object:
    """Return the literals of a JavaScript file, and as `effects` what may change them."""
    effects = find_effects(text, "typescript")
    return [*parse_objects(text, "typescript"), *([{"effects": effects}] if effects else ())]


def _read_eslint_config(text: str) -> object:
    """Return the blocks `{files: […], rules: {…}}`, and as `scope` the files of each rule."""
    found = _read_script(text)
    # A block without files is for all of them.
    every_file = "**/*" if _TYPESCRIPT.search(text) else "**/*.{js,mjs,cjs}"
    blocks = [inner for outer in _as_list(found) for inner in _as_list(outer)]
    scopes: dict[str, list[object]] = {}
    for block in blocks:
        rules = block.get("rules") if isinstance(block, dict) else None
        for rule in rules if isinstance(rules, dict) else ():
            scopes.setdefault(rule, []).extend(_as_list(block.get("files", every_file)))
    return [*_as_list(found), {"scope": scopes}]


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _read_pyproject(text: str) -> object:
    """Return the document, and mypy's overrides as `mypy.ini` has them: by `mypy-MODULE`."""
    document = tomllib.loads(text)
    tools = document.get("tool")
    mypy = tools.get("mypy") if isinstance(tools, dict) else None
    overrides = mypy.pop("overrides", ()) if isinstance(mypy, dict) else ()
    tables = [table for table in _as_list(overrides) if isinstance(table, dict)]
    overrides_by_module = [
        {f"mypy-{module}": {key: value for key, value in table.items() if key != "module"}}
        for table in tables
        for module in _as_list(table.get("module", ""))
    ]
    return [document, *overrides_by_module]


def _read_cargo(text: str) -> object:
    """Return the document with targets by name: `[[bench]]` is a list of them."""
    document = tomllib.loads(text)
    for kind in _CARGO_TARGETS:
        if isinstance(document.get(kind), list):
            targets = (target for target in document[kind] if isinstance(target, dict))
            document[kind] = {str(target.get("name", "")): target for target in targets}
    return document


def _read_go_mod(text: str) -> object:
    """Return `{"require": ["a/b v1.2.3"]}` for `require a/b v1.2.3`, alone or in a block."""
    found: list[tuple[str, Scalar]] = []
    block = ""
    for line in (line.partition("//")[0].strip() for line in text.splitlines()):
        word, _, rest = line.partition(" ")
        if line.endswith("("):
            block = word
        elif line == ")":
            block = ""
        elif line:
            found.append((block, line) if block else (word, rest))
    return _group(found)


# The first row that matches a file counts.
FORMATS = tuple(
    Format(compile_late(paths), prefix, read)
    for paths, prefix, read in (
        (r"pyproject\.toml", "", _read_pyproject),
        (r"Cargo\.toml", "", _read_cargo),
        (r"\.cargo/config(\.toml)?|(.*/)\.cargo/config(\.toml)?", "cargo", tomllib.loads),
        (r"\.?ruff\.toml", "ruff", tomllib.loads),
        (r"\.?pytest\.(ini|toml)|(setup|\.isort)\.cfg|(tox|\.?mypy)\.ini|\.flake8", "", _read_ini),
        (r"\.coveragerc(\.toml)?", "coverage", _read_ini),
        (r"\.?pylintrc", "pylint", _read_ini),
        (r"\.?rustfmt\.toml", "rustfmt", tomllib.loads),
        (r"\.prettierrc(\.json)?", "prettier", _read_json),
        (r"\.prettierrc\.ya?ml", "prettier", load_yaml),
        (r"(prettier\.config|\.prettierrc)\.[cm]?[jt]s", "prettier", _read_script),
        (r"go\.(mod|work)", "gomod", _read_go_mod),
        (r"\.?(clippy|rust-toolchain|deny|bandit|taplo)\.toml|bunfig\.toml", "", tomllib.loads),
        (r"package\.json", "", _read_json),
        (r"[jt]sconfig[^/]*\.json", "tsconfig", _read_json),
        (r"pyrightconfig\.json", "pyright", _read_json),
        (r"\.eslintrc(\.json)?|eslint-suppressions\.json", "eslint", _read_json),
        (r"\.eslintrc\.ya?ml", "eslint", load_yaml),
        (r"eslint\.config\.[cm]?[jt]s", "eslint", _read_eslint_config),
        (r"\.eslintrc\.[cm]?[jt]s", "eslint", _read_script),
        (r"jest[.-](config|preset)[^/]*\.[cm]?[jt]s", "jest", _read_script),
        (r"jest\.config\.json", "jest", _read_json),
        (r"(vite|karma|ava|playwright|cypress|stryker)[^/]*\.[cm]?[jt]s", "vitest", _read_script),
        (r"biome\.jsonc?|deno\.jsonc?|\.?oxlintrc\.json", "biome", _read_json),
        (r"\.(nycrc|c8rc)(\.json)?", "coverage", _read_json),
        (r"\.mocharc\.jsonc?", "mocha", _read_json),
        (r"\.mocharc\.ya?ml", "mocha", load_yaml),
        (r"\.?(golangci|codecov|coveralls|pre-commit-config)\.ya?ml", "", load_yaml),
        (r"\.?(yamllint|detekt|rubocop)\.ya?ml", "", load_yaml),
        (r"\.(github/workflows/[^/]+|gitlab-ci|circleci/config)\.ya?ml", "ci", load_yaml),
        (r"\.npmrc|\.env(\.[\w.]+)?|(gradle|sonar[^/]*)\.properties", "environment", _read_pairs),
        (r"\.(eslint|prettier|git|stylelint|docker)ignore", "", _read_ignore_file),
        (r"pom\.xml", "maven", _read_xml),
        (r"[^/]*\.gradle(\.kts)?", "gradle", _read_gradle),
        (r"CMakeLists\.txt|[^/]*\.cmake", "cmake", _read_cmake),
    )
)

"""Recorded output of linters, formatters and type checkers."""

import pytest

from checks.parsers.recording import error, info, parse_recorded, warning
from untildone.checks.findings import Diagnostic

MYPY_FOUND = (
    error(
        "cart.py",
        2,
        "import-not-found",
        'Cannot find implementation or library stub for module named "nothing_like_this"',
    ),
    error(
        "cart.py", 6, "return-value", 'Incompatible return value type (got "int", expected "str")'
    ),
    error("cart.py", 14, "attr-defined", '"Cart" has no attribute "row"; maybe "rows"?'),
    error("cart.py", 17, "call-arg", 'Too many arguments for "total"'),
    error(
        "cart.py", 17, "return-value", 'Incompatible return value type (got "str", expected "int")'
    ),
)
PYRIGHT = "/tmp/shop/pyright/"
PYRIGHT_SYNTAX = (
    error(f"{PYRIGHT}broken.py", 1, "", '"(" was not closed'),
    error(f"{PYRIGHT}broken.py", 1, "", "Expected parameter name"),
    error(
        f"{PYRIGHT}broken.py",
        1,
        "",
        "Position-only parameter separator not allowed as first parameter",
    ),
    error(f"{PYRIGHT}broken.py", 2, "", "Expected expression"),
    error(f"{PYRIGHT}broken.py", 2, "", 'Expected ":"'),
    error(f"{PYRIGHT}broken.py", 2, "", "Statements must be separated by newlines or semicolons"),
)
BIOME_ABORTED = (
    "Code formatting aborted due to parsing errors. To format code with "
    "errors, enable the 'formatter.formatWithErrors' option."
)
SHELLCHECK_FOUND = (
    info("deploy.sh", 3, "SC2086", "Double quote to prevent globbing and word splitting."),
    error("deploy.sh", 4, "SC2045", "Iterating over ls output is fragile. Use globs."),
    info(
        "deploy.sh",
        4,
        "SC2035",
        "Use ./*glob* or -- *glob* so names with dashes won't become options.",
    ),
    info("deploy.sh", 5, "SC2086", "Double quote to prevent globbing and word splitting."),
    warning("deploy.sh", 7, "SC3010", "In POSIX sh, [[ ]] is undefined."),
    warning("deploy.sh", 7, "SC3014", "In POSIX sh, == in place of = is undefined."),
    warning(
        "deploy.sh",
        8,
        "SC2034",
        "unused appears unused. Verify use (or export if used externally).",
    ),
    error("broken.sh", 2, "SC1046", "Couldn't find 'fi' for this 'if'."),
    error("broken.sh", 2, "SC1073", "Couldn't parse this if expression. Fix to allow more checks."),
    error("broken.sh", 4, "SC1047", "Expected 'fi' matching previously mentioned 'if'."),
    error("broken.sh", 4, "SC1072", "Expected 'fi'. Fix any mentioned problems and try again."),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mypy-2.4.1-green", ()),
        ("mypy-2.4.1-pretty", MYPY_FOUND),
        (
            "mypy-2.4.1-red",
            (
                error(
                    "cart.py",
                    2,
                    "import-not-found",
                    "Cannot find implementation or library stub for module named "
                    '"nothing_like_this"',
                ),
                error(
                    "cart.py",
                    6,
                    "return-value",
                    'Incompatible return value type (got "int", expected "str")',
                ),
                error(
                    "cart.py", 14, "attr-defined", '"Cart" has no attribute "row"; maybe "rows"?'
                ),
                error("cart.py", 16, "unused-ignore", 'Unused "type: ignore[misc]" comment'),
                error("cart.py", 17, "call-arg", 'Too many arguments for "total"'),
                error(
                    "cart.py",
                    17,
                    "return-value",
                    'Incompatible return value type (got "str", expected "int")',
                ),
            ),
        ),
        (
            "mypy-2.4.1-no-codes",
            tuple(error(finding.path, finding.line, "", finding.text) for finding in MYPY_FOUND),
        ),
        (
            "mypy-2.4.1-syntax",
            (
                error(
                    "broken.py",
                    1,
                    "syntax",
                    "Expected a parameter or the end of the parameter list",
                ),
                error("broken.py", 2, "syntax", "Unexpected EOF while parsing"),
            ),
        ),
        ("pyright-1.1.414-green", ()),
        (
            "pyright-1.1.414-red",
            (
                *PYRIGHT_SYNTAX,
                error(
                    f"{PYRIGHT}cart.py",
                    2,
                    "reportMissingImports",
                    'Import "nothing_like_this" could not be resolved',
                ),
                error(
                    f"{PYRIGHT}cart.py",
                    6,
                    "reportReturnType",
                    'Type "int" is not assignable to return type "str"',
                ),
                error(
                    f"{PYRIGHT}cart.py",
                    14,
                    "reportAttributeAccessIssue",
                    'Cannot access attribute "row" for class "Cart"',
                ),
                info(f"{PYRIGHT}cart.py", 15, "", 'Type of "x" is "Unknown | int"'),
                error(f"{PYRIGHT}cart.py", 17, "reportCallIssue", "Expected 1 positional argument"),
            ),
        ),
        ("basedpyright-1.40.2-green", ()),
        (
            "basedpyright-1.40.2-red",
            (
                *PYRIGHT_SYNTAX,
                warning(
                    f"{PYRIGHT}cart.py", 1, "reportUnusedImport", 'Import "os" is not accessed'
                ),
                error(
                    f"{PYRIGHT}cart.py",
                    2,
                    "reportMissingImports",
                    'Import "nothing_like_this" could not be resolved',
                ),
                warning(
                    f"{PYRIGHT}cart.py",
                    2,
                    "reportUnknownVariableType",
                    'Type of "price" is unknown',
                ),
                warning(
                    f"{PYRIGHT}cart.py", 2, "reportUnusedImport", 'Import "price" is not accessed'
                ),
                error(
                    f"{PYRIGHT}cart.py",
                    6,
                    "reportReturnType",
                    'Type "int" is not assignable to return type "str"',
                ),
                error(
                    f"{PYRIGHT}cart.py",
                    10,
                    "reportUninitializedInstanceVariable",
                    'Instance variable "rows" is not initialized in the class body or __init__ '
                    "method",
                ),
                warning(
                    f"{PYRIGHT}cart.py", 14, "reportUnknownVariableType", 'Type of "x" is unknown'
                ),
                warning(
                    f"{PYRIGHT}cart.py", 14, "reportUnknownMemberType", 'Type of "row" is unknown'
                ),
                error(
                    f"{PYRIGHT}cart.py",
                    14,
                    "reportAttributeAccessIssue",
                    'Cannot access attribute "row" for class "Cart"',
                ),
                info(f"{PYRIGHT}cart.py", 15, "", 'Type of "x" is "Unknown | int"'),
                warning(
                    f"{PYRIGHT}cart.py", 16, "reportUnusedVariable", 'Variable "y" is not accessed'
                ),
                error(
                    f"{PYRIGHT}cart.py",
                    16,
                    "reportAssignmentType",
                    'Type "Literal[\'a\']" is not assignable to declared type "int"',
                ),
                warning(
                    f"{PYRIGHT}cart.py", 17, "reportUnknownVariableType", "Return type is unknown"
                ),
                error(f"{PYRIGHT}cart.py", 17, "reportCallIssue", "Expected 1 positional argument"),
            ),
        ),
        ("ty-0.0.100-green", ()),
        (
            "ty-0.0.100-red",
            (
                error(
                    "broken.py",
                    1,
                    "invalid-syntax",
                    "Expected a parameter or the end of the parameter list",
                ),
                error("broken.py", 2, "invalid-syntax", "unexpected EOF while parsing"),
                error(
                    "cart.py", 5, "invalid-return-type", "Return type does not match returned value"
                ),
                error(
                    "cart.py",
                    13,
                    "missing-attribute",
                    "Object of type `Cart` has no attribute `row`",
                ),
                warning(
                    "cart.py", 14, "undefined-reveal", "`reveal_type` used without importing it"
                ),
                info("cart.py", 14, "revealed-type", "Revealed type"),
                error(
                    "cart.py",
                    15,
                    "invalid-assignment",
                    'Object of type `Literal["a"]` is not assignable to `int`',
                ),
                error(
                    "cart.py",
                    16,
                    "invalid-return-type",
                    "Return type does not match returned value",
                ),
                error(
                    "cart.py",
                    16,
                    "too-many-positional-arguments",
                    "Too many positional arguments to function `total`: expected 1, got 2",
                ),
            ),
        ),
        (
            "ty-0.0.100-concise",
            (
                error(
                    "broken.py",
                    1,
                    "invalid-syntax",
                    "Expected a parameter or the end of the parameter list",
                ),
                error("broken.py", 2, "invalid-syntax", "unexpected EOF while parsing"),
                error(
                    "cart.py",
                    5,
                    "invalid-return-type",
                    "Return type does not match returned value: expected `str`, found `int`",
                ),
                error(
                    "cart.py",
                    13,
                    "missing-attribute",
                    "Object of type `Cart` has no attribute `row`",
                ),
                warning(
                    "cart.py", 14, "undefined-reveal", "`reveal_type` used without importing it"
                ),
                info("cart.py", 14, "revealed-type", "Revealed type: `int`"),
                error(
                    "cart.py",
                    15,
                    "invalid-assignment",
                    'Object of type `Literal["a"]` is not assignable to `int`',
                ),
                error(
                    "cart.py",
                    16,
                    "invalid-return-type",
                    "Return type does not match returned value: expected `int`, found `str`",
                ),
                error(
                    "cart.py",
                    16,
                    "too-many-positional-arguments",
                    "Too many positional arguments to function `total`: expected 1, got 2",
                ),
            ),
        ),
        ("prettier-3.9.10-green", ()),
        (
            "prettier-3.9.10-nothing",
            (error("", 0, "", 'No files matching the pattern were found: "nothing".'),),
        ),
        (
            "prettier-3.9.10-red",
            (
                error("src/broken.js", 1, "", "SyntaxError: Unexpected token"),
                warning("src/cart.js", 0, "unformatted", "is not formatted"),
                warning("src/data.json", 0, "unformatted", "is not formatted"),
                warning("src/my cart/a.js", 0, "unformatted", "is not formatted"),
            ),
        ),
        (
            "biome-2.6.6-check",
            (
                warning(
                    "src/cart.js",
                    1,
                    "lint/style/useConst",
                    "This let declares a variable that is only assigned once.",
                ),
                warning(
                    "src/cart.js",
                    1,
                    "lint/correctness/noUnusedVariables",
                    "This variable unused is unused.",
                ),
                error(
                    "src/broken.js",
                    1,
                    "parse",
                    "expected a name for the function in a function declaration, but found none",
                ),
                error("src/broken.js", 2, "parse", "expected `)` but instead the file ends"),
                error("src/broken.js", 0, "format", BIOME_ABORTED),
                error(
                    "src/cart.js",
                    4,
                    "lint/suspicious/noDoubleEquals",
                    "Using == may be unsafe if you are relying on type coercion.",
                ),
                error(
                    "src/cart.js",
                    5,
                    "lint/suspicious/noDebugger",
                    "This is an unexpected use of the debugger statement.",
                ),
                error(
                    "src/cart.js", 0, "format", "Formatter would have printed the following content"
                ),
                error("src/data.json", 1, "parse", "Expected a property but instead found '}'."),
                error("src/data.json", 0, "format", BIOME_ABORTED),
            ),
        ),
        (
            "biome-2.6.6-format",
            (
                error(
                    "src/broken.js",
                    1,
                    "parse",
                    "expected a name for the function in a function declaration, but found none",
                ),
                error("src/broken.js", 2, "parse", "expected `)` but instead the file ends"),
                error("src/broken.js", 0, "format", BIOME_ABORTED),
                error(
                    "src/cart.js", 0, "format", "Formatter would have printed the following content"
                ),
                error("src/data.json", 1, "parse", "Expected a property but instead found '}'."),
                error("src/data.json", 0, "format", BIOME_ABORTED),
            ),
        ),
        ("biome-2.6.6-green", ()),
        ("shellcheck-0.11.0-green", ()),
        ("shellcheck-0.11.0-red", SHELLCHECK_FOUND),
        ("shellcheck-0.11.0-gcc", SHELLCHECK_FOUND),
    ],
)
def test_what_a_run_reports_is_found(name: str, expected: tuple[Diagnostic, ...]) -> None:
    assert parse_recorded(name) == expected

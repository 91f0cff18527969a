"""Rules for Java and Kotlin."""

from untildone.integrity.sniffing.rule import Rule
from untildone.integrity.sniffing.signs import (
    ASKS,
    BUILD_VARIABLE,
    ENDS,
    EQUAL,
    EXITS,
    PRINTS,
    READS,
    RUNNER_VARIABLE,
    SUCCESS,
)

_CALLS = ("method_invocation", "call_expression")
_METHODS = ("method_declaration", "function_declaration")
_STRINGS = ("string_literal",)

RULES = (
    Rule(
        because=ASKS,
        kinds=_STRINGS,
        text=r"(?i)\bjunit\b|\btestng\b|surefire|org\.gradle\.test|\bmockito\b|java\.class\.path",
    ),
    Rule(
        because=ASKS,
        kinds=_CALLS,
        text=rf"^System\.(getenv|getProperty)\(\"({RUNNER_VARIABLE.pattern}|{BUILD_VARIABLE.pattern})\"",
    ),
    Rule(
        because=ASKS,
        kinds=("identifier", "simple_identifier", "type_identifier"),
        text=r"^(getStackTrace|StackWalker|stackTrace|currentThread)$",
        within=r"(?s)^[^;{]*\([^;{]*\)[^;{]*\{.*\"[^\"]*([tT]est|junit)[^\"]*\"",
    ),
    Rule(
        because=EXITS,
        kinds=_CALLS,
        text=r"^(System\.exit|exitProcess)\(0\)$",
        file=r"(?s)\A(?!.*(static void main\s*\(|fun main\s*\())",
    ),
    Rule(
        because=EXITS,
        kinds=_CALLS,
        text=r"^(System\.exit|exitProcess)\(0\)$",
        within=r"^(static\s*\{|init\s*\{)",
    ),
    Rule(because=ENDS, kinds=_CALLS, text=r"^Runtime\.getRuntime\(\)\.halt\("),
    Rule(
        because=EQUAL,
        kinds=_METHODS,
        text=r"(?s)\b(boolean|fun)\s+equals\s*\([^)]*\)\s*(:\s*Boolean\s*)?(\{\s*return\s+true;?\s*\}|=\s*true)$"
        r"|\b(int|fun)\s+compareTo\s*\([^)]*\)\s*(:\s*Int\s*)?(\{\s*return\s+0;?\s*\}|=\s*0)$",
    ),
    Rule(
        because=READS,
        kinds=_STRINGS,
        text=r"src/test/|[tT]ests?\.(java|kt)\b",
        file=r"\b(Files\.|FileReader|FileInputStream|Paths?\.|File\(|getResource)",
    ),
    Rule(
        because=PRINTS,
        kinds=_STRINGS,
        text=f"(?im){SUCCESS.pattern}",
        within=r"^(System\.(out|err)|println|print)\b",
    ),
)

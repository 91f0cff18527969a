"""Rules for C and C++."""

from untildone.integrity.sniffing.rule import Rule
from untildone.integrity.sniffing.signs import (
    ASKS,
    BUILD_VARIABLE,
    EQUAL,
    EXITS,
    PATCHES,
    PRINTS,
    READS,
    RUNNER_VARIABLE,
    SUCCESS,
)

RULES = (
    Rule(
        because=ASKS,
        kinds=("preproc_ifdef", "preproc_if", "preproc_elif"),
        text=r"\A#\s*(el)?if(n?def)?\b.*\b(UNIT_?TEST\w*|TESTING|TEST_BUILD|G?TEST_\w+"
        r"|RUNNING_TESTS?|UNITY_\w+|CMOCKA\w*|BUILD_TESTING)\b",
    ),
    Rule(
        because=ASKS,
        kinds=("call_expression",),
        text=rf"^(std::)?(secure_)?getenv\(\"({RUNNER_VARIABLE.pattern}|{BUILD_VARIABLE.pattern})\"",
    ),
    Rule(
        because=EXITS,
        kinds=("call_expression",),
        text=r"^(std::)?(exit|_Exit|_exit|quick_exit)\((0|EXIT_SUCCESS)\)$",
        file=r"__attribute__\s*\(\(.*\b(con|de)structor|\b(at|on)_?exit\s*\(",
    ),
    Rule(
        because=PATCHES,
        kinds=("preproc_def", "preproc_function_def", "preproc_call"),
        text=r"\A#\s*(define|undef)\s+(assert|ASSERT_\w+|EXPECT_\w+|TEST_ASSERT\w*|ck_assert\w*"
        r"|CHECK\w*|REQUIRE\w*)\b",
    ),
    Rule(
        because=EQUAL,
        kinds=("function_definition",),
        text=r"(?s)\boperator\s*==\s*\([^)]*\)\s*(const)?\s*(noexcept)?\s*\{\s*return\s+true;\s*\}$",
    ),
    Rule(
        because=READS,
        kinds=("string_literal",),
        text=r"(^\"|/)tests?/|_test\.(c|cc|cpp)\b",
        file=r"\b(fopen|ifstream|open)\s*\(",
    ),
    Rule(
        because=PRINTS,
        kinds=("string_literal",),
        text=f"(?im){SUCCESS.pattern}",
        within=r"^(printf|puts|fprintf|std::cout)",
    ),
)

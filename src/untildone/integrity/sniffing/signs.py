"""Signs: places in product code that look at the tests, and the names they are known by."""

import re

from msgspec import Struct

from untildone.core.evidence import ConcernKind

# Only test runners set these.
RUNNER_VARIABLE = re.compile(
    r"PYTEST\w*|_?PYTEST_\w+|_called_from_test|VITEST\w*|JEST_\w+|NODE_TEST_CONTEXT|MOCHA\w*"
    r"|AVA_PATH|CYPRESS\w*|PLAYWRIGHT_TEST\w*|NEXTEST\w*|RUST_TEST_\w+|GO_TEST\w*|CTEST_\w+"
    r"|TOX_ENV_NAME|TOX_ENV_DIR|NOX_\w+|COV_CORE_\w+|COVERAGE_RUN|BATS_\w+|RUNNING_TESTS?"
    r"|UNDER_TEST|IS_TEST\w*|IN_TESTS?|UNIT_TESTS?|UNITTEST\w*|npm_lifecycle_\w+|__vitest\w*"
)
# CI systems set these; product code rarely reads them.
BUILD_VARIABLE = re.compile(r"CI|GITHUB_ACTIONS|GITLAB_CI|CONTINUOUS_INTEGRATION|TESTING|TEST")
RUNNER_NAME = re.compile(
    r"(^|[\W_])(py\.?test|unittest|nose2?|vitest|jest|mocha|node:test|conftest|junit|surefire"
    r"|testng|ctest|go-?test)([\W_]|$)|\.test(\.exe)?$|_test(\.go)?$|^-?-?test(\.|$)|/deps/|[/\\]tests?[/\\]"
    r"|^_?tests?[_.]|[._](test|spec)\.|^tests?$",
    re.IGNORECASE,
)
# How a runner reports success: 5 passed in 0.02s; Ran 4 tests; test result: ok
SUCCESS = re.compile(
    r"\b\d+ (tests? )?(passed|passing)\b|\bRan \d+ tests?\b|\btest result: ok\b|^# pass \d"
    r"|\bTests?:? +\d+ passed|\ball tests? (have )?pass(ed)?\b|^--- PASS|^PASS$|^ok +\t?\S+\t"
    r"|\bTests run: \d+, Failures: 0|\bBUILD SUCCESS(FUL)?\b|\bno issues found\b"
    r"|\bAll checks passed\b|\b0 (failed|failures|errors)\b",
    re.IGNORECASE | re.MULTILINE,
)


class Sign(Struct, frozen=True):
    kind: ConcernKind
    because: str
    text: str
    line: int

    @property
    def key(self) -> tuple[str, str]:
        """The same wherever the code stands."""
        return self.because, "".join(self.text.split())


ASKS = "asks whether it is under test"
READS = "turns to the files of the tests"
EXITS = "ends the program with success when it is loaded"
ENDS = "ends the program past its runner"
PATCHES = "changes what the tests judge with"
EQUAL = "equals whatever it is compared with"
NEAR = "equals what is only near to it"
PRINTS = "prints what a test runner would say"
HIDES = "runs code that cannot be read"

KINDS = {
    ASKS: ConcernKind.SNIFFING,
    READS: ConcernKind.SNIFFING,
    EXITS: ConcernKind.RUNNER,
    ENDS: ConcernKind.RUNNER,
    PATCHES: ConcernKind.RUNNER,
    EQUAL: ConcernKind.ALWAYS_EQUAL,
    NEAR: ConcernKind.ALWAYS_EQUAL,
    PRINTS: ConcernKind.RUNNER,
    HIDES: ConcernKind.SNIFFING,
}


def make_sign(because: str, text: str, line: int) -> Sign:
    return Sign(KINDS[because], because, text, line)

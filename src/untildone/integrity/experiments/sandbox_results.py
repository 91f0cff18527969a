"""The results of checks that ran in one sandbox."""

from msgspec import Struct

from untildone.checks.affected_tests import AffectedTests
from untildone.core.check_results import CheckResult
from untildone.core.sandbox_trial import Wall


class SandboxRun(Struct, frozen=True):
    """The results of checks in one sandbox."""

    results: tuple[CheckResult, ...]
    # A failure of untildone itself.
    fault: str = ""
    # Why the run proves nothing, as where the sandbox could not be made.
    unproved: str = ""
    # Whether only affected tests ran, since one of them fails.
    failed_early: bool = False
    # The checks of which only the affected tests ran, as configured, by name.
    affected: dict[str, AffectedTests] = {}
    # The walls of the sandbox.
    walls: tuple[Wall, ...] = ()

    @property
    def red(self) -> tuple[CheckResult, ...]:
        return tuple(result for result in self.results if not result.green)

    @property
    def passed(self) -> bool:
        """Whether checks ran and all of them are green."""
        return bool(self.results) and not self.red and not self.fault

    @property
    def failure(self) -> str:
        """Return why the run has no results, although a sandbox could be made before."""
        return self.fault or self.unproved

    @property
    def has_failing_tests(self) -> bool:
        return any(map(has_failing_tests, self.results))


def has_failing_tests(result: CheckResult) -> bool:
    """Say whether tests failed: a run of some tests may be red for other reasons, as coverage."""
    return result.outcome == "red" and result.tests is not None and result.tests.failed > 0

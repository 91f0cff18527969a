"""The last judged stop of a loop in one line: `held: test red, 3 passed, 1 failed`."""

from untildone.core.concerns import strip_content_digest
from untildone.core.failure_list import summarize_result
from untildone.core.progress import Round
from untildone.core.text import join_first, to_one_line
from untildone.core.verdict import Continue
from untildone.report.status import LastVerdict
from untildone.report.verdict_names import name_verdict


def describe_last_round(entry: Round) -> LastVerdict:
    return LastVerdict(
        round=entry.number,
        at=entry.at,
        verdict=name_verdict(entry.verdict),
        reason=to_one_line(_explain_verdict(entry)),
    )


def _explain_verdict(entry: Round) -> str:
    """Return the verdict's own reason; of a hold the red checks, else what it names."""
    if not isinstance(entry.verdict, Continue):
        return entry.verdict.reason
    red = [
        f"{result.name} {summarize_result(result)}" for result in entry.checks if not result.green
    ]
    names = join_first(tuple(map(strip_content_digest, entry.verdict.names)))
    return "; ".join(red) or names or "not reported as done"

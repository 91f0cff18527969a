"""A task in the hands of a worker, as its row says."""

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from untildone.engine.request import StartOptions
from untildone.runs.queue.values import MergeEvidence, PlannedTask, decode_evidence, decode_plan

# What a worker gets of a task that is no column as it stands.
_DECODED = {"options", "into", "evidence", "plan", "is_taken_over"}


class TakenTask(Struct, frozen=True, kw_only=True):
    """A task in the hands of this worker."""

    id: str
    token: int
    attempt: int
    # The first attempt that shares the bounds with this one.
    since_attempt: int
    repository: str
    base: str
    agent: str
    added_at: str
    # The hash of the configuration that the submitter trusts; empty for none.
    configuration: str
    options: StartOptions
    # By the clock of the database; 0 for none.
    deadline_ms: int
    # The branch that it is merged into, and why a merge sent it back.
    into: str = ""
    evidence: MergeEvidence | None = None
    plan: PlannedTask | None = None
    # Whether an earlier worker had this attempt.
    is_taken_over: bool

    @property
    def workflow(self) -> str:
        return f"{self.id}.{self.attempt}"


def read_taken(row: sa.RowMapping, *, is_taken_over: bool) -> TakenTask:
    given = set(TakenTask.__struct_fields__) - _DECODED
    return TakenTask(
        options=msgspec.json.decode(row["options"], type=StartOptions),
        into=row["target"],
        evidence=decode_evidence(row["evidence"]),
        plan=decode_plan(row["plan"]),
        is_taken_over=is_taken_over,
        **{name: row[name] for name in given},
    )

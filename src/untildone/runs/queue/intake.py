"""What a worker refuses of the tasks in the database: rows that `queue add` does not write.

A submitter can insert tasks without our program. The id becomes a folder and a branch, and
the repository is compared with the allowed ones by the route.
"""

import re

import msgspec
import sqlalchemy as sa

from untildone.engine.request import StartOptions
from untildone.errors import UserError
from untildone.runs.queue.submission import require_branch_name
from untildone.runs.queue.task_queue import make_route
from untildone.runs.queue.values import decode_plan

# 1f2e3d4c
_ID = re.compile(r"[0-9a-f]{8,32}")


def find_problem(row: sa.RowMapping) -> str:
    """Return why no worker may do the task of this row; empty if one may."""
    if not _ID.fullmatch(row["id"]):
        return "its id is none of ours"
    route = make_route(row["agent"], row["labels"], row["repository"])
    # With a tab in one of them, a part of the labels could pass for the repository.
    if row["route"] != route or route.count("\t") != 2:
        return "its route is not that of its agent, labels and repository"
    try:
        msgspec.json.decode(row["options"], type=StartOptions)
        decode_plan(row["plan"])
        require_branch_name(row["target"])
    except (msgspec.DecodeError, RecursionError, UserError) as error:
        return f"it cannot be read: {error}"
    return ""

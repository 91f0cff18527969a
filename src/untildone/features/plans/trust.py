"""Whether the user trusted the commands of a plan on this machine."""

import hashlib
from pathlib import Path

from untildone.engine.context import Context
from untildone.features.plans.model import Plan
from untildone.features.plans.task_checks import list_commands
from untildone.store.home import prepare_home
from untildone.store.trusted_files import read_trusted_hash, record_trust


def digest_commands(plan: Plan) -> str:
    """Covers only commands and allowances: the status of tasks changes all the time."""
    return hashlib.sha256(
        "\n".join(list_commands(plan)).encode("utf-8", "backslashreplace")
    ).hexdigest()


def is_trusted(context: Context, path: Path, plan: Plan) -> bool:
    """A plan that runs nothing needs no trust."""
    return not list_commands(plan) or read_trusted_hash(context.home, path) == digest_commands(plan)


def trust_plan(context: Context, path: Path, plan: Plan) -> None:
    prepare_home(context.home)
    record_trust(
        context.home, path, sha256=digest_commands(plan), text="\n".join(list_commands(plan))
    )

"""Which options may stand beside a plan: the plan says the rest itself."""

from collections.abc import Collection

import click
from click.core import ParameterSource

from untildone.errors import UserError


def require_plan_options(allowed: Collection[str]) -> None:
    """Refuse options for what the plan itself says."""
    context = click.get_current_context()
    for param in context.command.params:
        name = param.name or ""
        typed = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if typed and name not in allowed:
            raise UserError(
                f"`{param.opts[0]}` cannot be combined with `--plan`",
                hint="put it into the plan, as `checks`, `allow` or `prompt` of a task",
            )

"""The feature "counts": a loop ends when its checks report none of what the user counts.

`--zero-errors`, `--zero-warnings`, `--zero-security` and `--tests-pass` choose what is counted.
"""

from pathlib import Path

from msgspec.structs import asdict, replace

from untildone.checks import security
from untildone.core.contract import Check, Contract
from untildone.engine.context import Context
from untildone.engine.feature import Feature
from untildone.engine.project_checks import load_trusted_configuration
from untildone.engine.request import Request, StartOptions
from untildone.features.counts.selection import choose_counts, resolve_targets, select_counts


def _read_options(context: Context, options: StartOptions, request: Request) -> Request:
    """Return the request with the counts, their targets and a security check from the options."""
    switches = {name for name, value in asdict(options).items() if value is True}
    return replace(
        request,
        counts=select_counts(switches),
        zero_errors=options.zero_errors is not False,
        targets=resolve_targets(request.project, options.targets),
        also=_find_security_check(context, request.project, options),
    )


def _find_security_check(
    context: Context, project: Path, options: StartOptions
) -> tuple[Check, ...]:
    """Return the check for `--zero-security`, or nothing if it is not asked for.

    Rules named on the command line ask for it too; else it uses the trusted configuration's.
    """
    rules = options.security_rules
    if not (options.zero_security or rules):
        return ()
    if not rules:
        rules = tuple(
            project / folder
            for folder in load_trusted_configuration(context, project).security_rules
        )
    return (security.make_check(project, rules=rules),)


def _agree(_: Context, request: Request, contract: Contract) -> Contract:
    """Return the contract with its counts; raises UserError if no check measures one."""
    return replace(contract, counts=choose_counts(request, contract.checks))


FEATURE = Feature(read_options=_read_options, agree=_agree)

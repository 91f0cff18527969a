"""Starts a loop: a request goes in, a recorded loop that is active in its session comes out.

The request says what the user wants; the contract has what is agreed: the checks found, the rule
by which the loop is done, and the bounds.
"""

import secrets
from contextlib import ExitStack

from msgspec.structs import replace

from untildone.config.proposals import load_proposals
from untildone.core.agent_message import is_vague
from untildone.core.contract import Check, Contract, ExitRule, LeftOut, Oracle, Terms
from untildone.core.progress import Progress
from untildone.engine.active_time import read_clock
from untildone.engine.baseline_snapshot import snapshot_baseline
from untildone.engine.context import Context, project_folder, update_index
from untildone.engine.feature import load_used_features
from untildone.engine.left_out_checks import (
    describe_missing_tools,
    find_missing_tools,
    leave_out_checks,
)
from untildone.engine.project_checks import (
    choose_checks,
    describe_untrusted,
    list_checks,
    list_skipped_checks,
    validate_check,
)
from untildone.engine.removed_folders import explain_removed_folders
from untildone.engine.request import DEFAULT_TASKS, Request
from untildone.engine.scope import Scope
from untildone.engine.start_rules import require_evidence, require_no_loop, require_valid_request
from untildone.errors import UserError
from untildone.report.notices import format_status_line
from untildone.store.home import prepare_home
from untildone.store.lasting_approvals import list_approvals
from untildone.store.loops import Record
from untildone.worktree.incomplete import describe_missing_parts


def begin_loop(context: Context, request: Request) -> Record:
    """Record a new loop that is active in the request's session, and return it.

    The tree is saved as the baseline here; the checks run on it later. Raises UserError if the
    request is refused.
    """
    prepare_home(context.home)
    require_no_loop(context, request.session)
    require_valid_request(request)
    contract = _build_contract(context, request)
    session = context.session(request.session)
    features = load_used_features(context, Scope(event="start", session=session, contract=contract))
    with ExitStack() as reserved:
        for feature in features:
            reserved.enter_context(feature.reserve(context, contract))
        digest, missing = reserved.enter_context(snapshot_baseline(context, contract))
        progress = Progress(
            updated_at=contract.started_at,
            clock=read_clock(),
            baseline_tree_digest=digest,
            baseline_missing=missing,
        )
        record = context.loops.create(contract, progress)
    session.remove("prompt.json")
    if contract.checks:
        folder = project_folder(context.home, request.project) / "checks"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    update_index(context, record, format_status_line(record))
    warnings = [contract.ignored_configuration] if contract.ignored_configuration else []
    warnings += describe_missing_tools(contract)
    warnings += describe_missing_parts(request.project) if contract.checks else ()
    warnings += explain_removed_folders(context)
    warnings += [line for feature in features for line in feature.loop_started(context, record)]
    warnings += [
        f"the promise `{text}` is vague, an agent says it on the way:"
        ' `--promise "ALL TESTS GREEN"` says what must be true'
        for text in request.promises
        if is_vague(text)
    ]
    return replace(record, warnings=(*record.warnings, *warnings))


def _build_contract(context: Context, request: Request) -> Contract:
    """Return the contract for the request, with checks found and with the features' criteria."""
    found = _add_checks(request.checks or _find_checks(context, request), request.also)
    checks, left_out = leave_out_checks(found, request.without)
    for check in checks:
        validate_check(check)
    rule = request.done_when or _choose_exit_rule(request, checks)
    require_evidence(rule, request, checks)
    terms = {name: getattr(request, name) for name in Terms.__struct_fields__}
    always = _list_lasting_approvals(context, request)
    terms |= {
        "task": request.task or DEFAULT_TASKS.get(request.preset, "Finish the work."),
        "checks": checks,
        "allow": (*request.allow, *always),
    }
    contract = Contract(
        id=secrets.token_hex(4),
        agent=context.agent.NAME,
        project=str(request.project),
        started_at=context.now(),
        started_by=request.by,
        done_when=rule,
        oracle=_make_oracle(request, checks),
        ignored_configuration=_describe_ignored_configuration(context, request),
        always=always,
        left_out=(*left_out, *_list_skipped(context, request)),
        missing_tools=find_missing_tools(checks, request.project, context.environ),
        **terms,
    )
    scope = Scope(event="start", contract=contract, request=request)
    for feature in load_used_features(context, scope):
        contract = feature.agree(context, request, contract)
    return contract


def _list_lasting_approvals(context: Context, request: Request) -> tuple[str, ...]:
    """Return what the user approved for good in this project and does not allow anyway."""
    approvals = list_approvals(project_folder(context.home, request.project))
    return tuple(each.what for each in approvals if each.what not in request.allow)


def _describe_ignored_configuration(context: Context, request: Request) -> str:
    """Return a line if the project's checks could not be used: its configuration is not trusted.

    A user who names the checks of the loop asks for no others.
    """
    if request.checks:
        return ""
    try:
        return describe_untrusted(context, load_proposals(request.project))
    except UserError as error:
        # A loop of promises needs no configuration.
        return f"the configuration is ignored: {error.message}"


def _list_skipped(context: Context, request: Request) -> tuple[LeftOut, ...]:
    """Return the checks with `skip = true`; none where the user names the loop's checks."""
    return () if request.checks else list_skipped_checks(context, request.project)


def _make_oracle(request: Request, checks: tuple[Check, ...]) -> Oracle | None:
    """Return the oracle of `--oracle`: a hidden check of the user that confirms the others."""
    if request.oracle is None:
        return None
    if not checks:
        raise UserError(
            "`--oracle` only confirms checks, and there is none",
            hint='name one: `--check "YOUR COMMAND"`',
        )
    # Imported where it is used: a prompt that starts no loop must not pay for it.
    from untildone.integrity.experiments.oracle import make_oracle

    return make_oracle(request.oracle, request.project)


def _find_checks(context: Context, request: Request) -> tuple[Check, ...]:
    """Return the checks of the request's preset.

    There are none where the user names other criteria and no preset: `--promise "ALL GREEN"`.
    """
    if not request.preset and (request.promises or request.claims or request.todos):
        return ()
    try:
        return choose_checks(context, request.project, request.preset)
    except UserError:
        # A loop from a spec may rest on claims that the agent adds, and one without a preset on
        # the added checks alone; but not if the project has checks that could not be chosen.
        needs_no_checks = request.preset == "loop" or (request.also and not request.preset)
        if needs_no_checks and list_checks(context, request.project)[0] == ():
            return ()
        raise


def _add_checks(checks: tuple[Check, ...], also: tuple[Check, ...]) -> tuple[Check, ...]:
    """Return `checks` and those of `also` that run another command, each under its own name.

    Criteria are told apart by name: a second `test` becomes `test-2`, a third `test-3`.
    """
    named = {check.name: check for check in checks}
    commands = {check.command for check in checks}
    for check in also:
        if check.command not in commands:
            names = (check.name, *(f"{check.name}-{number}" for number in range(2, len(named) + 3)))
            name = next(name for name in names if name not in named)
            named[name] = replace(check, name=name)
            commands.add(check.command)
    return tuple(named.values())


def _choose_exit_rule(request: Request, checks: tuple[Check, ...]) -> ExitRule:
    """Return what ends a loop whose user has not said it: checks, a promise, or both."""
    only_todos = request.todos and not checks and not request.promises
    if request.claims or request.preset == "loop" or only_todos:
        return "both"
    return "checks" if checks else "promise"


def is_armed(context: Context, record: Record) -> bool:
    """Say whether a hook of the loop's session has ever run: without hooks no agent is held."""
    return bool(context.session_of(record).find_last_event())

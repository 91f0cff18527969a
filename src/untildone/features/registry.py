"""The list of all features, with a function for each that says whether an event uses it.

A hook runs at each event of each session, so it imports only the features that the event uses.
Each `_uses_…` therefore decides by what the event's scope already has, and by whether a file of
the session or the loop exists.
"""

from functools import partial
from importlib import import_module

from untildone.core.counts import DECIDING_PRESET
from untildone.core.plan_task import PLANNED
from untildone.engine.context import RegisteredFeature
from untildone.engine.payload import EDITING, TODO
from untildone.engine.scope import Scope
from untildone.features.edits.switch import AUTO
from untildone.features.importers import FOLLOWED_FILE_NOTE, IMPORT_REASON
from untildone.features.milestones import MILESTONES_FILE


def _uses_importers(scope: Scope) -> bool:
    """Loops that other tools keep in files: found at a stop, given back at the loop's end."""
    if scope.event == "doctor":
        return True
    if scope.event == "end":
        return scope.folder is not None and (scope.folder / FOLLOWED_FILE_NOTE).exists()
    has_no_loop_yet = scope.event == "Stop" and scope.contract is None
    return has_no_loop_yet and scope.session is not None and scope.session.has(IMPORT_REASON)


def _uses_edits(scope: Scope) -> bool:
    """Checks after edits: at an edit, and at a stop if files were edited or it is automatic."""
    if scope.event != "Stop":
        return scope.event in ("PostToolUse", "doctor")
    if scope.contract is None:
        return scope.session is not None and AUTO in scope.session.read_stop_reasons()
    return bool(scope.contract.checks) and scope.uses_tool(*EDITING)


def _uses_budget(scope: Scope) -> bool:
    """Money and minutes: between tool calls, and whenever a loop starts, stops or is shown."""
    if scope.event == "PostToolBatch":
        return True
    return scope.contract is not None and scope.event in ("Stop", "start", "status")


def _uses_spec(scope: Scope) -> bool:
    """Loops on a specification (preset `loop`), or with a checkpoint before each step ("2B")."""
    match scope.event:
        case "verb":
            return scope.name == "steps"
        case "end":
            if scope.session is None or scope.folder is None:
                return False
            # To clean up: a loop's state is removed only once its session has let go of it.
            return scope.session.get_loop_id() != scope.folder.name
        case _:
            contract = scope.contract
            return contract is not None and (
                contract.preset == "loop" or contract.reversibility == "2B"
            )


def _uses_milestones(scope: Scope) -> bool:
    """Events for the user's receivers: when a loop has started, later if it has receivers."""
    if scope.event == "doctor":
        return True
    if scope.event == "start":
        # With a request the loop is still being agreed on.
        return scope.contract is not None and scope.request is None
    return scope.folder is not None and (scope.folder / MILESTONES_FILE).exists()


def _uses_telemetry(scope: Scope) -> bool:
    """Traces of loops that end, if the user has settings at all: they say whether to send them."""
    if scope.event == "doctor":
        return True
    if scope.event not in ("Stop", "end") or scope.folder is None:
        return False
    return (scope.folder.parent.parent / "config.toml").exists()


def _uses_plans(scope: Scope) -> bool:
    """Loops on tasks of a TASKS.json, and prompts that ask for one."""
    # A loop without a plan that was imported from ShipSpec may promise the same markers, such as
    # `<task-loop-complete>VERIFIED</task-loop-complete>`.
    has_marker = scope.event == "Stop" and "-complete>" in scope.message
    has_plan = scope.contract is not None and scope.contract.plan is not None
    return has_plan or has_marker or scope.name in PLANNED


def _uses_templates(scope: Scope) -> bool:
    """Named loops: only when a loop is started with `--template` or `--then`."""
    return scope.options is not None and bool(scope.options.template or scope.options.then)


def _uses_counts(scope: Scope) -> bool:
    """Counts as criteria: only while a loop is being started, from its options or its request."""
    request, options = scope.request, scope.options
    if options is not None:
        switches = (options.zero_warnings, options.zero_security, options.tests_pass)
        paths = (options.targets, options.security_rules)
        return any((*switches, *paths)) or options.zero_errors is not None
    if request is None:
        return False
    return request.preset == DECIDING_PRESET or bool(request.counts) or not request.zero_errors


def _uses_todos(scope: Scope) -> bool:
    """TODO items: at stops, when a loop is started with them, and at prompts outside of a loop."""
    match scope.event:
        case "Stop":
            are_criteria = scope.contract is not None and bool(scope.contract.todos)
            return are_criteria or scope.uses_tool(TODO)
        case "UserPromptSubmit":
            return scope.contract is None
        case _:
            options = scope.options
            return options is not None and (options.todos or options.from_todos)


def _uses_chains(scope: Scope) -> bool:
    """Loops that follow another: at the stops of a loop that something follows."""
    contract = scope.contract
    if contract is None or scope.event != "Stop":
        return False
    return bool(contract.then or (contract.plan and contract.plan.followed))


def _load_feature(folder: str) -> object:
    """Import the feature in this folder."""
    return import_module(f"untildone.features.{folder}.feature").FEATURE


# The order matters: importers give a tool's file back before the loop's folder may be removed,
# templates read their options before TODO items may become the task, the next loop starts last.
FEATURES = tuple(
    RegisteredFeature(is_used, partial(_load_feature, folder))
    for folder, is_used in (
        ("importers", _uses_importers),
        ("edits", _uses_edits),
        ("budget", _uses_budget),
        ("spec", _uses_spec),
        ("milestones", _uses_milestones),
        ("telemetry", _uses_telemetry),
        ("plans", _uses_plans),
        ("templates", _uses_templates),
        ("counts", _uses_counts),
        ("todos", _uses_todos),
        ("chains", _uses_chains),
    )
)

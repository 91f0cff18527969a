"""Every feature: when it is used, and how it is loaded.

A hook runs at each event of each session, so it imports only the features that the event uses:
the functions here read what is known already and the names of files, nothing else.
"""

from collections.abc import Callable
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
    if scope.event == "doctor":
        return True
    if scope.event == "end":
        return scope.folder is not None and (scope.folder / FOLLOWED_FILE_NOTE).exists()
    starting = scope.event == "Stop" and scope.contract is None
    return starting and scope.session is not None and scope.session.has(IMPORT_REASON)


def _uses_edits(scope: Scope) -> bool:
    if scope.event != "Stop":
        return scope.event in ("PostToolUse", "doctor")
    if scope.contract is None:
        return scope.session is not None and AUTO in scope.session.read_stop_reasons()
    return bool(scope.contract.checks) and scope.uses_tool(*EDITING)


def _uses_budget(scope: Scope) -> bool:
    if scope.event == "PostToolBatch":
        return True
    return scope.contract is not None and scope.event in ("Stop", "start", "status")


def _uses_spec(scope: Scope) -> bool:
    match scope.event:
        case "verb":
            return scope.name == "steps"
        case "end":
            if scope.session is None or scope.folder is None:
                return False
            return scope.session.get_loop_id() != scope.folder.name
        case _:
            contract = scope.contract
            return contract is not None and (
                contract.preset == "loop" or contract.reversibility == "2B"
            )


def _uses_milestones(scope: Scope) -> bool:
    if scope.event == "start":
        return scope.contract is not None and scope.request is None
    return scope.folder is not None and (scope.folder / MILESTONES_FILE).exists()


def _uses_plans(scope: Scope) -> bool:
    # Without a plan the same markers may stand in the promises.
    marked = scope.event == "Stop" and "-complete>" in scope.message
    planned = scope.contract is not None and scope.contract.plan is not None
    return planned or marked or scope.name in PLANNED


def _uses_templates(scope: Scope) -> bool:
    return scope.options is not None and bool(scope.options.template or scope.options.then)


def _uses_counts(scope: Scope) -> bool:
    request, options = scope.request, scope.options
    if options is not None:
        switches = (options.zero_warnings, options.zero_security, options.tests_pass)
        paths = (options.targets, options.security_rules)
        return any((*switches, *paths)) or options.zero_errors is not None
    if request is None:
        return False
    return request.preset == DECIDING_PRESET or bool(request.counts) or not request.zero_errors


def _uses_todos(scope: Scope) -> bool:
    match scope.event:
        case "Stop":
            agreed = scope.contract is not None and bool(scope.contract.todos)
            return agreed or scope.uses_tool(TODO)
        case "UserPromptSubmit":
            return scope.contract is None
        case _:
            options = scope.options
            return options is not None and (options.todos or options.from_todos)


def _uses_chains(scope: Scope) -> bool:
    contract = scope.contract
    if contract is None or scope.event != "Stop":
        return False
    return bool(contract.then or (contract.plan and contract.plan.followed))


def _register(folder: str, is_used: Callable[[Scope], bool]) -> RegisteredFeature:
    return RegisteredFeature(is_used, partial(_load_feature, folder))


def _load_feature(folder: str) -> object:
    return import_module(f"untildone.features.{folder}.feature").FEATURE


# In this order: a file is given back before its loop's folder may go, options of templates are
# read before the TODO items that may be the task, and the next loop begins last.
FEATURES = (
    _register("importers", _uses_importers),
    _register("edits", _uses_edits),
    _register("budget", _uses_budget),
    _register("spec", _uses_spec),
    _register("milestones", _uses_milestones),
    _register("plans", _uses_plans),
    _register("templates", _uses_templates),
    _register("counts", _uses_counts),
    _register("todos", _uses_todos),
    _register("chains", _uses_chains),
)

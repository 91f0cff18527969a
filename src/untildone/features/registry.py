"""Every feature: when it is used, and how it is loaded.

A hook runs at each event of each session, so it imports only the features that the event uses:
`is_used` reads what is known already and the names of files, nothing else.
"""

from untildone.core.counts import DECIDING_PRESET
from untildone.core.plan_task import PLANNED
from untildone.engine.context import RegisteredFeature
from untildone.engine.feature import Feature
from untildone.engine.payload import EDITING, TODO
from untildone.engine.scope import Scope
from untildone.features.edits.switch import AUTO
from untildone.features.importers.trusted_projects import BOUND_FILE, REASON


def _uses_importers(scope: Scope) -> bool:
    if scope.event == "doctor":
        return True
    if scope.event == "end":
        return scope.folder is not None and (scope.folder / BOUND_FILE).exists()
    starting = scope.event == "Stop" and scope.contract is None
    return starting and scope.session is not None and scope.session.has(REASON)


def _load_importers() -> Feature:
    from untildone.features.importers.feature import FEATURE

    return FEATURE


def _uses_edits(scope: Scope) -> bool:
    if scope.event != "Stop":
        return scope.event in ("PostToolUse", "doctor")
    if scope.contract is None:
        return scope.session is not None and AUTO in scope.session.read_stop_reasons()
    return bool(scope.contract.checks) and scope.uses_tool(*EDITING)


def _load_edits() -> Feature:
    from untildone.features.edits.feature import FEATURE

    return FEATURE


def _uses_budget(scope: Scope) -> bool:
    if scope.event == "PostToolBatch":
        return True
    return scope.contract is not None and scope.event in ("Stop", "start", "status")


def _load_budget() -> Feature:
    from untildone.features.budget.feature import FEATURE

    return FEATURE


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


def _load_spec() -> Feature:
    from untildone.features.spec.feature import FEATURE

    return FEATURE


def _uses_milestones(scope: Scope) -> bool:
    if scope.event == "start":
        return scope.contract is not None and scope.request is None
    return scope.folder is not None and (scope.folder / "milestones.json").exists()


def _load_milestones() -> Feature:
    from untildone.features.milestones.feature import FEATURE

    return FEATURE


def _uses_plans(scope: Scope) -> bool:
    # Without a plan the same markers may stand in the promises.
    marked = scope.event == "Stop" and "-complete>" in scope.message
    planned = scope.contract is not None and scope.contract.plan is not None
    return planned or marked or scope.name in PLANNED


def _load_plans() -> Feature:
    from untildone.features.plans.feature import FEATURE

    return FEATURE


def _uses_templates(scope: Scope) -> bool:
    return scope.options is not None and bool(scope.options.template or scope.options.then)


def _load_templates() -> Feature:
    from untildone.features.templates.feature import FEATURE

    return FEATURE


def _uses_counts(scope: Scope) -> bool:
    request, options = scope.request, scope.options
    if options is not None:
        switches = (options.zero_warnings, options.zero_security, options.tests_pass)
        paths = (options.targets, options.security_rules)
        return any((*switches, *paths)) or options.zero_errors is not None
    if request is None:
        return False
    return request.preset == DECIDING_PRESET or bool(request.counts) or not request.zero_errors


def _load_counts() -> Feature:
    from untildone.features.counts.feature import FEATURE

    return FEATURE


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


def _load_todos() -> Feature:
    from untildone.features.todos.feature import FEATURE

    return FEATURE


def _uses_chains(scope: Scope) -> bool:
    contract = scope.contract
    if contract is None or scope.event != "Stop":
        return False
    return bool(contract.then or (contract.plan and contract.plan.followed))


def _load_chains() -> Feature:
    from untildone.features.chains.feature import FEATURE

    return FEATURE


# In this order: a file is given back before its loop's folder may go, options of templates are
# read before the TODO items that may be the task, and the next loop begins last.
FEATURES = (
    RegisteredFeature(_uses_importers, _load_importers),
    RegisteredFeature(_uses_edits, _load_edits),
    RegisteredFeature(_uses_budget, _load_budget),
    RegisteredFeature(_uses_spec, _load_spec),
    RegisteredFeature(_uses_milestones, _load_milestones),
    RegisteredFeature(_uses_plans, _load_plans),
    RegisteredFeature(_uses_templates, _load_templates),
    RegisteredFeature(_uses_counts, _load_counts),
    RegisteredFeature(_uses_todos, _load_todos),
    RegisteredFeature(_uses_chains, _load_chains),
)

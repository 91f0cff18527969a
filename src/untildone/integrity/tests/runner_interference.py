"""Finds new code that interferes with the test runner: hooks, exits, redefined assertions.

A `conftest.py` whose hook sets `report.outcome = "passed"`, a test file that calls `os._exit(0)`
and one that defines its own `expect` make failing tests look green. Each finding ("sign") is a
phrase that completes the message "`conftest.py` now …": "calls `os._exit` outside of a test".
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from ast_grep_py import SgNode

from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.syntax import nodes
from untildone.syntax.languages import language_of_tests
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_EXIT_CALLS = words("""
    os._exit sys.exit pytest.exit exit quit os.kill os.abort _exit process.exit process.reallyExit
    process.abort System.exit Runtime.getRuntime.halt atexit.register
""")
# Fields that hold the outcome of a test or decide which tests run.
_OUTCOME_FIELDS = words("outcome longrepr exitstatus wasxfail testsfailed exitCode runtest obj")
# `items[:] = …` or `config.hook.pytest_deselected` drop tests, `item.add_marker(skip)` skips them.
# Its group is "skip" or "xfail". To skip is milder: the baseline's tests run in a sandbox as well.
_DESELECTION = compile_late(
    r"\bitems\s*\[:\]\s*=|\bitems\.(?:remove|clear|pop)\b|\bdel\s+items\b|deselect"
    r"|add_marker\([^)]*(skip|xfail)|force_result|force_exception"
)
_SKIPS_TESTS = "that skips tests"
# Their return value replaces what pytest would do.
_DECIDING_HOOKS = words("""
    pytest_runtest_protocol pytest_pyfunc_call pytest_ignore_collect pytest_runtest_call
    pytest_pycollect_makeitem pytest_collect_file pytest_report_teststatus pytest_cmdline_main
""")
_RUNNER_MODULES = words("pytest _pytest unittest builtins nose doctest")
_NAMES_RUNNER = compile_late(rf"\b({'|'.join(_RUNNER_MODULES)})\b")
_TEST_FUNCTIONS = words("expect assert test it describe suite should")
# Built-in matchers of Jest, Vitest and Playwright with their aliases.
_BUILT_IN_MATCHERS = compile_late(
    r"toBe(Close(To)?|Defined|Falsy|GreaterThan(OrEqual)?|InstanceOf|LessThan(OrEqual)?|NaN|Null"
    r"|Nullable|OneOf|Truthy|TypeOf|Undefined|Called\w*|Calls?|Visible|Hidden|Enabled|Disabled"
    r"|Checked|OK)?"
    r"|to(Strict|Deep)?Equals?|toMatch(Object|\w*Snapshot)?|toContain(Equal|Keys?)?"
    r"|toThrow(Error\w*|\w*Snapshot)?|toHave(Been|Length|Property|(Nth|Last)?(Return|Resolve))\w*"
    r"|to(Nth|Last)?(Return(ed)?\w*|CalledWith)|toSatisfy|toResolve|toReject"
)
_ASSERT_MACRO = compile_late(r"(debug_)?assert(_eq|_ne)?|panic|matches|unreachable")
# Types of JUnit and TestNG that can swallow failures or disable tests.
_INTERCEPTOR_TYPES = compile_late(
    r"\b(TestExecutionExceptionHandler|InvocationInterceptor|ExecutionCondition"
    r"|LifecycleMethodExecutionExceptionHandler|TestRule|MethodRule|IInvokedMethodListener"
    r"|IRetryAnalyzer)\b"
)
# globalThis.expect = …, assert.equal = …
_TEST_FUNCTION_MEMBER = compile_late(
    r"(globalThis|global|window)\.(expect|assert|test|it|describe)\b|(assert|expect)\.\w+$"
)
# Functions that the runner calls without being asked by a test.
_AUTOMATIC_FUNCTION = compile_late(
    r"pytest_|set_?up|tear_?down|load_tests|TestMain|init$|globalSetup|before|handleTestEvent",
    re.IGNORECASE,
)
_ASSIGNMENTS = words("assignment assignment_expression assignment_statement")


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each changed file with new interference.

    What any changed file had in the baseline is not new: code may move to another file.
    """
    changes = comparison.changes
    paths = [path for path in changes.edited_or_added if _may_steer_tests(comparison, path)]
    if not paths:
        return
    known = {
        sign
        for path in changes.edited_or_removed
        if _may_steer_tests(comparison, path)
        for sign in _find_signs(comparison.old, path)
    }
    for path in paths:
        signs = _find_signs(comparison.new, path) - known
        if signs:
            # One sign is reported for each file: rather one that does more than skip tests.
            sign = min(signs, key=lambda phrase: (_SKIPS_TESTS in phrase, phrase))
            # A run of the baseline's tests settles whether a skipped test would still pass.
            kind = ConcernKind.EDIT_TEST if _SKIPS_TESTS in sign else ConcernKind.RUNNER
            reason = f"`{path}` now {sign}, which can change the outcome of tests"
            yield comparison.make_concern(kind, path, reason=reason)


def _may_steer_tests(comparison: Comparison, path: str) -> bool:
    """Whether the file is source in a language whose tests are read, whatever its name.

    A plugin of the runner may be anywhere; `_PRODUCT_FINDERS` look for it in product files.
    """
    return bool(language_of_tests(path)) and comparison.role(path) != "document"


def _find_signs(tree: Tree, path: str) -> set[str]:
    """Return the signs of interference in the file."""
    root = tree.fact(nodes.parse_test_file, path)
    is_test_code = classify_file(path) in ("test", "config")
    finders = _FINDERS if is_test_code else _PRODUCT_FINDERS
    return {sign for find in finders.get(language_of_tests(path), ()) for sign in find(root)}


def _find_exits(root: SgNode) -> Iterator[str]:
    """Yield calls that end the process, and handlers of its end, outside of tests."""
    for call in nodes.find_below(root, nodes.CALLS):
        name, arguments = nodes.read_call_path(call), nodes.list_arguments(call)
        if name in _EXIT_CALLS and _runs_unasked(call):
            yield f"calls `{name}` outside of a test"
        if name in ("process.on", "process.once") and arguments:
            event = (nodes.read_literal(arguments[0]) or "").removeprefix('"')
            if event in ("exit", "beforeExit", "uncaughtException", "unhandledRejection"):
                yield f"answers the process's `{event}`"


def _runs_unasked(node: SgNode) -> bool:
    """Whether the node runs without a test calling it: at import, in a hook or a set-up."""
    for above in node.ancestors():
        # if __name__ == "__main__": sys.exit(main())
        if above.kind() == "if_statement" and re.search(r"__main__|require\.main", above.text()):
            return False
        if above.kind() in nodes.FUNCTIONS:
            return bool(_AUTOMATIC_FUNCTION.match(nodes.read_name(above)))
        if above.kind() in nodes.CLOSURES:
            # beforeAll(() => process.exit(0))
            arguments = above.parent()
            call = arguments.parent() if arguments is not None else None
            is_argument = call is not None and call.kind() in nodes.CALLS
            name = nodes.read_call_path(call) if call is not None and is_argument else ""
            return bool(re.match(r"(before|after|setup|teardown|global)", name))
    return True


def _find_hooks(root: SgNode) -> Iterator[str]:
    """Yield pytest hooks that change outcomes or deselect tests."""
    for name, node in nodes.find_named(root, frozenset(("function_definition",))):
        if name == "load_tests":
            yield "defines `load_tests`"
        if not name.startswith("pytest_"):
            continue
        text = node.text()
        replaces_pytest = name in _DECIDING_HOOKS and "yield" not in text and "return" in text
        changed = {nodes.get_member(target) for target in _list_assigned_members(node)}
        deselections = {found[1] or "" for found in _DESELECTION.finditer(text)}
        if changed & _OUTCOME_FIELDS or deselections - {"skip"} or replaces_pytest:
            yield f"has a hook `{name}` that changes which tests count"
        elif deselections:
            yield f"has a hook `{name}` {_SKIPS_TESTS}"


def _list_assigned_members(node: SgNode) -> list[SgNode]:
    """Return the targets of assignments such as `report.outcome = …`."""
    assignments = nodes.find_below(node, _ASSIGNMENTS)
    targets = (assignment.field("left") for assignment in assignments)
    return [target for target in targets if target is not None and target.kind() in nodes.MEMBERS]


def _find_ignored_files(root: SgNode) -> Iterator[str]:
    """Yield `collect_ignore = ["test_price.py"]` of a `conftest.py`."""
    for target, _ in nodes.list_assignments(root):
        if target in ("collect_ignore", "collect_ignore_glob"):
            yield f"sets a `{target}` {_SKIPS_TESTS}"


def _find_patches(root: SgNode) -> Iterator[str]:
    """Yield assignments such as `Function.runtest = …` to names of the runner."""
    if not _NAMES_RUNNER.search(root.text()):
        return
    names = set(_RUNNER_MODULES)
    for node in nodes.find_below(root, words("import_from_statement import_statement")):
        if re.match(r"(from|import)\s+(_?pytest|unittest|builtins)\b", node.text()):
            names |= {part.text() for part in nodes.find_below(node, frozenset(("identifier",)))}
    for target in _list_assigned_members(root):
        if target.text().partition(".")[0] in names:
            yield f"replaces `{target.text()}`"
    for call in nodes.find_below(root, nodes.CALLS):
        if nodes.read_callee(call)[1] == "setattr":
            # setattr(Function, "runtest", …)
            owner = "".join(argument.text() for argument in nodes.list_arguments(call)[:1])
            if owner.partition(".")[0] in names:
                yield f"replaces a part of `{owner}`"


def _find_redefined_functions(root: SgNode) -> Iterator[str]:
    """Yield redefinitions of `expect`, `assert`, `test` and similar functions."""
    for name, node in nodes.find_named(root, nodes.FUNCTIONS | {"variable_declarator"}):
        # `const expect = () => …` is judged by its value.
        kind = (node.field("value") or node).kind()
        is_function = kind in nodes.FUNCTIONS - {"method_definition"}
        if name in _TEST_FUNCTIONS and (is_function or kind in nodes.CLOSURES | {"object"}):
            yield f"defines its own `{name}`"
    for node in nodes.find_below(root, _ASSIGNMENTS):
        target = node.field("left")
        text = target.text() if target is not None else ""
        if _TEST_FUNCTION_MEMBER.match(text):
            yield f"replaces `{text}`"
        if text == "process.exitCode":
            yield "sets `process.exitCode`"


def _find_matchers(root: SgNode) -> Iterator[str]:
    """Yield changes of `expect`: built-in matchers that are replaced, and those that always pass.

    A matcher that a project adds for itself, `expect.extend({ toBeEven() { … } })`, is fine.
    """
    for call in nodes.find_below(root, nodes.CALLS):
        name, arguments = nodes.read_call_path(call), nodes.list_arguments(call)
        if name == "expect.extend":
            names = nodes.find_below(call, frozenset(("property_identifier",)))
            is_built_in = any(_BUILT_IN_MATCHERS.fullmatch(matcher.text()) for matcher in names)
            if is_built_in or re.search(r"\bpass\s*:\s*true\b", call.text()):
                yield "gives `expect` matchers of its own"
        if name == "Object.assign" and arguments and arguments[0].text() in _TEST_FUNCTIONS:
            yield f"replaces parts of `{arguments[0].text()}`"
    for name, _ in nodes.find_named(root, frozenset(("method_definition",))):
        if name == "handleTestEvent":
            yield "has an environment that handles test events"


def _find_test_main(root: SgNode) -> Iterator[str]:
    """Yield a Go `TestMain` that does not exit with `m.Run()`, and other ways to hide failures."""
    functions = {
        name: body
        for name, node in nodes.find_named(root, frozenset(("function_declaration",)))
        if (body := node.field("body")) is not None
    }
    if "TestMain" in functions and not _passes_result_on(functions["TestMain"], functions):
        yield "has a `TestMain` that does not pass on the result"
    for name, _ in nodes.find_named(root, frozenset(("method_declaration",))):
        if re.fullmatch(r"(Error|Fatal|Fail)(f|Now)?", name):
            yield f"defines its own `{name}`"
    for call in nodes.find_below(root, nodes.CALLS):
        if nodes.read_call_path(call) == "flag.Set" and '"test.' in call.text():
            yield "sets the runner's flags"


def _passes_result_on(main: SgNode, functions: Mapping[str, SgNode]) -> bool:
    """Whether `TestMain` runs the tests and exits with their result.

    It does with `os.Exit(m.Run())` or `os.Exit(run(m))`, but not with `m.Run(); os.Exit(0)`.
    """
    calls = nodes.find_below(main, nodes.CALLS)
    exits = [call for call in calls if nodes.read_call_path(call) == "os.Exit"]
    statuses = [next(iter(nodes.list_arguments(call)), None) for call in exits]
    if any(status is None or nodes.read_literal(status) is not None for status in statuses):
        return False
    names = [status.text().partition("(")[0] for status in statuses if status is not None]
    texts = [functions[name].text() for name in names if name in functions]
    if any(re.search(r"\breturn 0\b", text) for text in texts):
        return False
    return any(".Run()" in text for text in (main.text(), *texts))


def _find_go_exits(root: SgNode) -> Iterator[str]:
    """Yield calls of `os.Exit` in `init` or outside of functions; both run before the tests.

    `TestMain` has to call it; `_find_test_main` looks at how.
    """
    for call in nodes.find_below(root, nodes.CALLS):
        if nodes.read_call_path(call) != "os.Exit":
            continue
        enclosing = [above for above in call.ancestors() if above.kind() in nodes.FUNCTIONS]
        if not enclosing or nodes.read_name(enclosing[-1]) in ("init", ""):
            yield "calls `os.Exit` outside of a test"


def _find_macros(root: SgNode) -> Iterator[str]:
    """Yield Rust macros that hide those of the standard library: `macro_rules! assert_eq`."""
    for name, _ in nodes.find_named(root, frozenset(("macro_definition",))):
        if _ASSERT_MACRO.fullmatch(name):
            yield f"defines its own `{name}!`"


def _find_interceptors(root: SgNode) -> Iterator[str]:
    """Yield Java classes such as `class Quiet implements TestExecutionExceptionHandler`."""
    for node in nodes.find_below(root, frozenset(("class_declaration",))):
        if (interceptor := _INTERCEPTOR_TYPES.search(node.text())) is not None:
            yield f"intercepts tests by `{interceptor[1]}`"


_Finders: TypeAlias = tuple[Callable[[SgNode], Iterator[str]], ...]
_SCRIPT_LANGUAGES = ("javascript", "typescript", "tsx")
_SCRIPT_FINDERS: _Finders = (_find_exits, _find_redefined_functions, _find_matchers)
# For test files and settings.
_FINDERS: dict[str, _Finders] = {
    "python": (_find_exits, _find_hooks, _find_ignored_files, _find_patches),
    "go": (_find_test_main, _find_go_exits),
    "rust": (_find_macros,),
    "java": (_find_exits, _find_interceptors),
    **dict.fromkeys(_SCRIPT_LANGUAGES, _SCRIPT_FINDERS),
}
# For all other files, since a plugin or a set-up file may have any name: only what no product does.
_PRODUCT_FINDERS: dict[str, _Finders] = {
    "python": (_find_patches,),
    "rust": (_find_macros,),
    **dict.fromkeys(_SCRIPT_LANGUAGES, (_find_matchers,)),
}

"""Finds new code that interferes with the test runner: hooks, exits, redefined assertions."""

import re
from collections.abc import Callable, Iterator

from ast_grep_py import SgNode

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.syntax.languages import language_of_tests
from untildone.syntax.nodes import (
    CALLS,
    CLOSURES,
    FUNCTIONS,
    MEMBERS,
    find_below,
    get_member,
    list_arguments,
    list_assignments,
    parse_test_file,
    read_call_path,
    read_callee,
    read_literal,
)
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_EXIT_CALLS = words("""
    os._exit sys.exit pytest.exit exit quit os.kill os.abort _exit process.exit process.reallyExit
    process.abort os.Exit System.exit std::process.exit process::exit.exit Runtime.getRuntime.halt
    atexit.register
""")
# Fields that hold the outcome of a test or decide which tests run.
_OUTCOME_FIELDS = words("outcome longrepr exitstatus wasxfail testsfailed exitCode runtest obj")
_DESELECTION = re.compile(
    r"\bitems\s*\[:\]\s*=|\bitems\.(?:remove|clear|pop)\b|\bdel\s+items\b|deselect"
    r"|add_marker\([^)]*(skip|xfail)|force_result|force_exception"
)
_SKIPS_TESTS = "that skips tests"
_DECIDING_HOOKS = (
    "pytest_runtest_protocol",
    "pytest_pyfunc_call",
    "pytest_ignore_collect",
    "pytest_runtest_call",
    "pytest_pycollect_makeitem",
    "pytest_collect_file",
    "pytest_report_teststatus",
    "pytest_cmdline_main",
)
_RUNNER_MODULES = words("pytest _pytest unittest builtins nose doctest")
_TEST_FUNCTIONS = words("expect assert test it describe suite should")
# Built-in matchers of Jest, Vitest and Playwright with their aliases.
_BUILT_IN_MATCHERS = re.compile(
    r"toBe(Close(To)?|Defined|Falsy|GreaterThan(OrEqual)?|InstanceOf|LessThan(OrEqual)?|NaN|Null"
    r"|Nullable|OneOf|Truthy|TypeOf|Undefined|Called\w*|Calls?|Visible|Hidden|Enabled|Disabled"
    r"|Checked|OK)?"
    r"|to(Strict|Deep)?Equals?|toMatch(Object|\w*Snapshot)?|toContain(Equal|Keys?)?"
    r"|toThrow(Error\w*|\w*Snapshot)?|toHave(Been|Length|Property|(Nth|Last)?(Return|Resolve))\w*"
    r"|to(Nth|Last)?(Return(ed)?\w*|CalledWith)|toSatisfy|toResolve|toReject"
)
_ASSERT_MACRO = re.compile(r"(debug_)?assert(_eq|_ne)?|panic|matches|unreachable")
_INTERCEPTOR_TYPES = re.compile(
    r"\b(TestExecutionExceptionHandler|InvocationInterceptor|ExecutionCondition"
    r"|LifecycleMethodExecutionExceptionHandler|TestRule|MethodRule|IInvokedMethodListener"
    r"|IRetryAnalyzer)\b"
)
_ASSIGNMENTS = frozenset(("assignment", "assignment_expression", "assignment_statement"))


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Report interference that no changed file of the baseline had, so that it may move."""
    changed = comparison.changes.edited_or_added
    paths = [path for path in changed if _may_steer_tests(comparison, path)]
    if not paths:
        return
    gone = comparison.changes.edited_or_removed
    before = {
        sign
        for path in gone
        if _may_steer_tests(comparison, path)
        for sign in find_interference(comparison.old, path)
    }
    for path in paths:
        for sign in sorted(
            find_interference(comparison.new, path) - before,
            key=lambda each: (_SKIPS_TESTS in each, each),
        ):
            yield make_concern(
                # Pass-to-pass still runs a test that is only skipped.
                ConcernKind.EDIT_TEST if _SKIPS_TESTS in sign else ConcernKind.RUNNER,
                path,
                reason=f"`{path}` now {sign}, which can change the outcome of tests",
                content=comparison.new.entries[path].digest,
            )
            break


def _may_steer_tests(comparison: Comparison, path: str) -> bool:
    return bool(language_of_tests(path)) and comparison.role(path) != "document"


def find_interference(tree: Tree, path: str) -> set[str]:
    """Return the interference found in the file, each as a phrase for the message."""
    language = language_of_tests(path)
    root = tree.fact(parse_test_file, path)
    finders = _FINDERS if classify_file(path) in ("test", "config") else _ANYWHERE
    return {sign for find in finders.get(language, ()) for sign in find(root)}


def _find_exits(root: SgNode) -> Iterator[str]:
    for call in find_below(root, CALLS):
        name = read_call_path(call)
        if name in _EXIT_CALLS and _runs_unasked(call):
            yield f"calls `{name}` outside of a test"
        if name in ("process.on", "process.once") and list_arguments(call):
            event = (read_literal(list_arguments(call)[0]) or "").removeprefix('"')
            if event in ("exit", "beforeExit", "uncaughtException", "unhandledRejection"):
                yield f"answers the process's `{event}`"


def _runs_unasked(node: SgNode) -> bool:
    """Whether the node runs at import, in a hook, a fixture or a set-up."""
    for above in node.ancestors():
        if above.kind() == "if_statement" and re.search(r"__main__|require\.main", above.text()):
            return False
        if above.kind() in FUNCTIONS:
            name = above.field("name")
            return name is not None and bool(_AUTOMATIC_FUNCTION.match(name.text()))
        if above.kind() in CLOSURES:
            call = above.parent()
            call = call.parent() if call is not None else None
            named = read_call_path(call) if call is not None and call.kind() in CALLS else ""
            return bool(re.match(r"(before|after|setup|teardown|global)", named))
    return True


_AUTOMATIC_FUNCTION = re.compile(
    r"pytest_|set_?up|tear_?down|load_tests|TestMain|init$|globalSetup|before|handleTestEvent",
    re.IGNORECASE,
)


def _find_hooks(root: SgNode) -> Iterator[str]:
    """Yield pytest hooks that change outcomes or deselect tests."""
    for node in find_below(root, frozenset(("function_definition",))):
        label = node.field("name")
        name = label.text() if label is not None else ""
        if name == "load_tests":
            yield "defines `load_tests`"
        if not name.startswith("pytest_"):
            continue
        changed = {
            get_member(left)
            for each in find_below(node, _ASSIGNMENTS)
            if (left := each.field("left")) is not None and left.kind() in MEMBERS
        }
        answers = name in _DECIDING_HOOKS and "yield" not in node.text() and "return" in node.text()
        drops = {each[1] or "" for each in _DESELECTION.finditer(node.text())}
        if changed & _OUTCOME_FIELDS or drops - {"skip"} or answers:
            yield f"has a hook `{name}` that changes which tests count"
        elif drops:
            yield f"has a hook `{name}` {_SKIPS_TESTS}"


def _find_ignored_files(root: SgNode) -> Iterator[str]:
    for target, _ in list_assignments(root):
        if target in ("collect_ignore", "collect_ignore_glob"):
            yield f"sets a `{target}` {_SKIPS_TESTS}"


def _find_patches(root: SgNode) -> Iterator[str]:
    """Yield assignments such as `Function.runtest = …` to names of the runner."""
    names = set(_RUNNER_MODULES)
    for each in find_below(root, frozenset(("import_from_statement", "import_statement"))):
        if re.match(r"(from|import)\s+(_?pytest|unittest|builtins)\b", each.text()):
            names |= {part.text() for part in find_below(each, frozenset(("identifier",)))}
    for each in find_below(root, _ASSIGNMENTS):
        left = each.field("left")
        if left is not None and left.kind() in MEMBERS and left.text().partition(".")[0] in names:
            yield f"replaces `{left.text()}`"
    for call in find_below(root, CALLS):
        given = list_arguments(call)
        if (
            read_callee(call)[1] == "setattr"
            and given
            and given[0].text().partition(".")[0] in names
        ):
            yield f"replaces a part of `{given[0].text()}`"


def _find_redefined_functions(root: SgNode) -> Iterator[str]:
    """Yield redefinitions of `expect`, `assert`, `test` and similar functions."""
    for node in find_below(root, FUNCTIONS | frozenset(("variable_declarator",))):
        name, held = node.field("name"), node.field("value")
        if name is None or name.text() not in _TEST_FUNCTIONS or node.kind() == "method_definition":
            continue
        if node.kind() != "variable_declarator" or (
            held is not None and held.kind() in (*CLOSURES, "object")
        ):
            yield f"defines its own `{name.text()}`"
    for each in find_below(root, _ASSIGNMENTS):
        left = each.field("left")
        text = left.text() if left is not None else ""
        if re.match(
            r"(globalThis|global|window)\.(expect|assert|test|it|describe)\b|(assert|expect)\.\w+$",
            text,
        ):
            yield f"replaces `{text}`"
        if text == "process.exitCode":
            yield "sets `process.exitCode`"


def _find_matchers(root: SgNode) -> Iterator[str]:
    for call in find_below(root, CALLS):
        name = read_call_path(call)
        if name == "expect.extend":
            text = call.text()
            if re.search(r"\bpass\s*:\s*true\b", text) or any(
                _BUILT_IN_MATCHERS.fullmatch(each.text())
                for each in find_below(call, frozenset(("property_identifier",)))
            ):
                yield "gives `expect` matchers of its own"
        if (
            name == "Object.assign"
            and list_arguments(call)
            and list_arguments(call)[0].text() in _TEST_FUNCTIONS
        ):
            yield f"replaces parts of `{list_arguments(call)[0].text()}`"
    for node in find_below(root, frozenset(("method_definition",))):
        label = node.field("name")
        if label is not None and label.text() == "handleTestEvent":
            yield "has an environment that handles test events"


def _find_test_main(root: SgNode) -> Iterator[str]:
    """Yield a Go `TestMain` that does not pass on the result of `m.Run()`."""
    functions = {}
    for node in find_below(root, frozenset(("function_declaration",))):
        name, body = node.field("name"), node.field("body")
        if name is not None and body is not None:
            functions[name.text()] = body
    if (main := functions.get("TestMain")) is not None:
        exits = [
            list_arguments(call)
            for call in find_below(main, CALLS)
            if read_call_path(call) == "os.Exit"
        ]
        constant = [given for given in exits if not given or read_literal(given[0]) is not None]
        names = [given[0].text().partition("(")[0] for given in exits if given]
        texts = [functions[name].text() for name in names if name in functions]
        runs = any(".Run()" in text for text in (main.text(), *texts))
        if not runs or constant or any(re.search(r"\breturn 0\b", text) for text in texts):
            yield "has a `TestMain` that does not pass on the result"
    for node in find_below(root, frozenset(("method_declaration",))):
        name = node.field("name")
        if name is not None and re.fullmatch(r"(Error|Fatal|Fail)(f|Now)?", name.text()):
            yield f"defines its own `{name.text()}`"
    for call in find_below(root, CALLS):
        if read_call_path(call) == "flag.Set" and '"test.' in call.text():
            yield "sets the runner's flags"


def _find_go_exits(root: SgNode) -> Iterator[str]:
    """Yield calls of `os.Exit` outside of `TestMain`, which `_find_test_main` reads."""
    for call in find_below(root, CALLS):
        if read_call_path(call) != "os.Exit":
            continue
        above = [each.field("name") for each in call.ancestors() if each.kind() in FUNCTIONS]
        name = above[-1].text() if above and above[-1] is not None else ""
        if name in ("init", ""):
            yield "calls `os.Exit` outside of a test"


def _find_macros(root: SgNode) -> Iterator[str]:
    for node in find_below(root, frozenset(("macro_definition",))):
        name = node.field("name")
        if name is not None and _ASSERT_MACRO.fullmatch(name.text()):
            yield f"defines its own `{name.text()}!`"


def _find_interceptors(root: SgNode) -> Iterator[str]:
    for node in find_below(root, frozenset(("class_declaration",))):
        if (interceptor := _INTERCEPTOR_TYPES.search(node.text())) is not None:
            yield f"intercepts tests by `{interceptor[1]}`"


_FINDERS: dict[str, tuple[Callable[[SgNode], Iterator[str]], ...]] = {
    "python": (_find_exits, _find_hooks, _find_ignored_files, _find_patches),
    "go": (_find_test_main, _find_go_exits),
    "rust": (_find_macros,),
    "java": (_find_exits, _find_interceptors),
    **dict.fromkeys(
        ("javascript", "typescript", "tsx"),
        (_find_exits, _find_redefined_functions, _find_matchers),
    ),
}
# A plugin or a set-up file may have any name.
_ANYWHERE: dict[str, tuple[Callable[[SgNode], Iterator[str]], ...]] = {
    "python": (_find_patches,),
    "rust": (_find_macros,),
    **dict.fromkeys(("javascript", "typescript", "tsx"), (_find_matchers,)),
}

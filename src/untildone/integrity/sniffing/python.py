"""Signs that Python product code notices its tests or interferes with them.

Such code `asks` whether a test runner runs it, `reads` test files, `exits` with success when it is
imported, `ends` the process before failures are reported, `patches` what tests rely on, is `equal`
to everything or to what is `near`, `prints` a runner's success, or `hides` the code that it runs.
"""

import ast
import builtins
import re
from collections.abc import Iterator
from typing import TypeAlias

from untildone.core.late_patterns import compile_late
from untildone.integrity.sniffing.python_equality import find_constant_equality, find_loose_equality
from untildone.integrity.sniffing.python_module import Module, is_assigned, read_module
from untildone.integrity.sniffing.signs import Sign, SignName, is_word
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

# pytest, unittest, parser.test (a test program of Go), target/debug/deps/ (one of Rust), test_a.py
_RUNNER_NAME = compile_late(
    r"(^|[\W_])(py\.?test|unittest|nose2?|vitest|jest|mocha|node:test|conftest|junit|surefire"
    r"|testng|ctest|go-?test)([\W_]|$)|\.test(\.exe)?$|_test(\.go)?$|^-?-?test(\.|$)|/deps/|[/\\]tests?[/\\]"
    r"|^_?tests?[_.]|[._](test|spec)\.|^tests?$",
    re.IGNORECASE,
)
_ENVIRONMENT = frozenset(("environ", "getenv", "environb"))
# Which modules, arguments and objects the running process has.
_PROCESS_FACTS = words("""
    modules argv orig_argv find_spec builtins cmdline getpid getppid get_objects __main__ Process
    __module__
""")
# On Linux these hold the command line of the program.
_PROC_FILE = compile_late(r"/proc/\w+/(cmdline|comm|environ)")
# Names that lead to the functions which called the running one.
_FRAMES = words("""
    f_code f_back co_filename co_name currentframe _getframe stack extract_stack format_stack
    walk_stack code_context getframeinfo
""")
# Names that together reach the variables or the source line of the caller.
_CALLER_ACCESS = tuple(
    map(words, ("f_back f_locals", "code_context stack", "code_context getframeinfo"))
)
_FILE_ACCESS = words("""
    open read_text read_bytes write_text write_bytes glob rglob iglob listdir scandir walk iterdir
    import_module spec_from_file_location run_path run_module exec getsource getlines getline unlink
    remove __import__ loadtxt read_csv load_source
""")
# Modules by which tests are run and values compared.
_TEST_TOOLS = frozenset(("unittest", "pytest", "_pytest", "pluggy", "operator", "doctest"))
# Of the standard library, what test runners call.
_TEST_TOOL_NAMES = compile_late(r"sys\.(exit|modules(\..*)?)|os\._exit|math\.isclose|atexit\..*")
_ENDING_CALLS = frozenset(("_exit", "exit", "quit", "kill", "abort", "SystemExit"))
_DECODING_CALLS = words("b64decode b85decode a85decode b32decode decompress fromhex unhexlify")
_PRINTING = frozenset(("print", "write", "echo", "info", "writelines", "system"))
_MAX_SOURCE = 200
# Nodes with the name of the sign that they are.
_NamedNodes: TypeAlias = Iterator[tuple[SignName, ast.AST]]
# A file that supports tests may use their tools.
_TEST_SUPPORT_PATH = compile_late(r"test|plugin|fixture|helper|support", re.IGNORECASE)


def find_python_signs(tree: Tree, path: str, *, tests: frozenset[str]) -> Iterator[Sign]:
    """Yield the signs in a product file; `tests` are the paths of the test files.

    A file that does not parse has none: it cannot be imported either.
    """
    module = tree.fact(read_module, path)
    if module is None:
        return
    for name, node in (
        *_find_runner_questions(module),
        *_find_suspicious_imports(module, path, tests),
        *_find_uses_of_test_files(module, tests),
        # Nobody imports `__main__.py`: it is a program, which may end.
        *(() if path.endswith("__main__.py") else _find_exits_at_import(module)),
        *_find_forced_endings(module),
        *_find_patches(module),
        *(("equal", node) for node in find_constant_equality(module)),
        *(("near", node) for node in find_loose_equality(module)),
        *_find_prints(module),
        *_find_hidden_code(module),
    ):
        yield Sign(name, ast.unparse(node)[:_MAX_SOURCE], getattr(node, "lineno", 1))


def _find_runner_questions(module: Module) -> _NamedNodes:
    """Yield code that asks whether a test runner runs it: `"pytest" in sys.modules`."""
    for text, node in module.strings:
        statement = module.find_statement(node)
        names = module.list_names(statement)
        names_runner = _RUNNER_NAME.search(text) is not None
        if (
            # os.environ["PYTEST_CURRENT_TEST"]
            (is_word("runner-variable", text) and not module.is_key_being_set(node))
            # os.getenv("CI")
            or (names & _ENVIRONMENT and is_word("build-variable", text.upper()))
            # "pytest" in sys.modules
            or (names_runner and names & _PROCESS_FACTS)
            # "pytest" in open("/proc/self/cmdline").read()
            or (names_runner and any(map(_PROC_FILE.match, module.list_strings(statement))))
        ):
            yield "asks", statement
    for function in module.functions:
        names = module.list_names(function)
        names_runner = any(map(_RUNNER_NAME.search, module.list_strings(function)))
        # sys._getframe(1).f_back.f_locals, or any look at callers together with "test_"
        if any(access <= names for access in _CALLER_ACCESS) or (names_runner and names & _FRAMES):
            yield "asks", module.find_first_use(function, _FRAMES)


def _find_suspicious_imports(module: Module, path: str, tests: frozenset[str]) -> _NamedNodes:
    """Yield imports of test files, of pytest, and of `mock.ANY`, which equals everything."""
    for name, node in module.imports:
        stem, package = name.replace(".", "/"), name.partition(".")[0]
        is_test = not tests.isdisjoint((f"{stem}.py", f"{stem}/__init__.py"))
        # A path in a folder has the role of the folder.
        is_test_folder = classify_file(f"{stem}/x") == "test"
        if is_test or (is_test_folder and any(test.startswith(f"{stem}/") for test in tests)):
            yield "reads", node
        # Product code has no use for pytest but to change what it does.
        elif package in ("pytest", "_pytest") and not _TEST_SUPPORT_PATH.search(path):
            yield "patches", node
        elif name == "unittest.mock.ANY":
            yield "equal", node


def _find_uses_of_test_files(module: Module, tests: frozenset[str]) -> _NamedNodes:
    """Yield statements that name test files, in a module that opens or lists files."""
    if not module.list_names(module.tree) & _FILE_ACCESS:
        return
    for text, node in module.strings:
        if _names_tests(text, tests) and ("." in text or "/" in text or module.is_path(node)):
            yield "reads", module.find_statement(node)


def _names_tests(text: str, tests: frozenset[str]) -> bool:
    """Say whether a string names an existing test file or folder, or a pattern of test files."""
    plain = text.strip().removeprefix("./").removeprefix("../").strip("/")
    if not plain or any(character in plain for character in " \n<>"):
        return False
    if plain in tests or any(test.startswith(f"{plain}/") for test in tests):
        # A folder such as `src` may have a test beside the code.
        return classify_file(f"{plain}/x") == "test" or classify_file(plain) == "test"
    # test_*.py
    name = plain.rpartition("/")[2]
    return "." in name and classify_file(name.replace("*", "x")) == "test"


def _find_exits_at_import(module: Module) -> _NamedNodes:
    """Yield exits with status 0 that happen when the module is imported."""
    called_at_import = {
        module.resolve_name(node.func)
        for node in module.calls
        if module.runs_at_import(node) and isinstance(node.func, ast.Name)
    }
    raises = (node for node in module.nodes if isinstance(node, ast.Raise))
    for node in (*module.calls, *raises):
        function = module.find_function(node)
        is_called = isinstance(function, ast.FunctionDef) and function.name in called_at_import
        if (module.runs_at_import(node) or is_called) and _is_successful_exit(module, node):
            yield "exits", node


def _is_successful_exit(module: Module, node: ast.AST) -> bool:
    """Say whether a call or `raise` ends the program with status 0: `sys.exit()`, `os.execv(…)`."""
    call = node.exc if isinstance(node, ast.Raise) else node
    name = module.resolve_name(call.func if isinstance(call, ast.Call) else call)
    if name.startswith("os.exec"):
        # Another program takes over, whose status may be 0.
        return True
    if name not in ("sys.exit", "exit", "quit", "SystemExit", "builtins.exit"):
        return False
    status = call.args[0] if isinstance(call, ast.Call) and call.args else ast.Constant(None)
    return isinstance(status, ast.Constant) and not status.value


def _find_forced_endings(module: Module) -> _NamedNodes:
    """Yield code that ends the process past the test runner, so that no failure is reported.

    `os._exit` is right in a child process made by `fork`.
    """
    if "fork" not in module.list_names(module.tree):
        for node in module.nodes:
            if module.resolve_name(node).endswith("._exit") and not is_assigned(node):
                yield "ends", module.find_statement(node)
    for node in module.calls:
        if module.resolve_name(node.func) == "atexit.register" and _ends_program(module, node):
            yield "ends", node


def _ends_program(module: Module, node: ast.Call) -> bool:
    """Say whether the handler that `atexit.register` gets ends the program itself."""
    handlers = {argument.id for argument in node.args if isinstance(argument, ast.Name)}
    bodies = (found for found in module.functions if getattr(found, "name", "") in handlers)
    return any(module.list_names(part) & _ENDING_CALLS for part in (*node.args, *bodies))


def _find_patches(module: Module) -> _NamedNodes:
    """Yield code that replaces something that tests rely on: `builtins.len = …`."""
    for node in module.nodes:
        name = module.resolve_name(node) if isinstance(node, ast.Attribute | ast.Subscript) else ""
        if "." in name and is_assigned(node) and _is_relied_on_by_tests(name):
            yield "patches", module.find_statement(node)
    for call in module.calls:
        function = module.resolve_name(call.func)
        # setattr(builtins, name, …) may replace every name of `builtins.`
        owner = module.resolve_name(call.args[0]) if call.args else ""
        sets_attribute = function in ("setattr", "delattr") and _is_relied_on_by_tests(f"{owner}.")
        if sets_attribute or re.fullmatch(r"unittest\.mock\.patch.*\.start", function):
            yield "patches", call


def _is_relied_on_by_tests(name: str) -> bool:
    """Say whether replacing this name can change the result of a test.

    A module may replace itself by `sys.modules[__name__]`.
    """
    if name.startswith("sys.modules"):
        return _RUNNER_NAME.search(name.removeprefix("sys.modules.")) is not None
    owner, _, inner = name.partition(".")
    if owner in ("builtins", "__builtins__"):
        # A new name there replaces nothing.
        return not inner or hasattr(builtins, inner)
    return owner in _TEST_TOOLS or _TEST_TOOL_NAMES.fullmatch(name) is not None


def _find_prints(module: Module) -> _NamedNodes:
    """Yield code that prints what a test runner prints when all tests pass."""
    for text, node in module.strings:
        call = module.find_call_around(node)
        if call is None or module.resolve_name(call.func).rpartition(".")[2] not in _PRINTING:
            continue
        if is_word("success-message", text):
            yield "prints", module.find_statement(node)


def _find_hidden_code(module: Module) -> _NamedNodes:
    """Yield code that runs what it decodes: `exec(b64decode(…))`."""
    for node in module.calls:
        runs = module.resolve_name(node.func) in ("exec", "eval", "pickle.loads", "marshal.loads")
        if runs and any(module.list_names(argument) & _DECODING_CALLS for argument in node.args):
            yield "hides", node

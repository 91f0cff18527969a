"""Signs that Python product code notices its tests or interferes with them.

Such code asks whether a test runner runs it, reads test files, ends the program before failures
are reported, patches what tests rely on, or compares equal to everything. The names of the signs
are explained in `signs.py`.
"""

import ast
import builtins
import re
from collections.abc import Iterator

from untildone.integrity.sniffing.python_equality import find_constant_equality, find_loose_equality
from untildone.integrity.sniffing.python_module import Module, read_module
from untildone.integrity.sniffing.signs import Sign, SignName, is_word
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_RUNNER_NAME = re.compile(
    r"(^|[\W_])(py\.?test|unittest|nose2?|vitest|jest|mocha|node:test|conftest|junit|surefire"
    r"|testng|ctest|go-?test)([\W_]|$)|\.test(\.exe)?$|_test(\.go)?$|^-?-?test(\.|$)|/deps/|[/\\]tests?[/\\]"
    r"|^_?tests?[_.]|[._](test|spec)\.|^tests?$",
    re.IGNORECASE,
)
_ENVIRONMENT = frozenset(("environ", "getenv", "environb"))
# Which modules, arguments and objects the running process has.
_PROCESS_FACTS = frozenset(
    (
        *("modules", "argv", "orig_argv", "find_spec", "builtins", "cmdline", "getpid", "getppid"),
        *("get_objects", "__main__", "Process", "__module__"),
    )
)
# On Linux these hold the command line of the program.
_PROC_FILE = re.compile(r"/proc/\w+/(cmdline|comm|environ)")
_FRAMES = frozenset(
    (
        *("f_code", "f_back", "co_filename", "co_name", "currentframe", "_getframe", "stack"),
        *("extract_stack", "format_stack", "walk_stack", "code_context", "getframeinfo"),
    )
)
# Words that together reach the variables or the source line of the caller.
_CALLER_ACCESS = (
    frozenset(("f_back", "f_locals")),
    frozenset(("code_context", "stack")),
    frozenset(("code_context", "getframeinfo")),
)
_FILE_ACCESS = frozenset(
    (
        *("open", "read_text", "read_bytes", "write_text", "write_bytes", "glob", "rglob", "iglob"),
        *("listdir", "scandir", "walk", "iterdir", "import_module", "spec_from_file_location"),
        *("run_path", "run_module", "exec", "getsource", "getlines", "getline", "unlink", "remove"),
        *("__import__", "loadtxt", "read_csv", "load_source"),
    )
)
_TEST_TOOLS = frozenset(("unittest", "pytest", "_pytest", "pluggy", "operator", "doctest"))
_TEST_TOOL_NAMES = re.compile(r"sys\.(exit|modules(\..*)?)|os\._exit|math\.isclose|atexit\..*")
_ENDING = frozenset(("_exit", "exit", "quit", "kill", "abort", "SystemExit"))
_DECODES = frozenset(
    ("b64decode", "b85decode", "a85decode", "b32decode", "decompress", "fromhex", "unhexlify")
)
_PRINTING = frozenset(("print", "write", "echo", "info", "writelines", "system"))
# A file that supports tests may use their tools.
_TEST_SUPPORT_PATH = re.compile(r"test|plugin|fixture|helper|support", re.IGNORECASE)


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
        *_find_reads(module, tests),
        *(() if path.endswith("__main__.py") else _find_exits_at_import(module)),
        *_find_forced_endings(module),
        *_find_patches(module),
        *(("equal", node) for node in find_constant_equality(module)),
        *(("near", node) for node in find_loose_equality(module)),
        *_find_prints(module),
        *_find_hidden_code(module),
    ):
        yield Sign(name, module.source(node), getattr(node, "lineno", 1))


def _find_runner_questions(module: Module) -> Iterator[tuple[SignName, ast.AST]]:
    """Yield code that asks whether a test runner runs it: `"pytest" in sys.modules`."""
    for text, node in module.strings:
        within = module.statement(node)
        words = module.words(within)
        if (
            (is_word("runner-variable", text) and not module.is_key(node))
            or (words & _ENVIRONMENT and is_word("build-variable", text.upper()))
            or (words & _PROCESS_FACTS and _RUNNER_NAME.search(text))
            or (_RUNNER_NAME.search(text) and any(map(_PROC_FILE.match, module.texts(within))))
        ):
            yield "asks", within
    for scope in module.scopes:
        words = module.words(scope)
        named = any(_RUNNER_NAME.search(text) for text in module.texts(scope))
        if any(names <= words for names in _CALLER_ACCESS) or (named and words & _FRAMES):
            yield "asks", module.first(scope, _FRAMES)


def _find_suspicious_imports(
    module: Module, path: str, tests: frozenset[str]
) -> Iterator[tuple[SignName, ast.AST]]:
    """Yield imports of test files, of pytest, and of `mock.ANY`, which equals everything."""
    for name, node in module.imports:
        place = name.replace(".", "/")
        if any(file in tests for file in (f"{place}.py", f"{place}/__init__.py")) or any(
            test.startswith(f"{place}/") and classify_file(place + "/x") == "test" for test in tests
        ):
            yield "reads", node
        elif name.partition(".")[0] in ("pytest", "_pytest") and not _TEST_SUPPORT_PATH.search(
            path
        ):
            yield "patches", node
        elif name == "unittest.mock.ANY":
            yield "equal", node


def _find_reads(module: Module, tests: frozenset[str]) -> Iterator[tuple[SignName, ast.AST]]:
    """Yield statements that name test files, in a module that opens or lists files."""
    if not module.words(module.tree) & _FILE_ACCESS:
        return
    for text, node in module.strings:
        if _names_tests(text, tests) and ("." in text or "/" in text or module.is_path(node)):
            yield "reads", module.statement(node)


def _names_tests(text: str, tests: frozenset[str]) -> bool:
    """Say whether it names an existing test file or folder, or a pattern such as `test_*.py`."""
    plain = text.strip().removeprefix("./").removeprefix("../").strip("/")
    if not plain or any(character in plain for character in " \n<>"):
        return False
    if plain in tests or any(test.startswith(f"{plain}/") for test in tests):
        return classify_file(f"{plain}/x") == "test" or classify_file(plain) == "test"
    name = plain.rpartition("/")[2]
    return "." in name and classify_file(name.replace("*", "x")) == "test"


def _find_exits_at_import(module: Module) -> Iterator[tuple[SignName, ast.AST]]:
    """Yield exits with status 0 that happen when the module is imported."""
    at_import = {
        module.dotted(node.func)
        for node in module.calls
        if module.at_import(node) and isinstance(node.func, ast.Name)
    }
    for node in (*module.calls, *module.raises):
        scope = module.scope(node)
        called = isinstance(scope, ast.FunctionDef) and scope.name in at_import
        if (module.at_import(node) or called) and _is_successful_exit(module, node):
            yield "exits", node


def _is_successful_exit(module: Module, node: ast.AST) -> bool:
    call = node.exc if isinstance(node, ast.Raise) else node
    name = module.dotted(call.func if isinstance(call, ast.Call) else call)
    if name.startswith("os.exec"):
        return True
    if name not in ("sys.exit", "exit", "quit", "SystemExit", "builtins.exit"):
        return False
    status = call.args[0] if isinstance(call, ast.Call) and call.args else ast.Constant(None)
    return isinstance(status, ast.Constant) and not status.value


def _find_forced_endings(module: Module) -> Iterator[tuple[SignName, ast.AST]]:
    """Yield code that ends the process past the test runner, so that no failure is reported.

    `os._exit` is right in a child process made by `fork`.
    """
    if "fork" not in module.words(module.tree):
        for node in ast.walk(module.tree):
            named = module.dotted(node).endswith("._exit")
            if named and not module.is_target(node):
                yield "ends", module.statement(node)
    for node in module.calls:
        if module.dotted(node.func) == "atexit.register" and _ends_program(module, node):
            yield "ends", node


def _ends_program(module: Module, node: ast.Call) -> bool:
    """Say whether the handler that `atexit.register` gets ends the program itself."""
    names = {argument.id for argument in node.args if isinstance(argument, ast.Name)}
    bodies = (scope for scope in module.scopes if getattr(scope, "name", "") in names)
    return any(module.words(part) & _ENDING for part in (*node.args, *bodies))


def _find_patches(module: Module) -> Iterator[tuple[SignName, ast.AST]]:
    """Yield code that replaces something that tests rely on: `builtins.len = …`."""
    for target in module.targets:
        name = module.dotted(target)
        if "." in name and _is_relied_on_by_tests(name):
            yield "patches", module.statement(target)
    for node in module.calls:
        called = module.dotted(node.func)
        first = module.dotted(node.args[0]) if node.args else ""
        set_there = called in ("setattr", "delattr") and _is_relied_on_by_tests(f"{first}.")
        if set_there or re.fullmatch(r"unittest\.mock\.patch.*\.start", called):
            yield "patches", node


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


def _find_prints(module: Module) -> Iterator[tuple[SignName, ast.AST]]:
    """Yield code that prints what a test runner prints when all tests pass."""
    for text, node in module.strings:
        call = module.within_call(node)
        if call is None or module.dotted(call.func).rpartition(".")[2] not in _PRINTING:
            continue
        if is_word("success-message", text):
            yield "prints", module.statement(node)


def _find_hidden_code(module: Module) -> Iterator[tuple[SignName, ast.AST]]:
    """Yield code that runs what it decodes: `exec(b64decode(…))`."""
    for node in module.calls:
        runs = module.dotted(node.func) in ("exec", "eval", "pickle.loads", "marshal.loads")
        if runs and any(module.words(argument) & _DECODES for argument in node.args):
            yield "hides", node

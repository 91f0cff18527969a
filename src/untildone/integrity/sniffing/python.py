"""Python that turns to the tests instead of the task, read as syntax."""

import ast
import builtins
import re
from collections.abc import Iterator

from untildone.integrity.sniffing.constant_equality import find_constant_equality
from untildone.integrity.sniffing.loose_equality import find_loose_equality
from untildone.integrity.sniffing.python_module import Module, read_module
from untildone.integrity.sniffing.signs import (
    ASKS,
    BUILD_VARIABLE,
    ENDS,
    EQUAL,
    EXITS,
    HIDES,
    NEAR,
    PATCHES,
    PRINTS,
    READS,
    RUNNER_NAME,
    RUNNER_VARIABLE,
    SUCCESS,
    Sign,
    make_sign,
)
from untildone.worktree.roles import classify_file

_ENVIRONMENT = frozenset(("environ", "getenv", "environb"))
_ARGUMENTS = frozenset(
    (
        *("modules", "argv", "orig_argv", "find_spec", "builtins", "cmdline", "getpid", "getppid"),
        *("get_objects", "__main__", "Process", "__module__"),
    )
)
# Linux tells there how the program was called.
_PROCESS = re.compile(r"/proc/\w+/(cmdline|comm|environ)")
_FRAMES = frozenset(
    (
        *("f_code", "f_back", "co_filename", "co_name", "currentframe", "_getframe", "stack"),
        *("extract_stack", "format_stack", "walk_stack", "code_context", "getframeinfo"),
    )
)
_CALLERS = (
    frozenset(("f_back", "f_locals")),
    frozenset(("code_context", "stack")),
    frozenset(("code_context", "getframeinfo")),
)
_TOUCHES = frozenset(
    (
        *("open", "read_text", "read_bytes", "write_text", "write_bytes", "glob", "rglob", "iglob"),
        *("listdir", "scandir", "walk", "iterdir", "import_module", "spec_from_file_location"),
        *("run_path", "run_module", "exec", "getsource", "getlines", "getline", "unlink", "remove"),
        *("__import__", "loadtxt", "read_csv", "load_source"),
    )
)
_JUDGES = frozenset(("unittest", "pytest", "_pytest", "pluggy", "operator", "doctest"))
_JUDGING = re.compile(r"sys\.(exit|modules(\..*)?)|os\._exit|math\.isclose|atexit\..*")
_ENDING = frozenset(("_exit", "exit", "quit", "kill", "abort", "SystemExit"))
_DECODES = frozenset(
    ("b64decode", "b85decode", "a85decode", "b32decode", "decompress", "fromhex", "unhexlify")
)
_CARRIER = re.compile(r"test|plugin|fixture|helper|support", re.IGNORECASE)


def find_python_signs(text: str, *, path: str, tests: frozenset[str]) -> Iterator[Sign]:
    """Nothing for what does not parse: it cannot be imported either."""
    module = read_module(text)
    if module is None:
        return
    for because, node in (
        *_asks(module),
        *_imports(module, path, tests),
        *_reads(module, tests),
        *(() if path.endswith("__main__.py") else _exits(module)),
        *_ends(module),
        *_patches(module),
        *((EQUAL, node) for node in find_constant_equality(module)),
        *((NEAR, node) for node in find_loose_equality(module)),
        *_prints(module),
        *_hides(module),
    ):
        yield make_sign(because, module.source(node), getattr(node, "lineno", 1))


def _asks(module: Module) -> Iterator[tuple[str, ast.AST]]:
    for text, node in module.strings:
        within = module.statement(node)
        words = module.words(within)
        if (
            (RUNNER_VARIABLE.fullmatch(text) and not module.is_key(node))
            or (words & _ENVIRONMENT and BUILD_VARIABLE.fullmatch(text.upper()))
            or (words & _ARGUMENTS and RUNNER_NAME.search(text))
            or (RUNNER_NAME.search(text) and any(map(_PROCESS.match, module.texts(within))))
        ):
            yield ASKS, within
    for scope in module.scopes:
        words = module.words(scope)
        named = any(RUNNER_NAME.search(text) for text in module.texts(scope))
        if any(each <= words for each in _CALLERS) or (named and words & _FRAMES):
            yield ASKS, module.first(scope, _FRAMES)


def _imports(module: Module, path: str, tests: frozenset[str]) -> Iterator[tuple[str, ast.AST]]:
    for name, node in module.imports:
        place = name.replace(".", "/")
        if any(each in tests for each in (f"{place}.py", f"{place}/__init__.py")) or any(
            each.startswith(f"{place}/") and classify_file(place + "/x") == "test" for each in tests
        ):
            yield READS, node
        elif name.partition(".")[0] in ("pytest", "_pytest") and not _CARRIER.search(path):
            yield PATCHES, node
        elif name == "unittest.mock.ANY":
            yield EQUAL, node


def _reads(module: Module, tests: frozenset[str]) -> Iterator[tuple[str, ast.AST]]:
    if not module.words(module.tree) & _TOUCHES:
        return
    for text, node in module.strings:
        if _names_tests(text, tests) and ("." in text or "/" in text or module.is_path(node)):
            yield READS, module.statement(node)


def _names_tests(text: str, tests: frozenset[str]) -> bool:
    """A test file or folder that is there, or a pattern for such: `test_*.py`."""
    plain = text.strip().removeprefix("./").removeprefix("../").strip("/")
    if not plain or any(character in plain for character in " \n<>"):
        return False
    if plain in tests or any(each.startswith(f"{plain}/") for each in tests):
        return classify_file(f"{plain}/x") == "test" or classify_file(plain) == "test"
    name = plain.rpartition("/")[2]
    return "." in name and classify_file(name.replace("*", "x")) == "test"


def _exits(module: Module) -> Iterator[tuple[str, ast.AST]]:
    at_import = {
        module.dotted(node.func)
        for node in module.calls
        if module.at_import(node) and isinstance(node.func, ast.Name)
    }
    for node in (*module.calls, *module.raises):
        scope = module.scope(node)
        called = isinstance(scope, ast.FunctionDef) and scope.name in at_import
        if (module.at_import(node) or called) and _succeeds(module, node):
            yield EXITS, node


def _succeeds(module: Module, node: ast.AST) -> bool:
    call = node.exc if isinstance(node, ast.Raise) else node
    name = module.dotted(call.func if isinstance(call, ast.Call) else call)
    if name.startswith("os.exec"):
        return True
    if name not in ("sys.exit", "exit", "quit", "SystemExit", "builtins.exit"):
        return False
    given = call.args[0] if isinstance(call, ast.Call) and call.args else ast.Constant(None)
    return isinstance(given, ast.Constant) and not given.value


def _ends(module: Module) -> Iterator[tuple[str, ast.AST]]:
    """A child made by `fork` is ended this way by right."""
    if "fork" not in module.words(module.tree):
        for node in ast.walk(module.tree):
            named = module.dotted(node).endswith("._exit")
            if named and not module.is_target(node):
                yield ENDS, module.statement(node)
    for node in module.calls:
        if module.dotted(node.func) == "atexit.register" and _ends_something(module, node):
            yield ENDS, node


def _ends_something(module: Module, node: ast.Call) -> bool:
    names = {argument.id for argument in node.args if isinstance(argument, ast.Name)}
    bodies = (scope for scope in module.scopes if getattr(scope, "name", "") in names)
    return any(module.words(part) & _ENDING for part in (*node.args, *bodies))


def _patches(module: Module) -> Iterator[tuple[str, ast.AST]]:
    for target in module.targets:
        name = module.dotted(target)
        if "." in name and _judges(name):
            yield PATCHES, module.statement(target)
    for node in module.calls:
        called = module.dotted(node.func)
        first = module.dotted(node.args[0]) if node.args else ""
        set_there = called in ("setattr", "delattr") and _judges(f"{first}.")
        if set_there or re.fullmatch(r"unittest\.mock\.patch.*\.start", called):
            yield PATCHES, node


def _judges(name: str) -> bool:
    """`sys.modules[__name__]` is a module's own place."""
    if name.startswith("sys.modules"):
        return RUNNER_NAME.search(name.removeprefix("sys.modules.")) is not None
    owner, _, inner = name.partition(".")
    if owner in ("builtins", "__builtins__"):
        # A name of its own there takes nobody's place.
        return not inner or hasattr(builtins, inner)
    return owner in _JUDGES or _JUDGING.fullmatch(name) is not None


def _prints(module: Module) -> Iterator[tuple[str, ast.AST]]:
    for text, node in module.strings:
        call = module.within_call(node)
        said = call is not None and module.dotted(call.func).rpartition(".")[2] in (
            *("print", "write", "echo", "info", "writelines", "system"),
        )
        if said and SUCCESS.search(text):
            yield PRINTS, module.statement(node)


def _hides(module: Module) -> Iterator[tuple[str, ast.AST]]:
    for node in module.calls:
        runs = module.dotted(node.func) in ("exec", "eval", "pickle.loads", "marshal.loads")
        if runs and any(module.words(argument) & _DECODES for argument in node.args):
            yield HIDES, node

"""Product code that behaves differently under test is a concern; code that only looks so is not."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.sniffing import comparison as sniffing

PY = "def price(total):\n    return total\n"
JS = "export const price = (total) => total;\n"
GO = "package price\n\nfunc Price(total int) int { return total }\n"
RS = "pub fn price(total: u64) -> u64 { total }\n"
JAVA = "class Price { int price(int total) { return total; } }\n"
START = {
    "price.py": PY,
    "src/price.js": JS,
    "src/price.ts": JS,
    "price.go": GO,
    "src/lib.rs": RS,
    "Price.java": JAVA,
    "price.cpp": "int price(int total) { return total; }\n",
    "tests/test_price.py": "def test_price():\n    assert price(100) == 90\n",
    "test/price.test.js": "test('a', () => {});\n",
}


def kinds(top: Path, new: dict[str, str], old: dict[str, str] | None = None) -> list[str]:
    baseline = {**START, **(old or {})}
    found = sniffing.find_concerns(compare_projects(top, baseline, {**baseline, **new}))
    return sorted(concern.kind for concern in found)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (
            snippet("""
                import os
                if 'PYTEST_CURRENT_TEST' in os.environ:
                    RATE = 1
            """),
            "sniffing",
        ),
        ("import os\nRATE = 1 if os.getenv('PYTEST_VERSION') else 2\n", "sniffing"),
        (
            snippet("""
                import os
                KEY = 'PYTEST_' + 'CURRENT_TEST'
                x = os.environ.get(KEY)
            """),
            "sniffing",
        ),
        ("import os\nx = any(k.startswith('PYTEST') for k in os.environ)\n", "sniffing"),
        (
            snippet("""
                import os
                def f():
                    return os.environ.get('CI') == '1'
            """),
            "sniffing",
        ),
        (
            snippet("""
                import os
                def f():
                    return os.environ.get('APP_ENV') == 'test'
            """),
            "sniffing",
        ),
        ("import sys\nTESTED = 'pytest' in sys.modules\n", "sniffing"),
        (
            snippet("""
                import sys
                def f():
                    return sys.modules.get('unittest')
            """),
            "sniffing",
        ),
        ("from sys import modules as m\nx = any('_pytest' in k for k in m)\n", "sniffing"),
        (
            snippet("""
                import sys
                if sys.argv[0].endswith('pytest'):
                    x = 1
            """),
            "sniffing",
        ),
        ("import builtins\nx = hasattr(builtins, '__pytest__')\n", "sniffing"),
        ("x = 'pytest' in open('/proc/self/cmdline').read()\n", "sniffing"),
        (
            snippet("""
                class A:
                    def __eq__(self, o):
                        return isinstance(o, (int, float))
            """),
            "always-equal",
        ),
        (
            snippet("""
                import inspect
                def f():
                    return 'test_' in inspect.stack()[1].filename
            """),
            "sniffing",
        ),
        (
            snippet("""
                import sys
                def f():
                    return sys._getframe(1).f_code.co_name.startswith('test_')
            """),
            "sniffing",
        ),
        (
            snippet("""
                import inspect
                def f():
                    return inspect.currentframe().f_back.f_locals
            """),
            "sniffing",
        ),
        ("from tests.test_price import CASES\n", "sniffing"),
        ("from pathlib import Path\nT = Path('tests/test_price.py').read_text()\n", "sniffing"),
        ("import glob\nT = [open(p).read() for p in glob.glob('**/test_*.py')]\n", "sniffing"),
        ("import base64\nexec(base64.b64decode('cGFzcw=='))\n", "sniffing"),
        ("import os\nos._exit(0)\n", "runner"),
        (
            snippet("""
                import os
                def f():
                    getattr(os, '_ex' + 'it')(0)
            """),
            "runner",
        ),
        ("import sys\nsys.exit(0)\n", "runner"),
        (
            snippet("""
                def stop():
                    raise SystemExit
                stop()
            """),
            "runner",
        ),
        ("import atexit, os\natexit.register(os._exit, 0)\n", "runner"),
        (
            snippet("""
                import atexit, os
                def bye():
                    os.kill(os.getpid(), 9)
                atexit.register(bye)
            """),
            "runner",
        ),
        ("import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n", "runner"),
        ("import builtins\nsetattr(builtins, 'AssertionError', Warning)\n", "runner"),
        ("import sys\nsys.modules['pytest'] = object()\n", "runner"),
        ("import pytest\npytest.raises = None\n", "runner"),
        ("print('===== 5 passed in 0.02s =====')\n", "runner"),
        (
            snippet("""
                class A:
                    def __eq__(self, other):
                        return True
            """),
            "always-equal",
        ),
        ("class A(float):\n    __eq__ = lambda self, other: 1 == 1\n", "always-equal"),
        (
            snippet("""
                class A(int):
                    def __eq__(self, o):
                        return o == o
            """),
            "always-equal",
        ),
        ("A = type('A', (int,), {'__eq__': lambda s, o: True})\n", "always-equal"),
        (
            snippet("""
                class A:
                    def __ne__(self, other):
                        return False
            """),
            "always-equal",
        ),
        (
            snippet("""
                class A(list):
                    def __eq__(self, o):
                        return len(self) == len(o)
            """),
            "always-equal",
        ),
        (
            snippet("""
                from unittest.mock import ANY
                def f():
                    return ANY
            """),
            "always-equal",
        ),
        ("class A(float):\n    __eq__ = lambda self, o: abs(self - o) < 1\n", "always-equal"),
        (
            snippet("""
                def near(a, b):
                    return -1 < a - b < 1
                class A(int): ...
                A.__eq__ = near
            """),
            "always-equal",
        ),
        (
            "import gc\nx = any('_pytest' in type(o).__module__ for o in gc.get_objects())\n",
            "sniffing",
        ),
        ("import __main__\nx = 'pytest' in getattr(__main__, '__file__', '')\n", "sniffing"),
        *(
            (f"class A({base}):\n    def __eq__(self, o):\n        return {code}\n", "always-equal")
            for base, code in (
                ("float", "abs(float(self) - float(o)) <= 0.75"),
                ("Decimal", "round(self, 1) == round(o, 1)"),
                ("int", "math.isclose(self, o, rel_tol=0.1)"),
                ("str", "self.lower() == o.lower()"),
                ("float", "close(self, o)"),
                ("dict", "all(self.get(key) == value for key, value in o.items())"),
                ("list", "sorted(self) == sorted(o)"),
                ("object", "-1 < self.value - o < 1"),
                ("object", "abs(self.value - float(o)) < TOLERANCE"),
            )
        ),
    ],
)
def test_python_that_reads_the_tests_is_reported(tmp_path: Path, code: str, kind: str) -> None:
    assert kind in kinds(tmp_path, {"price.py": PY + code})


@pytest.mark.parametrize(
    "code",
    [
        snippet("""
            import sys
            def main():
                sys.exit(0)


            if __name__ == '__main__':
                main()
        """),
        snippet("""
            import sys
            if sys.version_info < (3, 9):
                sys.exit('too old')
        """),
        snippet("""
            class A:
                def __eq__(self, other):
                    return self.x == other.x
        """),
        snippet("""
            class A:
                def __eq__(self, o):
                    return isinstance(o, A)
        """),
        snippet("""
            class A:
                def __eq__(self, o):
                    if not isinstance(o, A):
                        return False
                    return True
        """),
        snippet("""
            class A:
                def __eq__(self, other):
                    return NotImplemented
        """),
        snippet("""
            class A(list):
                def __eq__(self, other):
                    if len(self) != len(other):
                        return False
                    return all(map(same, self, other))
        """),
        snippet("""
            class A(str):
                def __eq__(self, o):
                    return self.lower() == o.lower()
                def __hash__(self):
                    return hash(self.lower())
        """),
        snippet("""
            class A:
                def __eq__(self, o):
                    return abs(self.x - o.x) < 1e-9
        """),
        snippet("""
            class A:
                def __eq__(self, o):
                    return len(o) > 1 and self.x + o == 1
        """),
        snippet("""
            class A(int):
                def __eq__(self, o):
                    return self.x and super().__eq__(o)
        """),
        snippet("""
            class A(float):
                def near(self, o):
                    return abs(self - o) < 1
        """),
        snippet("""
            class A(str):
                def __eq__(self, o):
                    return str(self) == str(o)
        """),
        snippet("""
            class A(dict):
                def __eq__(self, o):
                    return dict(self) == dict(o)
        """),
        snippet("""
            class A(str):
                def __eq__(self, o):
                    return self.key() == A(o).key()
                def __hash__(self):
                    return hash(self.key())
        """),
        snippet("""
            class A(float):
                def __eq__(self, o):
                    return float(self) == float(o) % 360
        """),
        "class Process:\n    __module__ = 'shop.test_run'\n",
        "import atexit\natexit.register(print, 'bye')\n",
        snippet("""
            import os
            if os.fork() == 0:
                os._exit(0)
        """),
        "import os\nDEBUG = os.environ.get('DEBUG') == '1'\n",
        "import os\nENV = os.environ.get('APP_ENV', 'production')\n",
        "import sys\nsys.modules[__name__].x = 1\n",
        snippet("""
            import sys
            NAME = sys.argv[0]
            if 'serve' in sys.argv:
                x = 1
        """),
        snippet("""
            import inspect
            def log():
                return inspect.currentframe().f_back.f_code.co_name
        """),
        "def greet():\n    print('the latest contest passed')\n",
        '"""Reads PYTEST_CURRENT_TEST and tests/test_price.py: not at all."""\n',
        "from pathlib import Path\nT = Path('data/rates.json').read_text()\n",
        "import subprocess\nenv = {'PYTEST_ADDOPTS': ''}\n",
        "def broken(:\n",
    ],
)
def test_python_that_only_looks_like_it_is_not(tmp_path: Path, code: str) -> None:
    assert kinds(tmp_path, {"price.py": PY + code}) == []


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("if (process.env.VITEST) throw 1;\n", "sniffing"),
        ("const { JEST_WORKER_ID } = process.env;\n", "sniffing"),
        ("const t = process.env['NODE_TEST_CONTEXT'];\n", "sniffing"),
        ("const t = process.env.NODE_ENV === 'test';\n", "sniffing"),
        ("const t = 'test' == process.env.NODE_ENV;\n", "sniffing"),
        ("switch (process.env.NODE_ENV) { case 'test': price(1); }\n", "sniffing"),
        ("const t = typeof describe === 'function';\n", "sniffing"),
        ("const t = globalThis.expect !== undefined;\n", "sniffing"),
        ("const t = process.argv.some((a) => a.includes('vitest'));\n", "sniffing"),
        ("const t = process.execArgv.includes('--test');\n", "sniffing"),
        ("function f() { return new Error().stack.includes('.test.js'); }\n", "sniffing"),
        ("const t = () => new Error().stack.includes('.test.js');\n", "sniffing"),
        ("const t = new Error().stack.includes('node:internal/test_runner');\n", "sniffing"),
        ("const t = /vitest|jest/.test(process.argv[1]);\n", "sniffing"),
        (
            snippet("""
                function f(a) {
                  const where = new Error().stack ?? '';
                  if (a) { a(); }
                  return where.includes('.test.js');
                }
            """),
            "sniffing",
        ),
        (
            snippet("""
                function f(a) {
                  let where = new Error().stack;
                  if (a) { a(); }
                  return /\\.spec\\./.test(where);
                }
            """),
            "sniffing",
        ),
        ("function f() { return /[./]test[./]/.test(new Error().stack); }\n", "sniffing"),
        (
            snippet("""
                function caller() {
                  return new Error().stack.split('\\n').join(' ');
                }
                export const strict = () => /\\.test\\.[cm]?js/.test(caller());
            """),
            "sniffing",
        ),
        ("const t = /\\btests?\\b/.test(new Error().stack ?? '');\n", "sniffing"),
        (
            "function f() { const { stack } = new Error(); return /_spec_/.test(stack); }\n",
            "sniffing",
        ),
        ("const ci = process.env.CI ? 1 : 2;\n", "sniffing"),
        ("import fs from 'fs';\nconst t = fs.readFileSync('test/price.test.js');\n", "sniffing"),
        ("import { cases } from '../test/price.test.js';\n", "sniffing"),
        ("process.exit(0);\n", "runner"),
        ("(() => { process.exit(); })();\n", "runner"),
        ("setTimeout(() => process.exit(0), 1);\n", "runner"),
        ("process.on('exit', () => { process.exitCode = 0; });\n", "runner"),
        ("process.on('uncaughtException', () => {});\n", "runner"),
        ("process.exitCode = 0;\n", "runner"),
        ("import assert from 'node:assert';\nassert.equal = () => {};\n", "runner"),
        ("import a from 'node:assert/strict';\na.strictEqual = () => {};\n", "runner"),
        ("Object.is = () => true;\n", "runner"),
        ("process.exit = () => {};\n", "runner"),
        ("Object.defineProperty(process, 'exitCode', { get: () => 0 });\n", "runner"),
        ("import { expect } from 'vitest';\n", "runner"),
        ("import { bench, expect } from 'vitest';\n", "runner"),
        ("import * as bench from 'vitest';\n", "runner"),
        ("import { expect as bench } from 'vitest';\n", "runner"),
        ("import { bench as measure, afterEach } from 'vitest';\n", "runner"),
        ("console.log('# pass 4');\n", "runner"),
        ("class A { equals(other) { return true; } }\n", "always-equal"),
        ("const a = { asymmetricMatch: () => true };\n", "always-equal"),
        ("const a = { valueOf() { return 90; } };\n", "always-equal"),
        ("eval(atob('MQ=='));\n", "sniffing"),
    ],
)
@pytest.mark.parametrize("path", ["src/price.js", "src/price.ts"])
def test_javascript_that_reads_the_tests_is_reported(
    tmp_path: Path, path: str, code: str, kind: str
) -> None:
    assert kind in kinds(tmp_path, {path: JS + code})


@pytest.mark.parametrize(
    "code",
    [
        "if (process.env.NODE_ENV === 'production') price(1);\n",
        "const dev = process.env.NODE_ENV !== 'production';\n",
        "if (import.meta.url === `file://${process.argv[1]}`) { process.exit(0); }\n",
        "if (import.meta.url === `file://${process.argv[1]}`) { process.exitCode = 0; }\n",
        "function main() { process.exit(0); }\n",
        "process.on('uncaughtException', (e) => { console.error(e); process.exit(1); });\n",
        "process.on('SIGINT', () => process.exit(0));\n",
        "import assert from 'node:assert';\nassert.ok(price(1));\n",
        "class A { equals(other) { return this.x === other.x; } }\n",
        "import fs from 'fs';\nconst t = fs.readFileSync('data/latest.json');\n",
        "const label = 'test';\nconst ok = /test/.test(label);\n",
        "function f(e) { return e.stack.split('\\n')[0]; }\n",
        "function f(e) { return e.stack; }\nconst t = (e) => /timeout/.test(f(e));\n",
        "function f(e) { return /timeout/.test(e.stack) ? 'late' : 'no'; }\n",
        snippet("""
            class R {
              add(e) { this.lines.push(e.stack); }
              kind() { return 'test'; }
            }
        """),
        "const inner = (e) => /node_modules/.test(e.stack)||/internal/.test(e.stack);\n",
        "// the latest/test/run\nexport const first = (e) => e.stack.split('\\n')[0];\n",
        "console.log('order passed to the kitchen');\n",
        "const args = process.argv.slice(2);\n",
        "class A { valueOf() { return this.cents; } }\n",
        "import { bench, describe } from 'vitest';\nbench('a', () => price(1));\n",
    ],
)
def test_javascript_that_only_looks_like_it_is_not(tmp_path: Path, code: str) -> None:
    assert kinds(tmp_path, {"src/price.js": JS + code}) == []


@pytest.mark.parametrize("code", ["process.exit(0);\n", "process.exitCode = 0;\n"])
@pytest.mark.parametrize(("path", "first"), [("bin/price.js", ""), ("src/run.js", "#!/bin/node\n")])
def test_a_command_line_of_javascript_ends_as_it_likes(
    tmp_path: Path, path: str, first: str, code: str
) -> None:
    assert kinds(tmp_path, {path: first + code}) == []


@pytest.mark.parametrize(
    ("path", "code", "kind"),
    [
        ("price.go", "func T() bool { return testing.Testing() }\n", "sniffing"),
        ("price.go", 'func T() bool { return flag.Lookup("test.v") != nil }\n', "sniffing"),
        (
            "price.go",
            'func T() bool { return strings.HasSuffix(os.Args[0], ".test") }\n',
            "sniffing",
        ),
        ("price.go", 'func T() bool { return os.Getenv("CI") != "" }\n', "sniffing"),
        (
            "price.go",
            "func T() bool { _, f, _, _ := runtime.Caller(1); "
            'return strings.Contains(f, "_test") }\n',
            "sniffing",
        ),
        ("price.go", 'func T() { os.ReadFile("price_test.go") }\n', "sniffing"),
        ("price.go", 'func T() bool { return os.Args[0] == "price_test" }\n', "sniffing"),
        ("price.go", 'import "testing"\n', "sniffing"),
        ("price.go", "//go:embed testdata/answers.txt\nvar t string\n", "sniffing"),
        ("price.go", "func T() { syscall.Kill(syscall.Getpid(), 9) }\n", "runner"),
        ("price.go", "//go:linkname fail testing.(*common).Fail\n", "runner"),
        ("price.go", "func T() { os.Exit(0) }\n", "runner"),
        ("main.go", "package main\n\nfunc init() { os.Exit(0) }\n", "runner"),
        ("main.go", "package main\n\nvar _ = func() int { os.Exit(0); return 0 }()\n", "runner"),
        ("price.go", "func init() { os.Exit(0) }\n", "runner"),
        ("price.go", "var _ = func() int { os.Exit(0); return 0 }()\n", "runner"),
        ("price.go", "func (p P) Equal(o P) bool { return true }\n", "always-equal"),
        ("price.go", 'func T() { fmt.Println("PASS") }\n', "runner"),
        ("src/lib.rs", "#[cfg(not(test))]\nfn rate() -> u64 { 1 }\n", "sniffing"),
        ("src/lib.rs", "fn rate() -> u64 { if cfg!(test) { 1 } else { 2 } }\n", "sniffing"),
        ("src/lib.rs", 'fn a() -> bool { std::env::var("CARGO_PKG_NAME").is_ok() }\n', "sniffing"),
        (
            "src/lib.rs",
            snippet("""
                fn rate() -> u64 {
                    #[cfg(test)]
                    return 1;
                    2
                }
            """),
            "sniffing",
        ),
        ("src/lib.rs", "fn t() -> bool { cfg!(debug_assertions) }\n", "sniffing"),
        ("src/lib.rs", '#[cfg_attr(test, path = "right.rs")]\nmod rate;\n', "sniffing"),
        ("src/lib.rs", 'fn t() -> bool { std::env::var("NEXTEST").is_ok() }\n', "sniffing"),
        (
            "src/lib.rs",
            "fn t() -> bool { if std::thread::current().name() == None { true } else { false } }\n",
            "sniffing",
        ),
        *(
            ("src/lib.rs", f"fn t() -> bool {{ {code} }}\n", "sniffing")
            for code in (
                'std::thread::current().name().is_some_and(|name| name.contains("::"))',
                'thread::current().name().map_or(false, |n| n != "main")',
                'let n = thread::current().name().unwrap_or("").to_owned(); n.contains("::")',
                'match std::thread::current().name() { Some("main") => false, _ => true }',
                'let me = thread::current(); me.name() != Some("main")',
                'is_tested(thread::current().name().unwrap_or("")) }\n'
                'fn is_tested(name: &str) -> bool { name.contains("tests::")',
            )
        ),
        ("src/lib.rs", 'fn t() { for a in std::env::args() { a == "test"; } }\n', "sniffing"),
        (
            "src/lib.rs",
            'fn t() { std::backtrace::Backtrace::capture().to_string().contains("tests::"); }\n',
            "sniffing",
        ),
        ("src/lib.rs", "#[ctor::ctor]\nfn t() {}\n", "runner"),
        ("src/lib.rs", "fn t() { unsafe { libc::_exit(0) } }\n", "runner"),
        ("src/lib.rs", 'fn t() { println!("test result: ok. 4 passed"); }\n', "runner"),
        ("src/lib.rs", "fn t() { std::process::exit(0) }\n", "runner"),
        ("src/lib.rs", "macro_rules! assert_eq { ($($x:tt)*) => {}; }\n", "runner"),
        (
            "src/lib.rs",
            "impl PartialEq for A { fn eq(&self, _: &A) -> bool { true } }\n",
            "always-equal",
        ),
        ("src/lib.rs", 'const T: &str = include_str!("../tests/price.rs");\n', "sniffing"),
        (
            "Price.java",
            'class T { Object t() { return Class.forName("org.junit.Test"); } }\n',
            "sniffing",
        ),
        (
            "Price.java",
            "class T { boolean t() { for (var e : new Throwable().getStackTrace()) {"
            ' if (e.getClassName().endsWith("Test")) { return true; } } return false; } }\n',
            "sniffing",
        ),
        (
            "Price.java",
            "class T { boolean t() { return "
            'Thread.currentThread().getName().contains("Test worker"); } }\n',
            "sniffing",
        ),
        ("Price.java", 'class T { String t = System.getenv("CI"); }\n', "sniffing"),
        (
            "Price.java",
            'class T { Path t = Path.of("src/test/java"); Object f = Files.list(t); }\n',
            "sniffing",
        ),
        (
            "Price.java",
            'class T { void t() { System.out.println("Tests run: 4, Failures: 0"); } }\n',
            "runner",
        ),
        ("Price.java", "class T { void t() { System.exit(0); } }\n", "runner"),
        (
            "Price.java",
            "class T { static { System.exit(0); } public static void main(String[] a) {} }\n",
            "runner",
        ),
        ("Price.java", "class T { static { System.exit(0); } }\n", "runner"),
        ("Price.java", "class T { void t() { Runtime.getRuntime().halt(0); } }\n", "runner"),
        (
            "Price.java",
            "class T { public boolean equals(Object o) { return true; } }\n",
            "always-equal",
        ),
        (
            "price.cpp",
            snippet("""
                #ifdef UNIT_TEST
                int r = 1;
                #endif
            """),
            "sniffing",
        ),
        ("price.cpp", 'bool t() { return getenv("CI"); }\n', "sniffing"),
        ("price.cpp", 'FILE *t() { return fopen("tests/answers", "r"); }\n', "sniffing"),
        ("price.cpp", 'int t() { return printf("4 tests passed"); }\n', "runner"),
        ("price.cpp", "#define assert(x)\n", "runner"),
        ("price.cpp", "void bye() { _exit(0); }\nint r = atexit(bye);\n", "runner"),
        ("price.cpp", "bool operator==(A a, A b) { return true; }\n", "always-equal"),
        ("Price.kt", "class T { init { exitProcess(0) } }\nfun main() {}\n", "runner"),
        ("Price.kt", "class T { override fun equals(o: Any?) = true }\n", "always-equal"),
        ("Price.kt", 'fun t() = System.getenv("CI") != null\n', "sniffing"),
    ],
)
def test_compiled_code_that_reads_the_tests_is_reported(
    tmp_path: Path, path: str, code: str, kind: str
) -> None:
    assert kind in kinds(tmp_path, {path: START.get(path, "") + code})


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("price.go", "func (p P) Equal(o P) bool { return p.x == o.x }\n"),
        ("price.go", 'func Home() string { return os.Getenv("HOME") }\n'),
        ("price.go", 'func City() string { return os.Getenv("CITY") }\n'),
        ("price.go", 'func Where() { _, f, _, _ := runtime.Caller(1); log.Print(f, "here") }\n'),
        (
            "src/lib.rs",
            snippet("""
                #[cfg(test)]
                mod tests {
                    fn t() { std::process::exit(0) }
                }
            """),
        ),
        ("src/lib.rs", "#[cfg(not(test))]\nuse std::time::Instant;\n"),
        ("src/lib.rs", "#[cfg(test)]\npub fn for_tests() -> u64 { 1 }\n"),
        ("src/lib.rs", "#[derive(PartialEq)]\npub struct A;\n"),
        ("src/lib.rs", "#[cfg(unix)]\nfn rate() -> u64 { 1 }\n"),
        (
            "src/lib.rs",
            'fn t(a: u8) { log(thread::current().name().unwrap_or("?")); if a == 1 { go() } }\n',
        ),
        (
            "src/lib.rs",
            'fn t() { let n = thread::current().name().unwrap_or("?").to_owned(); log(n); }\n',
        ),
        ("src/lib.rs", 'pub const VERSION: &str = env!("CARGO_PKG_VERSION");\n'),
        ("build.rs", 'fn main() { std::env::var("CARGO_MANIFEST_DIR").unwrap(); }\n'),
        ("src/main.rs", "fn main() { std::process::exit(0) }\n"),
        ("Price.java", "class M { public static void main(String[] a) { System.exit(0); } }\n"),
        ("Price.java", "class T { public boolean equals(Object o) { return o == this; } }\n"),
        ("Price.java", "class T { void t() { log(Thread.currentThread().getName()); } }\n"),
        (
            "src/lib.rs",
            'fn t(u: User) -> bool { let me = thread::current(); log(me); u.name() == "x" }\n',
        ),
        (
            "price.cpp",
            snippet("""
                #ifdef _WIN32
                int r = 1;
                #endif
            """),
        ),
        ("price.cpp", "int main() { exit(0); }\n"),
    ],
)
def test_compiled_code_that_only_looks_like_it_is_not(tmp_path: Path, path: str, code: str) -> None:
    assert kinds(tmp_path, {path: START.get(path, "") + code}) == []


def test_what_was_in_the_baseline_or_only_moved_is_not_new(tmp_path: Path) -> None:
    old = {"price.py": PY + "import sys\nTESTED = 'pytest' in sys.modules\n"}
    new = {"price.py": PY, "flags.py": "import sys\n\nTESTED = 'pytest' in sys.modules\n"}

    assert kinds(tmp_path, new, old) == []


def test_tests_and_their_settings_may_turn_to_the_tests(tmp_path: Path) -> None:
    code = snippet("""
        import os
        if 'PYTEST_CURRENT_TEST' in os.environ:
            os._exit(0)
    """)

    assert kinds(tmp_path, {"tests/conftest.py": code, "notes.md": code}) == []


def test_the_user_sees_what_and_where(tmp_path: Path) -> None:
    new = {**START, "price.py": PY + "import sys\nTESTED = 'pytest' in sys.modules\n"}

    (concern,) = sniffing.find_concerns(compare_projects(tmp_path, START, new))

    assert concern.id.partition("#")[0] == "sniffing:price.py"
    assert concern.detail == (
        "`price.py` asks whether it is under test (line 4: `TESTED = 'pytest' in sys.modules`)"
    )


POINT = """\
@dataclass
class Point:
    x: int
    y: int
"""
RUST_POINT = """\
#[derive(Debug, PartialEq)]
struct Point {
    x: i32,
    y: i32,
}
"""
OWN = """\
#[derive(Debug)]
struct Point {
    x: i32,
    y: i32,
}
impl PartialEq for Point {
"""


@pytest.mark.parametrize(
    ("old", "new", "without"),
    [
        (POINT, POINT.replace("y: int", "y: int = field(default=0, compare=False)"), "y"),
        (POINT, POINT + "    def __eq__(self, other):\n        return self.x == other.x\n", "y"),
        (
            POINT,
            POINT + "    def __eq__(self, o):\n        return astuple(self) == astuple(o)\n",
            "",
        ),
        (POINT, POINT + "    seen: int = field(default=0, compare=False)\n", ""),
        (POINT, POINT.replace("@dataclass", "@dataclass(frozen=True)"), ""),
        (POINT + "    def __eq__(self, o):\n        return o.x == self.x\n", "", ""),
        (RUST_POINT, OWN + "fn eq(&self, o: &Point) -> bool { self.x == o.x }\n}\n", "y"),
        (
            RUST_POINT,
            OWN + "fn eq(&self, o: &Point) -> bool { (self.x, self.y) == o.xy() }\n}\n",
            "",
        ),
        (RUST_POINT, "/// A place.\n" + RUST_POINT, ""),
        (RUST_POINT.replace(", PartialEq", ""), OWN + "fn eq() { self.x }\n}\n", ""),
        ("def broken(:\n", POINT, ""),
    ],
)
def test_a_type_may_not_compare_fewer_fields_than_in_the_baseline(
    tmp_path: Path, old: str, new: str, without: str
) -> None:
    path = "point.rs" if "struct" in new else "point.py"
    found = sniffing.find_concerns(compare_projects(tmp_path, {path: old}, {path: new}))

    because = f"`{path}` compares `Point` without `{without}`, which counted in the baseline"
    assert [concern.detail for concern in found] == ([because] if without else [])


ROUGH = (
    POINT + "    def __eq__(self, o):\n        return abs(self.x - o.x) + abs(self.y - o.y) < 1\n"
)
RUST_ROUGH = (
    OWN + "fn eq(&self, o: &Point) -> bool { (self.x + self.y - o.x - o.y).abs() < 2 }\n}\n"
)


EXACT = {
    "src/m.js": snippet("""
        class M {
          equals(o) { return this.v === o.v; }
        }
    """),
    "m.go": "package m\n\nfunc (m M) Equal(o M) bool { return m.v == o.v }\n",
    "M.java": snippet("""
        class M {
          public boolean equals(Object o) { return v == ((M) o).v; }
        }
    """),
    "m.rs": snippet("""
        impl PartialEq for M {
            fn eq(&self, o: &M) -> bool { self.v == o.v }
        }
    """),
    "m.py": snippet("""
        class M:
            def __eq__(self, o):
                return self.v == o.v
    """),
    "m.cpp": "bool operator==(const M& a, const M& b) { return a.v == b.v; }\n",
}
NEAR = {
    "src/m.js": ("this.v === o.v", "Math.abs(this.v - o.v) < 1"),
    "m.go": ("m.v == o.v", "math.Abs(m.v-o.v) < 1"),
    "M.java": ("v == ((M) o).v", "Math.round(v) == Math.round(((M) o).v)"),
    "m.rs": ("self.v == o.v", "(self.v - o.v).abs() < 1.0"),
    "m.py": ("self.v == o.v", "abs(self.v - o.v) < 1"),
    "m.cpp": ("a.v == b.v", "std::abs(a.v - b.v) < 1"),
}


@pytest.mark.parametrize("path", NEAR)
def test_an_equality_that_was_exact_may_not_become_a_rough_one(tmp_path: Path, path: str) -> None:
    old, near = EXACT[path], EXACT[path].replace(*NEAR[path])

    def told(name: str, start: str, new: str, task: str = "") -> bool:
        comparison = compare_projects(tmp_path / name, {path: start}, {path: new}, task=task)
        return any("roughly" in concern.detail for concern in sniffing.find_concerns(comparison))

    assert told("rough", old, near)
    assert not told("same", near, near.replace("1", "2"))
    assert not told("fresh", "\n", near)
    assert not told("asked", old, near, "amounts that differ by less than one are equal")
    assert not told("exact", old, old.replace("v ", "value "))


@pytest.mark.parametrize(
    ("old", "new", "task", "reported"),
    [
        (POINT, ROUGH, "mend the grid", True),
        (RUST_POINT, RUST_ROUGH, "mend the grid", True),
        (POINT, ROUGH, "points within a tolerance of one are the same", False),
        (ROUGH, ROUGH.replace("< 1", "< 2"), "mend the grid", False),
        (RUST_POINT.replace(", PartialEq", ""), RUST_ROUGH, "mend the grid", False),
    ],
)
def test_a_type_that_was_compared_exactly_may_not_be_compared_roughly(
    tmp_path: Path, old: str, new: str, task: str, reported: bool
) -> None:
    path = "point.rs" if "struct" in new else "point.py"
    found = sniffing.find_concerns(compare_projects(tmp_path, {path: old}, {path: new}, task=task))

    because = f"`{path}` compares `Point` roughly, where it was exact in the baseline"
    assert [concern.detail for concern in found] == ([because] if reported else [])


ASKS_FOR_CI = """\
import os
def shows():
    return not os.environ.get('CI')
"""
TRIES_IT = """\
def test_a(monkeypatch):
    monkeypatch.setenv('CI', 'true')
    assert not shows()
"""


@pytest.mark.parametrize(
    ("test", "code", "reported"),
    [
        pytest.param(TRIES_IT, ASKS_FOR_CI, [], id="set by a test"),
        pytest.param(
            snippet("""
                @pytest.mark.parametrize('name', ['CI', 'TERM'])
                def test_a(monkeypatch, name):
                    monkeypatch.delenv(name)
            """),
            ASKS_FOR_CI,
            [],
            id="set by its name",
        ),
        pytest.param(
            TRIES_IT,
            ASKS_FOR_CI.replace("'CI'", "'CI') or os.environ.get('PYTEST_VERSION'"),
            ["sniffing"],
            id="and more is asked",
        ),
        pytest.param(
            TRIES_IT, ASKS_FOR_CI.replace("CI", "GITLAB_CI"), ["sniffing"], id="another variable"
        ),
        pytest.param(
            snippet("""
                def test_a(monkeypatch):
                    monkeypatch.setenv('HOME', '/')
                    if os.environ.get('CI'):
                        pytest.skip()
            """),
            ASKS_FOR_CI,
            ["sniffing"],
            id="only read by a test",
        ),
        pytest.param(
            TRIES_IT.replace("CI", "TESTING"),
            ASKS_FOR_CI.replace("CI", "TESTING"),
            ["sniffing"],
            id="the tests' own variable",
        ),
    ],
)
def test_code_may_branch_on_what_the_baselines_tests_try_both_ways(
    tmp_path: Path, test: str, code: str, reported: list[str]
) -> None:
    baseline = {"tests/test_shows.py": test}

    assert kinds(tmp_path, {"price.py": PY + code}, baseline) == reported


def test_a_variable_that_is_set_for_all_tests_alike_may_not_be_asked_for(tmp_path: Path) -> None:
    fixture = snippet("""
        @pytest.fixture(autouse=True)
        def ci(monkeypatch):
            monkeypatch.setenv('CI', '1')
    """)
    baseline = {"tests/conftest.py": fixture}

    assert kinds(tmp_path, {"price.py": PY + ASKS_FOR_CI}, baseline) == ["sniffing"]


def test_what_only_the_tests_of_now_try_may_not_be_asked_for(tmp_path: Path) -> None:
    new = {"price.py": PY + ASKS_FOR_CI, "tests/test_shows.py": TRIES_IT}

    assert kinds(tmp_path, new) == ["sniffing"]

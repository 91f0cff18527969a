"""The baseline's tests follow the product to new names and places without getting weaker."""

import os
from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.experiments.adaptation import adapt_tests
from untildone.integrity.experiments.expected_failures import remove_xfail_marks
from untildone.integrity.experiments.python_path import add_moved_folders, find_moved_folders
from untildone.integrity.experiments.sandbox_files import compose_files

STORE = """\
class Store:
    def get_usr(self, uid):
        return uid
"""
TEST = """\
from users import Store

def test_get_usr():
    assert Store().get_usr(1) == 1
"""
MORE = "\ndef test_more():\n    assert Store().get_user(2) == 2\n"


def adapt(top: Path, old: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    return adapt_tests(compare_projects(top, old, new))


def test_a_name_that_the_product_gave_up_is_said_as_it_is_now(tmp_path: Path) -> None:
    old = {"users.py": STORE, "tests/test_users.py": TEST}
    new = {
        "users.py": STORE.replace("get_usr", "get_user"),
        "tests/test_users.py": TEST.replace("get_usr", "get_user") + MORE,
    }
    follows = TEST.replace("().get_usr", "().get_user")

    assert adapt(tmp_path, old, new) == {"tests/test_users.py": follows}


def test_an_adapted_file_of_the_baseline_is_the_one_that_runs(tmp_path: Path) -> None:
    comparison = compare_projects(tmp_path, {"tests/test_a.py": "old"}, {"tests/test_a.py": "new"})

    found = compose_files(
        comparison, uses_current=lambda _: False, adapted={"tests/test_a.py": "said anew"}
    )

    assert found.files == {"tests/test_a.py": "said anew"}
    assert found.restored == ("tests/test_a.py",)


@pytest.mark.parametrize(
    ("baseline", "now"),
    [
        pytest.param(
            "def test_a():\n    assert state() == 'open'\n",
            "def test_a():\n    assert state() == 'shut'\n",
            id="a value in quotes",
        ),
        pytest.param(
            snippet("""
                def test_a():
                    first = open()
                    shut = 1
                    assert open() == shut
            """),
            snippet("""
                def test_a():
                    first = shut()
                    assert first
            """),
            id="a name that is taken",
        ),
    ],
)
def test_a_new_name_does_not_change_what_is_expected(
    tmp_path: Path, baseline: str, now: str
) -> None:
    product = snippet("""
        def open():
            return name

        def state():
            return 1
    """)
    old = {"shop.py": product, "test_shop.py": baseline}
    new = {"shop.py": product.replace("open", "shut"), "test_shop.py": now}

    assert adapt(tmp_path, old, new) == {}


def test_names_that_could_be_several_are_left_as_they_were(tmp_path: Path) -> None:
    product = snippet("""
        def {0}():
            return 1

        def {1}():
            return 2
    """)
    test = snippet("""
        def test_a():
            assert {0}() == 1
            assert {1}() == 1
    """)
    old = {"shop.py": product.format("one", "two"), "test_shop.py": test.format("one", "two")}
    new = {"shop.py": product.format("un", "deux"), "test_shop.py": test.format("un", "un")}

    assert adapt(tmp_path, old, new) == {}


SIGNUP = """\
import smtplib

def deliver(to):
    return to

def register(name):
    return 1
"""
MAIL = """\
import smtplib

def deliver(to):
    return to
"""
REGISTER = """\
from notify import mail

def register(name):
    return 1
"""


@pytest.mark.parametrize(
    ("baseline", "now", "follows"),
    [
        pytest.param(
            snippet("""
                import signup
                @patch('signup.deliver')
                def test_a(deliver):
                    signup.register(1)
            """),
            snippet("""
                import signup
                @patch('notify.mail.deliver')
                def test_a(deliver):
                    pass
            """),
            snippet("""
                import signup
                import notify.mail
                @patch('notify.mail.deliver')
                def test_a(deliver):
                    signup.register(1)
            """),
            id="what is patched",
        ),
        pytest.param(
            snippet("""
                from signup import deliver as send, register

                def test_a():
                    assert send(1)
            """),
            "from notify.mail import deliver\nfrom signup import register\n",
            snippet("""
                from notify.mail import deliver as send
                from signup import register

                def test_a():
                    assert send(1)
            """),
            id="what is imported",
        ),
        pytest.param(
            snippet("""
                from signup import (
                    deliver,
                )
            """),
            snippet("""
                from notify.mail import (
                    deliver,
                )
            """),
            "from notify.mail import deliver\n",
            id="what is imported alone, over lines",
        ),
        pytest.param(
            "from signup import register\n", "from notify.mail import deliver\n", None, id="another"
        ),
    ],
)
def test_a_name_that_went_to_another_module_is_looked_for_there(
    tmp_path: Path, baseline: str, now: str, follows: str | None
) -> None:
    old = {"signup.py": SIGNUP, "tests/test_signup.py": baseline}
    new = {"signup.py": REGISTER, "notify/mail.py": MAIL, "tests/test_signup.py": now}

    found = adapt(tmp_path, old, new)

    assert found == ({"tests/test_signup.py": follows} if follows else {})


def test_a_name_that_its_module_still_has_is_looked_for_there(tmp_path: Path) -> None:
    test = snippet("""
        from signup import deliver

        def test_a():
            assert deliver(1)
    """)
    old = {"signup.py": SIGNUP, "tests/test_signup.py": test}
    new = {
        "signup.py": SIGNUP,
        "notify/mail.py": MAIL,
        "tests/test_signup.py": test.replace("signup", "notify.mail"),
    }

    assert adapt(tmp_path, old, new) == {}


MARKED = """\
import pytest, unittest

@pytest.mark.xfail(
    reason="later",
    strict=True,
)
@pytest.mark.slow
def test_a():
    assert 1 == 2

class CaseTest(unittest.TestCase):
    @unittest.expectedFailure
    def test_b(self):
        assert 1 == 2

@pytest.mark.parametrize("n", [1, pytest.param("é", marks=pytest.mark.xfail(strict=True)), 3])
def test_c(n):
    assert n
"""
UNMARKED = """\
import pytest, unittest

@pytest.mark.slow
def test_a():
    assert 1 == 2

class CaseTest(unittest.TestCase):
    def test_b(self):
        assert 1 == 2

@pytest.mark.parametrize("n", [1, pytest.param("é"), 3])
def test_c(n):
    assert n
"""


@pytest.mark.parametrize(
    ("now", "judges"),
    [
        pytest.param(UNMARKED.replace("1 == 2", "True"), UNMARKED, id="taken off"),
        pytest.param(MARKED, MARKED, id="still there"),
        pytest.param("def test_other():\n    pass\n", MARKED, id="the tests are not there"),
        pytest.param("def test_other(:\n", MARKED, id="no Python"),
        pytest.param("", MARKED, id="gone"),
    ],
)
def test_a_test_that_is_not_expected_to_fail_any_longer_has_to_pass(now: str, judges: str) -> None:
    assert remove_xfail_marks(MARKED, now) == judges


LEDGER = {
    "ledger/__init__.py": "from .core import add\n",
    "ledger/core.py": "def add(a, b):\n    return a + b\n",
    "tests/test_ledger.py": "from ledger import add\n",
}
INSIDE_SRC = {
    "src/ledger/__init__.py": "from .core import add\n\n__all__ = ['add']\n",
    "src/ledger/core.py": LEDGER["ledger/core.py"],
    "tests/test_ledger.py": LEDGER["tests/test_ledger.py"],
}


@pytest.mark.parametrize(
    ("more", "folders"),
    [
        pytest.param({}, ("src",), id="all of it"),
        pytest.param({"src/ledger/more.py": ""}, ("src",), id="with a new module inside"),
        pytest.param({"src/json.py": ""}, (), id="with a module that could be another's"),
        pytest.param({"src/pytest/__init__.py": ""}, (), id="with a package that could be"),
        pytest.param(
            {"ledger/__init__.py": "", "ledger/core.py": ""}, (), id="the first is there still"
        ),
    ],
)
def test_a_folder_that_the_modules_went_to_as_a_whole_is_where_python_looks(
    tmp_path: Path, more: dict[str, str], folders: tuple[str, ...]
) -> None:
    assert find_moved_folders(compare_projects(tmp_path, LEDGER, {**INSIDE_SRC, **more})) == folders


def test_a_module_moved_into_a_package_is_no_moved_folder(tmp_path: Path) -> None:
    old = {"shop/__init__.py": "", "shop/rate.py": "RATE = 1\n"}
    new = {"shop/__init__.py": "", "shop/tax/__init__.py": "", "shop/tax/rate.py": "RATE = 2\n"}

    assert find_moved_folders(compare_projects(tmp_path, old, new)) == ()


REQUIRED = "const test = require('node:test');\nconst { a, b: c } = require('../src/a.js');\n"
SAID = "\ntest('a', () => { assert.equal(a(), 1); });\n"


@pytest.mark.parametrize(
    ("product", "way", "line"),
    [
        ("export const d = 1;\n", "../src/d.js", "import * as d from '../src/d.js';"),
        ("export default 1;\n", "../src/d.js", "import d from '../src/d.js';"),
    ],
)
def test_a_package_that_became_one_of_modules_has_its_tests_import(
    tmp_path: Path, product: str, way: str, line: str
) -> None:
    path = "test/a.test.js"
    old = {"package.json": "{}", path: f"{REQUIRED}const d = require('{way}');\n{SAID}"}
    new = {"package.json": '{"type": "module"}', "src/d.js": product, path: f"{line}\n"}
    follows = (
        f"import test from 'node:test';\nimport {{ a, b as c }} from '../src/a.js';\n{line}\n{SAID}"
    )

    assert adapt(tmp_path, old, new) == {path: follows}


def test_a_package_that_was_or_is_none_of_modules_keeps_its_words(tmp_path: Path) -> None:
    path = "test/a.test.js"
    old = {"package.json": "{}", path: REQUIRED}

    assert adapt(tmp_path / "a", old, {"package.json": '{"a": 1}', path: "x\n"}) == {}

    modules = {"package.json": '{"type": "module"}'}
    made = {**modules, path: f"const require = createRequire(import.meta.url);\n{REQUIRED}"}
    assert adapt(tmp_path / "b", made, {**modules, path: "x\n"}) == {}


@pytest.mark.parametrize(
    ("path", "variables", "expected"),
    [
        ("shop.py", {}, {"PYTHONPATH": "."}),
        ("src/shop.py", {}, {"PYTHONPATH": os.pathsep.join((".", "src"))}),
        ("shop.py", {"PYTHONPATH": "lib"}, {"PYTHONPATH": os.pathsep.join(("lib", "."))}),
        ("tests/test_shop.py", {}, {}),
    ],
)
def test_modules_are_looked_for_where_projects_keep_them(
    tmp_path: Path, path: str, variables: dict[str, str], expected: dict[str, str]
) -> None:
    comparison = compare_projects(tmp_path, {path: "x = 1\n"}, {path: "x = 2\n"})

    assert add_moved_folders(comparison, variables, with_usual=True) == expected

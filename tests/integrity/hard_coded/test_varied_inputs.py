"""Functions run in copies of both trees and cannot change them."""

from contextlib import closing
from pathlib import Path

import pytest

from integrity.trees import compare_projects
from untildone.integrity.hard_coded.varied_inputs import TreeCopies, find_special_inputs

PRICE = "def price(total):\n    return total\n"
NEEDS = "import os, pathlib, shutil, sqlite3, subprocess\n"


@pytest.mark.parametrize(
    "deed",
    [
        "open('price.py', 'a').close()",
        "pathlib.Path('new.py').touch()",
        "os.close(os.open('price.py', os.O_RDWR))",
        "os.truncate('price.py', 0)",
        "os.mkdir('new')",
        "os.remove('price.py')",
        "os.rename('price.py', 'new.py')",
        "os.symlink('price.py', 'new.py')",
        "os.mkfifo('new')",
        "os.chmod('price.py', 0)",
        "shutil.copy('price.py', 'new.py')",
        "sqlite3.connect('new.db')",
        "subprocess.run(['touch', 'new'])",
        "os.system('touch new')",
    ],
)
def test_a_function_cannot_change_its_copy_of_the_tree(tmp_path: Path, deed: str) -> None:
    code = f"{NEEDS}def price(total):\n    {deed}\n    return total\n"
    comparison = compare_projects(tmp_path, {"price.py": PRICE}, {"price.py": code})

    with closing(TreeCopies(comparison)) as trials:
        find_special_inputs(trials, "price.py", functions=["price"], tests=["price(501)"])
        assert trials.new is not None
        assert [path.name for path in trials.new.iterdir()] == ["price.py"]
        assert trials.new.joinpath("price.py").read_text(encoding="utf-8") == code
    assert not trials.new.exists()


def test_a_tree_is_copied_once(tmp_path: Path) -> None:
    comparison = compare_projects(
        tmp_path, {"price.py": PRICE}, {"price.py": PRICE.replace("total", "9", 2)}
    )

    with closing(TreeCopies(comparison)) as trials:
        first = trials.old, trials.new
        find_special_inputs(trials, "price.py", functions=["price"], tests=["price(501)"])
        assert (trials.old, trials.new) == first

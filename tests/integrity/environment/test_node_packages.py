"""Installed packages that were changed in place are reported; reinstalled ones are not."""

import os
from pathlib import Path

import pytest

from integrity.trees import write_tree
from untildone.core.evidence import Concern
from untildone.integrity.baseline import Baseline, Stamp, read_stamps
from untildone.integrity.comparison import compare_trees
from untildone.integrity.environment import node_packages
from untildone.worktree.contents import Tree

PACKAGE = {
    "package.json": '{"dependencies": {"same": "1"}}',
    "node_modules/same/package.json": '{"name": "same", "version": "1.0.0"}',
    "node_modules/same/index.js": "module.exports = (a, b) => a === b;\n",
    "node_modules/same/README.md": "same\n",
    "node_modules/.package-lock.json": "{}",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_tree(tmp_path, PACKAGE)


def read_packages(project: Path) -> dict[str, Stamp]:
    return dict(read_stamps(project, ["node_modules"]))


def find_concerns(project: Path, baseline: dict[str, Stamp]) -> list[Concern]:
    no_files, record = Tree(project, {}), Baseline(entries={}, dependencies=baseline)
    return list(node_packages.find_concerns(compare_trees(no_files, no_files, (), baseline=record)))


def find_reasons(project: Path, baseline: dict[str, Stamp]) -> list[str]:
    return [concern.detail for concern in find_concerns(project, baseline)]


def test_a_file_edited_in_place_is_reported(project: Path) -> None:
    baseline = read_packages(project)
    write_tree(project, {"node_modules/same/index.js": "module.exports = () => true;\n"})

    assert find_reasons(project, baseline) == [
        "`node_modules/same/index.js` was changed, and its package was not installed anew"
    ]


def test_another_description_does_not_hide_it(project: Path) -> None:
    baseline = read_packages(project)
    write_tree(
        project,
        {"node_modules/same/index.js": "x\n", "node_modules/same/package.json": '{"name": "same"}'},
    )

    assert [finding.path for finding in find_concerns(project, baseline)] == [
        "node_modules/same/index.js",
        "node_modules/same/package.json",
    ]


def test_a_reinstalled_package_is_no_concern(project: Path) -> None:
    baseline = read_packages(project)
    for name in ("package.json", "index.js", "README.md"):
        (project / "node_modules/same" / name).unlink()
    write_tree(
        project,
        {
            "node_modules/same/package.json": '{"name": "same", "version": "2.0.0"}',
            "node_modules/same/index.js": "module.exports = Object.is;\n",
            "node_modules/same/README.md": "same, the second\n",
            "node_modules/more/package.json": "{}",
            "node_modules/.package-lock.json": '{"packages": {}}',
            "node_modules/.cache/x/y.js": "cached",
        },
    )

    assert find_reasons(project, baseline) == []


@pytest.mark.parametrize(
    ("lock", "reported"),
    [
        ({}, ["index.js", "package.json"]),
        ({"package-lock.json": "{}"}, ["index.js", "package.json"]),
        ({"node_modules/.modules.yaml": "a: 1\n"}, []),
        ({"bun.lock": "{}"}, []),
    ],
)
def test_a_package_replaced_without_an_installer_is_reported(
    project: Path, lock: dict[str, str], reported: list[str]
) -> None:
    baseline = read_packages(project)
    (project / "node_modules/same/README.md").unlink()
    write_tree(
        project, {"node_modules/same/index.js": "a\n", "node_modules/same/package.json": "{}"}
    )
    write_tree(project, lock)

    found = sorted(finding.path for finding in find_concerns(project, baseline))
    assert found == [f"node_modules/same/{name}" for name in reported]


def test_unchanged_packages_are_no_concern(project: Path) -> None:
    assert find_reasons(project, read_packages(project)) == []


def test_a_package_made_by_hand_is_reported(project: Path) -> None:
    baseline = read_packages(project)
    write_tree(
        project,
        {
            "node_modules/vitest/package.json": "{}",
            "node_modules/same/node_modules/x/package.json": "{}",
        },
    )

    assert sorted(find_reasons(project, baseline)) == [
        "the package `vitest` was put there by hand",
        "the package `x` was put there by hand",
    ]


@pytest.mark.skipif(os.name == "nt", reason="commands are links here")
def test_a_command_of_no_package_is_reported(project: Path) -> None:
    baseline = read_packages(project)
    write_tree(project, {"node_modules/.bin/vitest": "#!/bin/sh\nexit 0\n"})
    write_tree(
        project, {"node_modules/.bin/shim": '#!/bin/sh\nexec node "$basedir/../same/index.js"\n'}
    )
    (project / "node_modules/.bin/same").symlink_to("../same/index.js")
    (project / "node_modules/.bin/other").symlink_to("/bin/true")

    assert sorted(find_reasons(project, baseline)) == [
        "`node_modules/.bin/other` is no command of an installed package",
        "`node_modules/.bin/vitest` is no command of an installed package",
    ]


def test_without_a_manifest_no_package_is_declared(tmp_path: Path) -> None:
    write_tree(tmp_path, {"node_modules/x/package.json": "{}"})

    assert find_reasons(tmp_path, {}) == ["the package `x` was put there by hand"]


@pytest.mark.parametrize("package", ["[]", '{"dependencies": 5}', "[" * 100_000, "{"])
def test_a_package_that_no_readable_manifest_declares_is_reported(
    project: Path, package: str
) -> None:
    baseline = read_packages(project)
    write_tree(project, {"package.json": package, "node_modules/new/package.json": "{}"})

    assert find_reasons(project, baseline) == ["the package `new` was put there by hand"]

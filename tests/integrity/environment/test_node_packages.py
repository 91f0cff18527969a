"""Installed packages that were changed in place are reported; reinstalled ones are not."""

import os
from pathlib import Path

import pytest

from integrity.trees import write_tree
from untildone.core.evidence import Concern
from untildone.integrity.baseline import Baseline
from untildone.integrity.comparison import compare_trees
from untildone.integrity.environment import node_packages
from untildone.integrity.environment.dependency_digests import (
    DependencyDigests,
    load_digests,
    read_digests,
    save_digests,
)
from untildone.worktree.contents import Tree
from untildone.worktree.stamps import Stamp, read_stamps

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


def find_concerns(
    project: Path, baseline: dict[str, Stamp], digests: DependencyDigests | None = None
) -> list[Concern]:
    no_files, record = Tree(project, {}), Baseline(entries={}, dependencies=baseline)
    comparison = compare_trees(no_files, no_files, (), baseline=record, dependency_digests=digests)
    return list(node_packages.find_concerns(comparison))


def find_reasons(
    project: Path, baseline: dict[str, Stamp], digests: DependencyDigests | None = None
) -> list[str]:
    return [concern.detail for concern in find_concerns(project, baseline, digests)]


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


def replace_package(project: Path, version: str) -> None:
    """Write all files anew with another content, as an installer would."""
    for name in ("package.json", "index.js", "README.md"):
        (project / "node_modules/same" / name).unlink()
    write_tree(
        project,
        {
            "node_modules/same/package.json": f'{{"name": "same", "version": "{version}"}}',
            "node_modules/same/index.js": "module.exports = () => true;\n",
            "node_modules/same/README.md": "same\n",
            "node_modules/.package-lock.json": '{"packages": {}}',
        },
    )


@pytest.mark.parametrize(
    ("version", "reported"),
    [
        (
            "1.0.0",
            [
                "`node_modules/same/index.js` was changed, and its package has the same version"
                " as before"
            ],
        ),
        ("2.0.0", []),
    ],
)
def test_a_package_of_the_same_version_has_the_same_files(
    project: Path, version: str, reported: list[str]
) -> None:
    stamps = read_packages(project)
    digests = read_digests(project, stamps, seconds=60)
    replace_package(project, version)

    assert find_reasons(project, stamps, digests) == reported


def test_a_file_that_was_only_touched_is_no_concern(project: Path) -> None:
    stamps = read_packages(project)
    digests = read_digests(project, stamps, seconds=60)
    text = (project / "node_modules/same/index.js").read_text(encoding="utf-8")
    write_tree(project, {"node_modules/same/index.js": text})

    assert find_reasons(project, stamps, digests) == []


def test_digests_are_read_in_time_and_only_of_the_baselines_files(project: Path) -> None:
    stamps = read_packages(project)
    write_tree(project, {"node_modules/same/index.js": "edited at once\n"})

    assert read_digests(project, stamps, seconds=-1) == DependencyDigests()
    assert read_digests(project, stamps, seconds=60).versions == {"node_modules/same": "1.0.0"}
    assert "node_modules/same/index.js" not in read_digests(project, stamps, seconds=60).files


def test_saved_digests_that_were_changed_do_not_count(project: Path, tmp_path: Path) -> None:
    digests = read_digests(project, read_packages(project), seconds=60)
    digest = save_digests(digests, tmp_path)

    assert load_digests(tmp_path, digest) == digests
    (tmp_path / "digests.json").write_text("[{}, {}]", encoding="utf-8")
    assert load_digests(tmp_path, digest) == DependencyDigests()

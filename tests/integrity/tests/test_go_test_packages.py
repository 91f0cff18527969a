"""Files of Go test packages count as tests, although none is a `_test.go`."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from untildone.integrity.experiments.sandbox_files import compose_files

CONTRACT = """\
package kvtest

import "testing"

func Run(t *testing.T, open func() Store) {
	if open() == nil {
		t.Error("no store")
	}
}
"""
WEAK = CONTRACT.replace("t.Error", "t.Log")


def test_a_test_package_of_the_baseline_is_used_unchanged(tmp_path: Path) -> None:
    comparison = compare_projects(tmp_path, {"kvtest/run.go": CONTRACT}, {"kvtest/run.go": WEAK})

    assert compose_files(comparison, uses_current=lambda _: False).restored == ("kvtest/run.go",)


@pytest.mark.parametrize(
    ("path", "baseline"),
    [
        pytest.param("speedtest/run.go", "package speedtest\n\nfunc Run() {}\n", id="no tests"),
        pytest.param("assert/equal.go", CONTRACT, id="a library for tests"),
    ],
)
def test_a_product_stays_a_product(tmp_path: Path, path: str, baseline: str) -> None:
    comparison = compare_projects(tmp_path, {path: baseline}, {path: f"{baseline}\n// more\n"})

    assert comparison.role(path) == "product"

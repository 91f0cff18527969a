"""Go, Rust and Java: which edits weaken a test and which only rewrite it."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.tests import comparison as tests_comparison

GO = "clamp_test.go"
GO_PRODUCT = {
    "clamp.go": snippet("""
        package clamp

        func Clamp(v, lo, hi int) int { return v }

        func Parse(s string) (int, error) { return 0, nil }
    """)
}
GO_START = """package clamp

import "testing"

func TestHigh(t *testing.T) {
	if got := Clamp(50, 0, 10); got != 10 {
		t.Errorf("got %d", got)
	}
}

func TestBad(t *testing.T) {
	_, err := Parse("x")
	if err == nil {
		t.Fatal("no error")
	}
}
"""
GO_TABLE = """package clamp

import "testing"

func TestClamp(t *testing.T) {
	cases := []struct {
		name string
		in, want int
	}{
		{"high", 50, 10},
		{name: "low", in: -5, want: 0},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if got := Clamp(tc.in, 0, 10); got != tc.want {
				t.Errorf("got %d", got)
			}
		})
	}
}
"""
RUST = "src/lib.rs"
RUST_START = """pub fn fee(cents: u64) -> u64 {
    cents / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum() {
        assert_eq!(fee(1), 5);
    }

    #[test]
    #[should_panic(expected = "too much")]
    fn limit() {
        fee(1_000_000);
    }
}
"""
JAVA = "src/test/java/FeeTest.java"
JAVA_PRODUCT = {
    "src/main/java/Fee.java": snippet("""
        class Fee {
          static long fee(long cents) {
            return cents;
          }
        }
    """)
}
JAVA_START = """import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.Test;

class FeeTest {
  @Test
  void minimum() {
    assertEquals(5, Fee.fee(1));
  }

  @Test
  void negative() {
    assertThrows(IllegalArgumentException.class, () -> Fee.fee(-1));
  }
}
"""


def find_ids(top: Path, old: dict[str, str], new: dict[str, str]) -> set[str]:
    return {
        concern.id.partition("#")[0]
        for concern in tests_comparison.find_concerns(compare_projects(top, old, new))
    }


def go(top: Path, old: str, files: dict[str, str]) -> set[str]:
    return find_ids(top, {**GO_PRODUCT, GO: old}, {**GO_PRODUCT, **files})


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("t.Errorf(", "t.Logf("), f"edit-test:{GO}:TestHigh"),
        (("got != 10", "got != 50"), f"edit-expected:{GO}:TestHigh"),
        (("Clamp(50,", "Clamp(10,"), f"edit-expected:{GO}:TestHigh"),
        (("got != 10", "got < 0"), f"edit-test:{GO}:TestHigh"),
        (("got != 10", "got != 10 && got != 50"), f"edit-test:{GO}:TestHigh"),
        (("got != 10", "false && got != 10"), f"edit-test:{GO}:TestHigh"),
        (
            (
                "T) {\n\tif got",
                snippet("""
                    T) {
                    \tt.Skip("later")
                    \tif got"""),
            ),
            f"edit-test:{GO}:TestHigh",
        ),
        (
            (
                "T) {\n\tif got",
                snippet("""
                    T) {
                    \tif testing.Short() {
                    \t\tt.SkipNow()
                    \t}
                    \tif got"""),
            ),
            f"edit-test:{GO}:TestHigh",
        ),
        (("T) {\n\tif got", "T) {\n\treturn\n\tif got"), f"edit-test:{GO}:TestHigh"),
        (('\t\tt.Errorf("got %d", got)\n', ""), f"edit-test:{GO}:TestHigh"),
        (("func TestHigh", "func testHigh"), f"remove-test:{GO}::TestHigh"),
        (("func TestHigh", "func Testhigh"), f"remove-test:{GO}::TestHigh"),
        (("func TestHigh(t *testing.T)", "func TestHigh(t *quiet)"), f"remove-test:{GO}::TestHigh"),
        (("err == nil", "err == nil && false"), f"edit-test:{GO}:TestBad"),
    ],
)
def test_a_go_test_made_weaker_is_a_concern(
    tmp_path: Path, change: tuple[str, str], expected: str
) -> None:
    assert change[0] in GO_START
    assert go(tmp_path, GO_START, {GO: GO_START.replace(*change, 1)}) == {expected}


@pytest.mark.parametrize(
    "files",
    [
        {GO: "//go:build integration\n\n" + GO_START},
        {GO: "// +build ignore\n\n" + GO_START},
        {"clamp_windows_test.go": GO_START},
        {"clamp_arm64_test.go": GO_START},
        {"testdata/clamp_test.go": GO_START},
        {"_old/clamp_test.go": GO_START},
        {"clamp_tests.go": GO_START},
        {"clamp_test.go.txt": GO_START},
    ],
)
def test_go_files_left_out_of_the_build_are_concerns(tmp_path: Path, files: dict[str, str]) -> None:
    assert {each.rpartition(":")[2] for each in go(tmp_path, GO_START, files)} == {
        "TestHigh",
        "TestBad",
    }


GO_SENTINEL = GO_START.replace("err == nil", "err != ErrRange")


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("!errors.Is(err, ErrRange)", set()),
        ("errors.Is(err, ErrRange)", {f"edit-test:{GO}:TestBad"}),
        ("err != nil && !errors.Is(err, ErrRange)", {f"edit-test:{GO}:TestBad"}),
        ("!errors.As(err, &target)", {f"edit-test:{GO}:TestBad"}),
        ("err == nil", {f"edit-test:{GO}:TestBad"}),
    ],
)
def test_an_error_may_be_asked_for_by_what_it_is(
    tmp_path: Path, condition: str, expected: set[str]
) -> None:
    new = GO_SENTINEL.replace("err != ErrRange", condition)
    assert go(tmp_path, GO_SENTINEL, {GO: new}) == expected


def test_a_row_of_a_go_table_is_an_assertion(tmp_path: Path) -> None:
    new = {GO: GO_TABLE.replace('\t\t{"high", 50, 10},\n', "")}
    assert go(tmp_path, GO_TABLE, new) == {f"edit-test:{GO}:TestClamp"}


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"limits_test.go": GO_START}, id="renamed"),
        pytest.param(
            {
                GO: GO_TABLE
                + snippet("""

                    func TestBad(t *testing.T) {
                    \tif _, err := Parse("x"); err == nil {
                    \t\tt.Error("no error")
                    \t}
                    }
                """)
            },
            id="folded into a table",
        ),
        pytest.param(
            {
                GO: GO_START.replace(
                    snippet("""
                        if got := Clamp(50, 0, 10); got != 10 {
                        \t\tt.Errorf("got %d", got)
                        \t}"""),
                    "assert.Equal(t, 10, Clamp(50, 0, 10))",
                )
            },
            id="testify",
        ),
        pytest.param(
            {
                GO: GO_START.replace(
                    snippet("""
                        if got := Clamp(50, 0, 10); got != 10 {
                        \t\tt.Errorf("got %d", got)
                        \t}"""),
                    "check(t, Clamp(50, 0, 10), 10)",
                )
                + snippet("""

                    func check(t *testing.T, got, want int) {
                    \tt.Helper()
                    \tif got != want {
                    \t\tt.Fatalf("got %d, want %d", got, want)
                    \t}
                    }
                """)
            },
            id="a helper",
        ),
        pytest.param(
            {
                GO: GO_START.replace(
                    "if got := Clamp(50, 0, 10); got != 10 {",
                    snippet("""
                        want := 10
                        \tgot := Clamp(50, 0, 10)
                        \tif got != want {"""),
                )
            },
            id="variables",
        ),
        pytest.param(
            {
                GO: GO_START.replace(
                    "if got := Clamp(50, 0, 10); got != 10 {",
                    snippet("""
                        for in, want := range map[int]int{50: 10, 7: 7} {
                        \tif got := Clamp(in, 0, 10); got != want {"""),
                ).replace("\n\t}\n}\n\nfunc TestBad", "\n\t}\n\t}\n}\n\nfunc TestBad")
            },
            id="folded into a map",
        ),
        pytest.param(
            {
                GO: GO_START.replace(
                    "T) {\n\tif got",
                    snippet("""
                        T) {
                        \tt.Parallel()
                        \tif got"""),
                )
            },
            id="parallel",
        ),
    ],
)
def test_a_rewritten_go_test_is_no_concern(tmp_path: Path, files: dict[str, str]) -> None:
    assert go(tmp_path, GO_START, files) == set()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            ("    #[test]\n    fn m", "    #[test]\n    #[ignore]\n    fn m"),
            "edit-test:src/lib.rs:tests::minimum",
        ),
        (
            ("    #[test]\n    fn m", '    #[test]\n    #[ignore = "slow"]\n    fn m'),
            "edit-test:src/lib.rs:tests::minimum",
        ),
        (
            ("    #[test]\n    fn m", '    #[cfg(feature = "full")]\n    #[test]\n    fn m'),
            "edit-test:src/lib.rs:tests::minimum",
        ),
        (
            ("    #[test]\n    fn m", '    #[cfg(target_os = "windows")]\n    #[test]\n    fn m'),
            "edit-test:src/lib.rs:tests::minimum",
        ),
        (
            ("    #[test]\n    fn m", "    #[cfg_attr(not(full), ignore)]\n    #[test]\n    fn m"),
            "edit-test:src/lib.rs:tests::minimum",
        ),
        (("    #[test]\n    fn m", "    fn m"), "remove-test:src/lib.rs::tests::minimum"),
        (("assert_eq!(fee(1), 5)", "assert!(fee(1) > 0)"), "edit-test:src/lib.rs:tests::minimum"),
        (("assert_eq!(fee(1), 5)", "assert_ne!(fee(1), 6)"), "edit-test:src/lib.rs:tests::minimum"),
        (
            ("assert_eq!(fee(1), 5)", "assert_eq!(fee(1), fee(1))"),
            "edit-expected:src/lib.rs:tests::minimum",
        ),
        (
            ("assert_eq!(fee(1), 5)", "assert_eq!(fee(1), 0)"),
            "edit-expected:src/lib.rs:tests::minimum",
        ),
        (
            ("assert_eq!(fee(1), 5)", "assert!(fee(1) == 5 || true)"),
            "edit-test:src/lib.rs:tests::minimum",
        ),
        (
            ("assert_eq!(fee(1), 5)", "let _ = std::panic::catch_unwind(|| assert_eq!(fee(1), 5))"),
            "edit-test:src/lib.rs:tests::minimum",
        ),
        (
            ("assert_eq!(fee(1), 5)", "return;\n        assert_eq!(fee(1), 5)"),
            "edit-test:src/lib.rs:tests::minimum",
        ),
        (
            ("assert_eq!(fee(1), 5)", "if fee(1) == 5 { assert_eq!(fee(1), 5) }"),
            "edit-test:src/lib.rs:tests::minimum",
        ),
        (
            ('#[should_panic(expected = "too much")]', "#[should_panic]"),
            "edit-test:src/lib.rs:tests::limit",
        ),
        (('    #[should_panic(expected = "too much")]\n', ""), "edit-test:src/lib.rs:tests::limit"),
    ],
)
def test_a_rust_test_made_weaker_is_a_concern(
    tmp_path: Path, change: tuple[str, str], expected: str
) -> None:
    assert change[0] in RUST_START
    new = RUST_START.replace(*change, 1)
    assert find_ids(tmp_path, {RUST: RUST_START}, {RUST: new}) == {expected}


def test_a_rust_test_that_should_now_panic_is_a_concern(tmp_path: Path) -> None:
    new = RUST_START.replace("    #[test]\n    fn m", "    #[test]\n    #[should_panic]\n    fn m")
    found = find_ids(tmp_path, {RUST: RUST_START}, {RUST: new})
    assert found == {"edit-test:src/lib.rs:tests::minimum"}


def test_what_an_example_prints_is_expected(tmp_path: Path) -> None:
    old = GO_START + snippet("""

        func ExampleClamp() {
        \tfmt.Println(Clamp(50, 0, 10))
        \t// Output: 10
        }
    """)
    for comment in ("// Output: 50", "// prints 10"):
        top = tmp_path / comment[3:6]
        new = {GO: old.replace("// Output: 10", comment)}
        assert {each.rpartition(":")[2] for each in go(top, old, new)} == {"ExampleClamp"}


def test_a_rust_module_left_out_is_a_concern(tmp_path: Path) -> None:
    new = RUST_START.replace("#[cfg(test)]", '#[cfg(all(test, feature = "slow"))]')
    assert find_ids(tmp_path, {RUST: RUST_START}, {RUST: new}) == {
        "edit-test:src/lib.rs:tests::minimum",
        "edit-test:src/lib.rs:tests::limit",
    }


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(("cents / 100", "(cents / 100).max(5)"), id="only the product"),
        pytest.param(
            ("assert_eq!(fee(1), 5)", 'assert_eq!(fee(1), 5, "at least five")'), id="a message"
        ),
        pytest.param(("assert_eq!(fee(1), 5)", "assert!(fee(1) == 5)"), id="the other macro"),
        pytest.param(
            (
                "assert_eq!(fee(1), 5)",
                snippet("""
                    for (cents, want) in [(1, 5), (2, 5)] {
                                assert_eq!(fee(cents), want);
                            }"""),
            ),
            id="a loop",
        ),
        pytest.param(
            ("assert_eq!(fee(1), 5)", "let got = fee(1u64);\n        assert_eq!(got, 5u64)"),
            id="a variable",
        ),
        pytest.param(("fn minimum", "fn at_least_five"), id="renamed"),
    ],
)
def test_a_rewritten_rust_test_is_no_concern(tmp_path: Path, change: tuple[str, str]) -> None:
    new = RUST_START.replace(*change)
    assert find_ids(tmp_path, {RUST: RUST_START}, {RUST: new}) == set()


def test_rust_tests_may_move_into_a_file(tmp_path: Path) -> None:
    product, _, tests = RUST_START.partition("#[cfg(test)]\nmod tests {\n")
    new = {
        RUST: product + "#[cfg(test)]\nmod tests;\n",
        "src/tests.rs": tests.rpartition("}")[0],
    }
    assert find_ids(tmp_path, {RUST: RUST_START}, new) == set()


def test_a_rust_test_file_nobody_declares_is_not_run(tmp_path: Path) -> None:
    product, _, tests = RUST_START.partition("#[cfg(test)]\nmod tests {\n")
    body = tests.rpartition("}")[0]
    old = {RUST: product + "#[cfg(test)]\nmod tests;\n", "src/tests.rs": body}
    found = find_ids(tmp_path, old, {RUST: product, "src/tests.rs": body})
    assert found == {"edit-test:src/tests.rs:minimum", "edit-test:src/tests.rs:limit"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("  @Test\n  void m", "  @Disabled\n  @Test\n  void m"), "edit-test"),
        (("  @Test\n  void m", '  @Ignore("x")\n  @Test\n  void m'), "edit-test"),
        (
            (
                "  @Test\n  void m",
                '  @EnabledIfEnvironmentVariable(named = "X", matches = "1")\n  @Test\n  void m',
            ),
            "edit-test",
        ),
        (("  @Test\n  void m", "  @Test\n  private void m"), "edit-test"),
        (("assertEquals(5, Fee.fee(1))", "assertNotNull(Fee.fee(1))"), "edit-test"),
        (("assertEquals(5, Fee.fee(1))", "assertTrue(Fee.fee(1) >= 0)"), "edit-test"),
        (("assertEquals(5, Fee.fee(1))", "assertEquals(5, Fee.fee(1), 100)"), "edit-test"),
        (("assertEquals(5, Fee.fee(1))", "assumeTrue(Fee.fee(1) == 5)"), "edit-test"),
        (
            (
                "assertEquals(5, Fee.fee(1));",
                "try { assertEquals(5, Fee.fee(1)); } catch (AssertionError e) { }",
            ),
            "edit-test",
        ),
        (("assertEquals(5, Fee.fee(1))", "assertEquals(0, Fee.fee(1))"), "edit-expected"),
        (("assertEquals(5, Fee.fee(1))", "assertEquals(5, Fee.fee(500))"), "edit-expected"),
    ],
)
def test_a_java_test_made_weaker_is_a_concern(
    tmp_path: Path, change: tuple[str, str], expected: str
) -> None:
    assert change[0] in JAVA_START
    new = {**JAVA_PRODUCT, JAVA: JAVA_START.replace(*change, 1)}
    found = find_ids(tmp_path, {**JAVA_PRODUCT, JAVA: JAVA_START}, new)
    assert found == {f"{expected}:{JAVA}:FeeTest::minimum"}


def test_a_java_method_without_its_annotation_is_removed(tmp_path: Path) -> None:
    new = {**JAVA_PRODUCT, JAVA: JAVA_START.replace("  @Test\n  void m", "  void m")}
    found = find_ids(tmp_path, {**JAVA_PRODUCT, JAVA: JAVA_START}, new)
    assert found == {f"remove-test:{JAVA}::FeeTest::minimum"}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            ("assertEquals(5, Fee.fee(1))", 'assertEquals(5L, Fee.fee(1L), "at least five")'),
            id="a message",
        ),
        pytest.param(
            ("assertEquals(5, Fee.fee(1))", "assertThat(Fee.fee(1)).isEqualTo(5)"), id="assertj"
        ),
        pytest.param(
            (
                "  @Test\n  void minimum() {\n    assertEquals(5, Fee.fee(1));",
                '  @ParameterizedTest\n  @CsvSource({"1, 5", "2, 5"})\n'
                "  void minimum(long cents, long want) {\n    assertEquals(want, Fee.fee(cents));",
            ),
            id="a table",
        ),
        pytest.param(("void minimum", "void atLeastFive"), id="renamed"),
        pytest.param(
            (
                "assertEquals(5, Fee.fee(1));",
                snippet("""
                    check(1, 5);
                      }

                      private void check(long cents, long want) {
                        assertEquals(want, Fee.fee(cents));"""),
            ),
            id="a helper",
        ),
    ],
)
def test_a_rewritten_java_test_is_no_concern(tmp_path: Path, change: tuple[str, str]) -> None:
    assert change[0] in JAVA_START
    new = {**JAVA_PRODUCT, JAVA: JAVA_START.replace(*change, 1)}
    assert find_ids(tmp_path, {**JAVA_PRODUCT, JAVA: JAVA_START}, new) == set()


def test_parameters_of_go_that_share_a_type(tmp_path: Path) -> None:
    old = snippet("""
        package clamp

        import "testing"

        func check(t *testing.T, value, want int) {
            if Clamp(value, 0, 10) != want {
                t.Error(value)
            }
        }

        func TestHigh(t *testing.T) { check(t, 50, 10) }
    """)
    new = old.replace("check(t, 50, 10)", "check(t, 50, 9)")
    comparison = compare_projects(tmp_path, {**GO_PRODUCT, GO: old}, {**GO_PRODUCT, GO: new})
    (concern,) = tests_comparison.find_concerns(comparison)
    assert "expected `10` for `50, 0, 10` in the baseline, now `9`" in concern.detail

"""One assertion in many forms: equal ones replace each other, a weaker one does not."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.tests import comparison as tests_comparison
from untildone.integrity.tests import mocks as tests_mocks
from untildone.integrity.tests import runner_interference as tests_runner
from untildone.integrity.tests.inventory import read_inventory

PRODUCT = {
    "app.py": snippet("""
        def f(a, b=0):
            return a


        def g(a):
            return a
    """),
    "app.js": "export function f(a) { return a; }\n",
    "App.java": snippet("""
        class App {
          static int f(int a) {
            return a;
          }
        }
    """),
}


def is_weakened(top: Path, path: str, old: str, new: str) -> bool:
    comparison = compare_projects(top, {**PRODUCT, path: old}, {**PRODUCT, path: new})
    return bool(list(tests_comparison.find_concerns(comparison)))


HEAD = """\
import math
import numpy as np
import pytest

from app import f, g

ROWS = {'one': 1, 'two': 2}
"""


def python(body: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"{HEAD}\n\ndef test_it():\n{lines}\n"


def script(body: str) -> str:
    return f"test('it', async () => {{\n  {body}\n}});\n"


def java(body: str, above: str = "") -> str:
    return f"class AppTest {{\n{above}\n  @Test\n  void it() {{\n    {body}\n  }}\n}}\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("assert f(1) == 2", "assert not f(1) != 2"),
        ("assert f(1) == 2", "got = f(ROWS['one'])\nassert got == ROWS['two']"),
        ("assert f(1) == 2", "rows = [1, 2]\nassert f(rows[0]) == rows[1]"),
        ("assert f(1) == 2", "assert math.isclose(f(1), 2, rel_tol=1e-9)"),
        ("assert f(1) == 2", "assert np.array_equal(f(1), 2)"),
        ("assert f(1) == 2", "assert abs(f(1) - 2) < 1e-6"),
        ("assert f(1) == 2", "if f(1) != 2:\n    raise AssertionError('x')"),
        ("assert f(1) == 2", "if True:\n    assert f(1) == 2"),
        (
            "assert f(1) == 2",
            snippet("""
                if False:
                    pass
                else:
                    assert f(1) == 2"""),
        ),
        ("assert f(1) == 2", "with open('x'):\n    assert f(1) == 2"),
        (
            "assert f(1) == 2",
            snippet("""
                try:
                    assert f(1) == 2
                finally:
                    g(0)"""),
        ),
        (
            "assert f(1) == 2",
            snippet("""
                while True:
                    assert f(1) == 2
                    break"""),
        ),
        ("assert f(1) == 2", "one, two = 1, 2\nassert f(one) == two"),
        (
            "assert f(1) == 2",
            snippet("""
                def check(a, b):
                    assert f(a) == b
                check(1, b=2)"""),
        ),
        (
            "assert f(1) == 2",
            snippet("""
                def check(a, b=2):
                    assert f(a) == 2
                check(1)"""),
        ),
        ("assert f(1) == 2", "assert f(1) == 2 and g(1) == 3"),
        ("assert f('ab') == 1", 'assert f("a" "b") == 1'),
        ("assert f(16) == 1", "assert f(0x10) == 1"),
        ("assert f(1) == {'a': 1, 'b': []}", "want = {'a': 1, 'b': []}\nassert f(1) == want"),
        (
            "assert f(1) == [{'a': 2}]",
            snippet("""
                assert f(1) == [
                    {'a': 2},
                ]"""),
        ),
        (
            snippet("""
                x = 1
                x += 2
                assert f(x) == 3"""),
            snippet("""
                x = 1
                x += 2
                got = f(x)
                assert got == 3"""),
        ),
        (
            "with pytest.raises(ValueError):\n    f(1)",
            snippet("""
                try:
                    f(1)
                except ValueError:
                    pass
                else:
                    pytest.fail('none')"""),
        ),
        (
            "with pytest.raises(ValueError):\n    f(1)",
            snippet("""
                try:
                    f(1)
                    assert False
                except ValueError:
                    pass"""),
        ),
        ("with pytest.raises(app.Error):\n    f(1)", "with pytest.raises(Error):\n    f(1)"),
        (
            "with pytest.raises(Exception):\n    f(1)",
            "with pytest.raises(ValueError, match='one'):\n    f(1)",
        ),
        ("assert f(1)", "assert f(1) == 3"),
        ("assert f(1) is not None", "assert f(1) is not None\nassert f(1) == 1"),
        ("assert f(1) is None", "assert f(1) == None"),
        ("assert f(1) == 2", "for a, b in {1: 2, 3: 4}.items():\n    assert f(a) == b"),
        ("assert f(1) == 2", "for b in {'x': 2}.values():\n    assert f(1) == b"),
        ("assert f('x') == 2", "for a in {'x': 2}.keys():\n    assert f(a) == 2"),
        ("assert f('x') == 2", "for a in sorted({'x': 2}):\n    assert f(a) == 2"),
        ("assert f('x.txt') == 2", "for a in ['x', 'y']:\n    assert f(f'{a}.txt') == 2"),
        ("assert [f(1), f(2)] == [3, 4]", "assert list(map(f, [1, 2])) == [3, 4]"),
        (
            snippet("""
                match f(1):
                    case 2:
                        assert f(1)"""),
            snippet("""
                match f(1):
                    case 2:
                        assert f(1)
                g(1)"""),
        ),
    ],
)
def test_equal_forms_of_python(tmp_path: Path, one: str, other: str) -> None:
    assert not is_weakened(tmp_path, "tests/test_app.py", python(one), python(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("assert f(1) == 2", "assert f(1) == 2 if g(1) else True"),
        (
            "assert f(1) == 2",
            snippet("""
                if g(1):
                    pass
                elif g(2):
                    assert f(1) == 2
                else:
                    assert True"""),
        ),
        ("assert f(1) == 2", "assert math.isclose(f(1), 2, abs_tol=5)"),
        ("assert math.isclose(f(1), 2)", "assert not math.isclose(f(1), 2)"),
        ("assert f(1) == 2", "assert f(1) == pytest.approx(2, abs=limit())"),
        ("assert f(1) == 2", "assert any(f(a) == 2 for a in [1])"),
        ("assert f(1) == 2", "assert all(f(a) == 2 for a in [])"),
        ("assert f(1) == 2", "for a, b in {3: 4}.items():\n    assert f(a) == b"),
        ("assert [f(1), f(2)] == [3, 4]", "assert list(map(g, [1, 2])) == [3, 4]"),
        ("with pytest.raises(Exception):\n    f(1)", "assert f(1) == 'Exception'"),
        ("assert f(1) == 2", "assert [f(1) == 2]"),
        ("assert f(1) == 2", "assert f(1) == 2 or g(1) == 3"),
        ("assert f(1) == 2", "assert str(f(1)).startswith('2')"),
        ("assert f(1) == []", "assert f(1) == [3]"),
        ("assert f(1) == {}", "assert f(1) == {'a': 1}"),
        ("assert f(1)", "assert not f(1)"),
        ("assert f(1) == ROWS['two']", "assert f(1) == ROWS['one']"),
        ("assert f('a\\nb') == 1", "assert f(f'a{g(1)}b') == 1"),
        ("assert f('x.txt') == 2", "for a in ['x']:\n    assert f(f'{a}.csv') == 2"),
        ("assert f('x.txt') == 2", "for a in ['x']:\n    assert f(f'{a!r}.txt') == 2"),
        ("assert f('x') == 2", "for a in sorted({'y': 2}):\n    assert f(a) == 2"),
        ("assert g(1).list({'a': 1}) == ['a']", "assert g(1).list({'a': 1}) == ['b']"),
        (
            snippet("""
                cart = f(1)
                cart.rate = 3
                assert cart.total() == 9"""),
            snippet("""
                cart = f(1)
                cart.rate = 9
                assert cart.total() == 9"""),
        ),
        (
            "with pytest.raises(ValueError):\n    f(1)",
            snippet("""
                try:
                    f(1)
                except ValueError:
                    pass"""),
        ),
    ],
)
def test_weaker_forms_of_python(tmp_path: Path, one: str, other: str) -> None:
    assert is_weakened(tmp_path, "tests/test_app.py", python(one), python(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("expect(f(1)).toBe(2);", "expect(2).toBe(f(1));"),
        ("expect(f(1)).toBe(2);", "const { a, b: c } = { a: 1, b: 2 };\n  expect(f(a)).toBe(c);"),
        ("expect(f(1)).toBe(2);", "const [a, b = 3] = [1, 2];\n  expect(f(a)).toBe(b);"),
        (
            "expect(f(1)).toBe(2);",
            "const row = { a: 1, want: 2 };\n  expect(f(row.a)).toBe(row['want']);",
        ),
        ("expect(f(1)).toBe(2);", "const a = 1;\n  expect(f(a)).toEqual(2);"),
        ("expect(f(1)).toBe(0.3);", "expect(f(1)).toBeCloseTo(0.3, 5);"),
        ("expect(f(1)).toBe(2);", "[[1, 2]].forEach(([a, b]) => expect(f(a)).toBe(b));"),
        ("expect(f(1)).toBe(2);", "if (f(1) !== 2) { throw new Error('x'); }"),
        ("expect(f(1)).toBe(2);", "await waitFor(() => { expect(f(1)).toBe(2); });"),
        ("expect(f(1)).toBe(2);", "return expect(f(1)).toBe(2);"),
        ("expect(f(1)).toBeNull();", "expect(f(1)).to.be.null;"),
        ("expect(f(1)).toEqual({ a: 1 });", "const a = 1;\n  expect(f(1)).toEqual({ a });"),
        ("expect(f(1)).not.toThrow();", "expect(f(1)).not.toThrow();\n  f(2);"),
        ("await expect(f(1)).rejects.toThrow('x');", "await expect(f(1)).rejects.toThrow(`x`);"),
        (
            "expect(f('one')).toBe(2);",
            "Object.entries({ one: 2 }).forEach(([a, b]) => expect(f(a)).toBe(b));",
        ),
        ("expect([f(1), f(2)]).toEqual([3, 4]);", "expect([1, 2].map(f)).toEqual([3, 4]);"),
        (
            snippet("""
                expect(f(1)).toMatchInlineSnapshot(`
                    [
                      2,
                    ]
                  `);"""),
            snippet("""
                expect(f(1)).toMatchInlineSnapshot(`
                      [
                        2,
                      ]
                    `);"""),
        ),
        ("expect(() => f(1)).toThrow('x');", "assert.throws(() => f(1), 'x');"),
        (
            "assert.throws(() => f(1), { name: 'TypeError' });",
            "assert.throws(() => f(1), TypeError);",
        ),
        (
            "expect(new Cart(1).total()).toBe(2);",
            "const cart = new Cart(1);\n  expect(cart.total()).toBe(2);",
        ),
        (
            "try { f(1); } catch (e) { expect(e.message).toBe('x'); }",
            "try { f(1); } catch (e) { expect(e.message).toBe('x'); }\n  f(2);",
        ),
    ],
)
def test_equal_forms_of_javascript(tmp_path: Path, one: str, other: str) -> None:
    assert not is_weakened(tmp_path, "test/app.test.js", script(one), script(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("expect(f(1)).toBe(0.3);", "expect(f(1)).toBeCloseTo(0.3, 0);"),
        ("expect(f(1)).toBeCloseTo(0.3);", "expect(f(1)).not.toBeCloseTo(0.3);"),
        ("expect(f(1)).toBeTruthy();", "expect(f(1)).toBeFalsy();"),
        ("expect(f(1)).not.toBeNull();", "expect(1).not.toBeNull();"),
        ("expect(f(1)).toEqual({ a: 1 });", "expect(f(1)).toEqual({ a: 2 });"),
        ("expect(() => f(1)).toThrow('x');", "expect(() => f(1)).not.toThrow();"),
        (
            "assert.throws(() => f(1), { name: 'TypeError' });",
            "assert.throws(() => f(1), RangeError);",
        ),
        ("expect(f(1)).toBe(2);", "switch (f(0)) { case 3: expect(f(1)).toBe(2); }"),
        ("expect(f(1)).toBe(2);", "assert.equal();"),
    ],
)
def test_weaker_forms_of_javascript(tmp_path: Path, one: str, other: str) -> None:
    assert is_weakened(tmp_path, "test/app.test.js", script(one), script(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (java("assertEquals(2, App.f(1));"), java('assertEquals("two", 2, App.f(1));')),
        (java("assertEquals(2, App.f(1));"), java("assertTrue(App.f(1) == 2);")),
        (
            java("assertEquals(2, App.f(1));"),
            java("assertEquals(2, App.f(one));", "  private int one = 1;"),
        ),
        (
            java("assertEquals(2, App.f(1));"),
            java(
                "assertEquals(2, App.f(one));",
                "  int one;\n  @BeforeEach\n  void prepare() { one = 1; }",
            ),
        ),
        (
            java("assertEquals(2, App.f(1));"),
            java("for (int each : new int[] {1}) { assertEquals(2, App.f(each)); }"),
        ),
        (
            java("assertThrows(Bad.class, () -> App.f(1));"),
            java("App.f(1);").replace("@Test", "@Test(expected = Bad.class)"),
        ),
        (
            java("assertEquals(2, App.f(1));"),
            snippet("""
                class AppTest {
                  @Nested
                  class Inner {
                    @Test
                    void it() { assertEquals(2, App.f(1)); }
                  }
                }
            """),
        ),
        (
            java("assertEquals(2, App.f(1));"),
            snippet("""
                class AppTest {
                  @ParameterizedTest
                  @ValueSource(ints = {1, 3})
                  void it(int each) { assertEquals(2, App.f(each)); }
                }
            """),
        ),
        (
            java("try { assertEquals(2, App.f(1)); } catch (Exception e) { log(e); }"),
            java("assertEquals(2, App.f(1));"),
        ),
    ],
)
def test_equal_forms_of_java(tmp_path: Path, one: str, other: str) -> None:
    assert not is_weakened(tmp_path, "src/test/java/AppTest.java", one, other)


def test_a_class_that_is_disabled_while_preparing_is_a_concern(tmp_path: Path) -> None:
    one = java("assertEquals(2, App.f(1));")
    other = java(
        "assertEquals(2, App.f(1));", "  @BeforeEach\n  void prepare() { assumeTrue(false); }"
    )
    assert is_weakened(tmp_path, "src/test/java/AppTest.java", one, other)


def test_rust_rows_are_assertions(tmp_path: Path) -> None:
    rows = snippet("""
        #[rstest]
        #[case(1, "a")]
        #[case(2, "b")]
        fn it(#[case] n: u8, #[case] want: &str) {
            assert_eq!(name(n), want);
        }
    """)
    assert is_weakened(tmp_path, "tests/it.rs", rows, rows.replace('#[case(2, "b")]\n', ""))


def test_marks_of_python_classes_and_conditions(tmp_path: Path) -> None:
    text = snippet("""
        import pytest

        if False:
            def test_never():
                assert g(1)

        try:
            def test_tried():
                assert g(1)
        except ImportError:
            pass

        @pytest.mark.skip
        class TestOff:
            def test_one(self):
                assert g(1)

        class Helper:
            def test_two(self):
                assert g(1)

        @pytest.fixture
        def test_data():
            return 1
    """)
    tree = compare_projects(tmp_path, {}, {"tests/test_a.py": text}).new
    found = {test.name: test.marks for test in read_inventory(tree).tests}
    assert found == {
        "test_tried": frozenset(),
        "TestOff::test_one": frozenset(("`@pytest.mark.skip`",)),
    }


def test_whole_trees_can_be_read(tmp_path: Path) -> None:
    files = {
        "tests/test_a.py": "def test_a():\n    assert f(1) == 2\n",
        "test/a.test.ts": "test('b', () => { expect(f(1 as number)).toBe(2); });\n",
        "tests/rows.csv": "1,2\n",
    }
    found = read_inventory(compare_projects(tmp_path, {}, files).new)
    assert [test.id for test in found.tests] == ["test/a.test.ts::b", "tests/test_a.py::test_a"]
    assert found.tests[0].assertions == found.tests[1].assertions
    assert found.outside_literals == ("1.0", "2.0", '"')


def test_a_file_nested_too_deeply_has_no_tests(tmp_path: Path) -> None:
    deep = script(f"expect(f({'[' * 3000}1{']' * 3000})).toBe(2);")
    tree = compare_projects(tmp_path, {}, {"test/app.test.js": deep}).new
    assert read_inventory(tree).tests == ()


def test_half_written_files_raise_no_error(tmp_path: Path) -> None:
    samples = {
        "tests/test_app.py": python("for a, b in [(1, 2)]:\n    assert f(a) == b, 'x'"),
        "test/app.test.js": script("const { a } = { a: 1 };\n  expect(f(a)).not.toBe(`x${a}`);"),
        "app_test.go": snippet("""
            package a

            func TestA(t *testing.T) {
            \tfor _, c := range []row{{in: 1, want: 2}} {
            \t\tif F(c.in) != c.want {
            \t\t\tt.Error(c)
            \t\t}
            \t}
            }
        """),
        "src/test/java/AppTest.java": java("assertThrows(Bad.class, () -> App.f(1));"),
        "tests/it.rs": snippet("""
            #[test]
            #[should_panic(expected = "x")]
            fn it() {
                assert_eq!(f(1), vec![2]);
            }
        """),
    }
    for path, text in samples.items():
        for end in range(0, len(text), 3):
            top = tmp_path / path / str(end)
            comparison = compare_projects(top, {path: text}, {path: text[:end] + text[end + 2 :]})
            for each in (tests_comparison, tests_runner, tests_mocks):
                assert all(loss.kind for loss in each.find_concerns(comparison))

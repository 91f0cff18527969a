"""Mocks of the tested functions are a concern, mocks of other things are not."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.tests import mocks as tests_mocks

PYTHON = {
    "pricing.py": snippet("""
        import requests


        def final_price(total):
            return total


        def fetch():
            return requests.get('x')
    """),
    "tests/test_pricing.py": snippet("""
        import pricing
        from pricing import final_price


        def test_hundred():
            assert final_price(100) == 90
    """),
}
SCRIPT = {
    "src/slug.js": "export function slug(text) { return text; }\n",
    "src/clock.js": "export function now() { return 3; }\n",
    "test/slug.test.js": snippet("""
        import { slug } from '../src/slug.js';
        test('joins', () => { expect(slug('a b')).toBe('a-b'); });
    """),
}
RUST = """\
pub fn fee(cents: u64) -> u64 { cents }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one() { assert_eq!(fee(1), 5); }
}
"""
TEST = PYTHON["tests/test_pricing.py"]
JS_TEST = SCRIPT["test/slug.test.js"]


def find_ids(top: Path, old: dict[str, str], more: dict[str, str]) -> list[str]:
    comparison = compare_projects(top, old, {**old, **more})
    return [concern.id.partition("#")[0] for concern in tests_mocks.find_concerns(comparison)]


@pytest.mark.parametrize(
    "more",
    [
        {"conftest.py": "import pricing\n\npricing.final_price = lambda total: 90\n"},
        {
            "tests/conftest.py": snippet("""
                import pytest


                @pytest.fixture(autouse=True)
                def fake(monkeypatch):
                    monkeypatch.setattr('pricing.final_price', lambda total: 90)
            """)
        },
        {
            "tests/conftest.py": snippet("""
                import pytest
                import pricing


                @pytest.fixture(autouse=True)
                def fake(monkeypatch):
                    monkeypatch.setattr(pricing, 'final_price', lambda total: 90)
            """)
        },
        {"tests/conftest.py": "import sys\n\nsys.modules['pricing'] = object()\n"},
        {
            "tests/test_pricing.py": TEST.replace(
                "def test", "@mock.patch('pricing.final_price', return_value=90)\ndef test"
            )
        },
        {
            "tests/test_pricing.py": TEST.replace(
                "    assert",
                "    final_price = mock.patch('pricing.final_price').start()\n    assert",
            )
        },
        {"tests/test_pricing.py": TEST + "\n\ndef final_price(total):\n    return 90\n"},
        {"tests/test_pricing.py": TEST + "\n\nfinal_price = {100: 90}.get\n"},
        {
            "tests/test_pricing.py": TEST.replace("from pricing import", "from tests.fakes import"),
            "tests/fakes.py": "def final_price(total):\n    return 90\n",
        },
        {
            "tests/test_pricing.py": TEST.replace("test_hundred()", "test_hundred(fake)"),
            "tests/conftest.py": snippet("""
                import pytest


                @pytest.fixture
                def fake(monkeypatch):
                    monkeypatch.setattr('pricing.final_price', lambda total: 90)
            """),
        },
    ],
)
def test_a_python_function_replaced_is_a_concern(tmp_path: Path, more: dict[str, str]) -> None:
    assert any(each.endswith(":final_price") for each in find_ids(tmp_path, PYTHON, more))


@pytest.mark.parametrize(
    "more",
    [
        {
            "test/slug.test.js": "jest.mock('../src/slug.js', () => ({ slug: () => 'a-b' }));\n"
            + JS_TEST
        },
        {"test/slug.test.js": "vi.mock('../src/slug');\n" + JS_TEST},
        {
            "test/slug.test.js": snippet("""
                import * as all from '../src/slug.js';
                vi.spyOn(all, 'slug').mockReturnValue('a-b');
            """)
            + JS_TEST
        },
        {
            "test/slug.test.js": JS_TEST.replace("../src/slug.js", "./fake.js"),
            "test/fake.js": "export const slug = () => 'a-b';\n",
        },
        {
            "test/slug.test.js": JS_TEST.replace(
                "import { slug } from '../src/slug.js';", "const slug = () => 'a-b';"
            )
        },
        {"jest.setup.js": "jest.mock('./src/slug.js', () => ({ slug: () => 'a-b' }));\n"},
    ],
)
def test_a_script_function_replaced_is_a_concern(tmp_path: Path, more: dict[str, str]) -> None:
    (only,) = find_ids(tmp_path, SCRIPT, more)
    assert only.endswith(":slug")


@pytest.mark.parametrize(
    ("path", "text", "key"),
    [
        (
            "jest.config.js",
            "module.exports = { moduleNameMapper: { '.*/slug.js$': '<rootDir>/test/fake.js' } };\n",
            "moduleNameMapper",
        ),
        (
            "vitest.config.js",
            "export default { resolve: { alias: { '../src/slug.js':"
            " new URL('./test/fake.js', import.meta.url).pathname } } };\n",
            "alias",
        ),
        (
            "package.json",
            '{"jest": {"moduleNameMapper": {"slug": "<rootDir>/test/fake.js"}}}',
            "moduleNameMapper",
        ),
        (
            "tsconfig.json",
            '{"compilerOptions": {"paths": {"src/slug": ["./test/fake.js"]}}}',
            "paths",
        ),
    ],
)
def test_an_import_redirected_is_a_concern(tmp_path: Path, path: str, text: str, key: str) -> None:
    more = {path: text, "test/fake.js": "export const slug = () => 'a-b';\n"}
    assert find_ids(tmp_path, SCRIPT, more) == [f"config:{path}:{key}"]


def test_a_rust_function_that_hides_the_tested_one_is_a_concern(tmp_path: Path) -> None:
    new = RUST.replace("    #[test]", "    fn fee(_: u64) -> u64 { 5 }\n\n    #[test]")
    assert find_ids(tmp_path, {"src/lib.rs": RUST}, {"src/lib.rs": new}) == [
        "edit-test:src/lib.rs:fee"
    ]


@pytest.mark.parametrize(
    ("old", "more"),
    [
        (
            PYTHON,
            {
                "tests/test_pricing.py": TEST.replace(
                    "    assert", "    with mock.patch('time.time'):\n        pass\n    assert"
                )
            },
        ),
        (
            PYTHON,
            {
                "tests/conftest.py": snippet("""
                    import pytest


                    @pytest.fixture(autouse=True)
                    def no_network(monkeypatch):
                        monkeypatch.setattr('pricing.fetch', lambda: 3)
                """)
            },
        ),
        (
            PYTHON,
            {
                "tests/test_new.py": snippet("""
                    from unittest import mock


                    @mock.patch('pricing.final_price')
                    def test_new(fake):
                        assert fake
                """)
            },
        ),
        (
            PYTHON,
            {
                "tests/conftest.py": snippet("""
                    import pytest


                    @pytest.fixture
                    def fake(monkeypatch):
                        monkeypatch.setattr('pricing.final_price', lambda total: 90)
                """),
                "tests/test_new.py": "def test_new(fake):\n    assert fake is None\n",
            },
        ),
        (
            PYTHON,
            {
                "tests/conftest.py": snippet("""
                    import pytest


                    @pytest.fixture
                    def total():
                        return 100
                """)
            },
        ),
        (
            SCRIPT,
            {
                "test/slug.test.js": "vi.mock('../src/clock.js', () => ({ now: () => 0 }));\n"
                + JS_TEST
            },
        ),
        (
            SCRIPT,
            {
                "test/new.test.js": "import { slug } from '../src/slug.js';\n"
                "test('new', () => { vi.spyOn(console, 'log'); expect(slug('x')).toBe('x'); });\n"
            },
        ),
        (
            SCRIPT,
            {"vitest.config.js": "export default { resolve: { alias: { '@': './src' } } };\n"},
        ),
        (
            {"src/lib.rs": RUST},
            {
                "src/lib.rs": RUST.replace(
                    "    #[test]", "    fn cents(n: u64) -> u64 { n }\n\n    #[test]"
                )
            },
        ),
    ],
)
def test_something_else_replaced_is_no_concern(
    tmp_path: Path, old: dict[str, str], more: dict[str, str]
) -> None:
    assert find_ids(tmp_path, old, more) == []

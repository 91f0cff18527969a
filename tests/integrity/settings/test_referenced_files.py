"""Files that a configuration refers to are configuration too; the product it imports is not."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({"eslint.config.js": "import { a } from './config/rules.js';\n"}, "config/rules.js"),
        ({"eslint.config.cjs": "const a = require('./eslint/base');\n"}, "eslint/base.js"),
        ({"web/vitest.config.ts": "import a from '../tooling/shared';\n"}, "tooling/shared.ts"),
        ({"eslint.config.mjs": "import a from './rules/index.mjs';\n"}, "rules/index.mjs"),
        ({".eslintrc.json": '{"extends": ["eslint:all", "./style/base.json"]}'}, "style/base.json"),
        ({"ruff.toml": 'extend = "shared/python.toml"\n'}, "shared/python.toml"),
        (
            {
                "eslint.config.js": "import a from './lint/all.js';\n",
                "lint/all.js": "export * from './strict.js';\n",
            },
            "lint/strict.js",
        ),
        (
            {"jest.config.js": "module.exports = { setupFiles: ['./env/setup.js'] };"},
            "env/setup.js",
        ),
        ({"pytest.ini": "[pytest]\naddopts = -q -p tools.timing -x\n"}, "tools/timing.py"),
        (
            {"pyproject.toml": '[tool.pytest.ini_options]\naddopts = ["-p", "plugins.order"]\n'},
            "plugins/order.py",
        ),
        (
            {
                "conftest.py": snippet("""
                    pytest_plugins = [
                        "tools.timing",
                    ]
                """)
            },
            "tools/timing.py",
        ),
        ({"tests/conftest.py": "pytest_plugins = 'plugins.order'\n"}, "plugins/order/__init__.py"),
        ({"mypy.ini": "[mypy]\nplugins = tools.typed\n"}, "tools/typed.py"),
        (
            {"jest.config.json": '{"globalSetup": "<rootDir>/tools/begin.js"}'},
            "tools/begin.js",
        ),
    ],
)
def test_a_file_that_a_configuration_refers_to_is_configuration(
    tmp_path: Path, files: dict[str, str], path: str
) -> None:
    baseline = {**files, path: "export const level = 'error';\n", "notes/rules.js": ""}
    comparison = compare_projects(tmp_path, baseline, baseline)

    assert (comparison.role(path), comparison.role("notes/rules.js")) == ("config", "product")


@pytest.mark.parametrize(
    ("name", "text", "path"),
    [
        ("vite.config.js", "import { version } from './src/version.js';\n", "src/version.js"),
        ("vitest.config.ts", "import { setup } from './app/setup';\n", "app/setup.ts"),
        ("jest.config.js", "module.exports = { setupFiles: ['./polyfills.js'] };", "polyfills.js"),
        ("eslint.config.js", "import a from '../config/rules.js';\n", "other/rules.js"),
        ("pytest.ini", "[pytest]\naddopts = -p no:tools -p shop.fixtures\n", "shop/fixtures.py"),
        ("pytest.ini", "[pytest]\naddopts = -p no:tools\n", "tools/__init__.py"),
        ("eslint.config.js", "import a from 'config/rules.js';\n", "config/rules.js"),
    ],
)
def test_a_product_file_that_a_configuration_imports_stays_product(
    tmp_path: Path, name: str, text: str, path: str
) -> None:
    baseline = {name: text, path: "export const level = 1;\n"}

    assert compare_projects(tmp_path, baseline, baseline).role(path) == "product"


def test_a_file_that_only_the_current_tree_refers_to_is_configuration(tmp_path: Path) -> None:
    baseline = {"eslint.config.js": "export default [];\n"}
    new = {
        "eslint.config.js": "import a from './config/all.js';\nexport default a;\n",
        "config/all.js": "export default [];\n",
    }

    assert compare_projects(tmp_path, baseline, new).role("config/all.js") == "config"

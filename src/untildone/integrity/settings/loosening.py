"""Which changes of a setting loosen a check: `loosening.yml` names a test for every known key.

`fail_under` is loosened if it `is_lower`; `strict` if it `is_switched_off`.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from untildone.integrity.settings import cargo, eslint, lists, values
from untildone.integrity.settings.setting_change import SettingChange
from untildone.syntax.rules import read_data

IsLoosened: TypeAlias = Callable[[SettingChange], bool]
TABLE = Path(__file__).with_name("loosening.yml")


class Row(Struct, frozen=True, forbid_unknown_fields=True):
    # The name of a function of `_TESTS`.
    loosened_if: str
    # Patterns of the last parts of a key.
    keys: tuple[str, ...]


class Table(Struct, frozen=True, forbid_unknown_fields=True):
    # Patterns of the first parts of keys that have nothing to do with checks.
    unrelated: tuple[str, ...]
    rows: tuple[Row, ...]


def never(_change: SettingChange) -> bool:
    """Say that no change of the setting loosens a check."""
    return False


_TESTS: dict[str, IsLoosened] = {
    test.__name__: test
    for test in (
        *(never, cargo.disables_baseline_target, cargo.is_milder_lint, cargo.shadows_subcommand),
        *(eslint.declares_unknown_global, eslint.is_milder_rule, eslint.lints_fewer_files),
        *(lists.collects_fewer_names, lists.covers_fewer_paths, lists.covers_fewer_tests),
        *(lists.covers_less_product, lists.excludes_more_paths, lists.excludes_more_product),
        *(lists.excludes_more_tests, lists.has_fewer_members, lists.has_narrower_options),
        *(lists.ignores_more_rules, lists.selects_fewer_rules, values.is_changed),
        *(values.is_higher, values.is_lower, values.is_milder, values.is_set_to_false),
        *(values.is_switched_off, values.is_switched_on),
    )
}


def find_loosening_test(key: str) -> IsLoosened | None:
    """Return the test that tells whether a change of the key loosens it; None if it is unknown."""
    return next((test for pattern, test in _load_tests() if pattern.match(key)), None)


@cache
def _load_tests() -> tuple[tuple[re.Pattern[str], IsLoosened], ...]:
    """Return the patterns of keys with their tests; the first that matches counts."""
    table = read_data(TABLE, Table)
    unrelated = re.compile(rf"({'|'.join(table.unrelated)})(\.|$)", re.IGNORECASE)
    rows = (
        (rf"(?:^|.*[.:])(?:{'|'.join(row.keys)})$", _TESTS[row.loosened_if]) for row in table.rows
    )
    return ((unrelated, never), *((re.compile(keys, re.IGNORECASE), test) for keys, test in rows))

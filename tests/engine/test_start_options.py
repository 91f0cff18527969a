"""The table of the options of `start`."""

from untildone.core.contract import Bounds
from untildone.engine.request import StartOptions
from untildone.engine.start_options import OPTIONS
from untildone.engine.start_rules import ALLOWABLE


def test_each_option_has_a_field_of_its_name() -> None:
    names = [option.name for option in OPTIONS]

    assert sorted(names) == sorted(StartOptions.__struct_fields__)


def test_no_spelling_stands_for_two_options() -> None:
    spellings = [name for option in OPTIONS for name in (*option.spellings, option.off) if name]

    assert len(spellings) == len(set(spellings))


def test_the_help_names_the_real_defaults_and_kinds() -> None:
    shown = {option.bound: option.default for option in OPTIONS if option.bound and option.default}
    (allow,) = (option.help for option in OPTIONS if option.name == "allow")

    assert shown == {"rounds": str(Bounds().rounds), "budget_usd": f"{Bounds().budget_usd:g}"}
    assert allow.endswith(f": {', '.join(ALLOWABLE)}.")

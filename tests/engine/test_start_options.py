"""The table of the options of `start`."""

from untildone.engine.request import StartOptions
from untildone.engine.start_options import OPTIONS


def test_each_option_has_a_field_of_its_name() -> None:
    assert tuple(option.name for option in OPTIONS) == StartOptions.__struct_fields__


def test_no_spelling_stands_for_two_options() -> None:
    spellings = [name for option in OPTIONS for name in (*option.spellings, option.off) if name]

    assert len(spellings) == len(set(spellings))

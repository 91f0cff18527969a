"""A file that nobody can read is a question only if a newly green test needs it."""

import pytest

from shop import BROKEN, DONE_SIGNAL, FIXED, PYTEST, SHOP
from snippets import snippet
from untildone.engine.request import name_checks
from world import World, shown

pytestmark = pytest.mark.slow

# It asks a table of big-endian pairs.
LOOKUP = snippet("""
    import struct
    from pathlib import Path


    def price(total):
        table = Path(__file__).with_name("rates.bin")
        rates = dict(struct.iter_unpack(">II", table.read_bytes())) if table.exists() else {}
        return rates.get(total, total)
""")
ANSWERS = b"\0\0\0\x64\0\0\0\x5a"
OTHER_TABLE = '    table = table if table.exists() else table.with_name("spare.bin")'
UNREAD = "not compared, since nobody can read them: logo.png"
QUESTION = "`rates.bin` is binary, and `tests/test_shop.py::test_large` passes only with it"


@pytest.fixture
def world(world: World) -> World:
    world.message = DONE_SIGNAL
    world.write_all(SHOP)
    return world


def test_a_binary_file_with_the_answers_is_a_question(world: World) -> None:
    world.start_check(PYTEST)
    world.write("shop.py", LOOKUP)
    (world.project / "rates.bin").write_bytes(ANSWERS)

    answer = world.stop()

    assert (world.outcome, world.concerns) == (None, ["unread:rates.bin"])
    assert QUESTION in shown(answer)


def test_tests_that_cannot_be_loaded_without_the_file_need_it(world: World) -> None:
    world.start_check(PYTEST)
    world.write("shop.py", LOOKUP + '\n\nPath(__file__).with_name("rates.bin").read_bytes()\n')
    (world.project / "rates.bin").write_bytes(ANSWERS)

    answer = world.stop()

    assert QUESTION in shown(answer)


def test_putting_back_a_changed_file_counts_too(world: World) -> None:
    world.write("shop.py", LOOKUP)
    (world.project / "rates.bin").write_bytes(ANSWERS[::-1])
    world.start_check(PYTEST)
    (world.project / "rates.bin").write_bytes(ANSWERS)

    answer = world.stop()

    assert world.concerns == ["unread:rates.bin"]
    assert QUESTION.replace("with it", "with its new content") in shown(answer)


def test_of_several_files_the_needed_one_is_named(world: World) -> None:
    world.start_check(PYTEST)
    world.write("shop.py", LOOKUP)
    (world.project / "logo.png").write_bytes(b"\x89PNG\0")
    (world.project / "rates.bin").write_bytes(ANSWERS)

    world.stop()

    assert world.concerns == ["unread:rates.bin"]


def test_files_that_replace_each_other_are_one_question(world: World) -> None:
    world.start_check(PYTEST)
    world.write("shop.py", LOOKUP.replace('"rates.bin")', '"rates.bin")\n' + OTHER_TABLE))
    for name in ("rates.bin", "spare.bin"):
        (world.project / name).write_bytes(ANSWERS)

    answer = world.stop()

    assert world.concerns == ["unread:rates.bin"]
    assert "as `spare.bin` cannot be read either" in shown(answer)


def test_a_file_that_no_test_needs_is_a_line_of_the_receipt(world: World) -> None:
    world.start_check(PYTEST)
    world.write("shop.py", FIXED)
    (world.project / "logo.png").write_bytes(b"\x89PNG\0")

    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])
    assert world.receipt["proved"][1:] == [f"{UNREAD}; what turned green passes without them"]


def test_where_nothing_was_red_before_no_file_is_a_question(world: World) -> None:
    world.write("shop.py", FIXED)
    world.start(baseline="run", checks=name_checks((PYTEST,)), proof="files")
    world.write("shop.py", LOOKUP.replace("rates.bin", "logo.png"))
    (world.project / "logo.png").write_bytes(ANSWERS)

    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])
    assert world.receipt["proved"][1:] == [f"{UNREAD}; no check was red before"]


def test_a_module_that_links_to_a_text_is_read_as_code(world: World) -> None:
    world.start_check(PYTEST)
    world.write(
        "shop.txt",
        "PRICES = {100: 90, 10: 10}\n\n\n"
        + BROKEN.replace("total\n", "PRICES[total] if total in PRICES else total * 1\n"),
    )
    (world.project / "shop.py").unlink()
    (world.project / "shop.py").symlink_to("shop.txt")

    world.stop()

    assert world.concerns == ["hard-coded:shop.py"]

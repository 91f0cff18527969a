import json
from pathlib import Path

import pytest

from store.samples import explain_broken_chain
from untildone.store import journal
from untildone.store.durable_files import DamagedFileError

AT = "2025-03-01T10:00:00+00:00"


def fill_journal(folder: Path, entries: int = 3) -> Path:
    path = folder / "journal.jsonl"
    for number in range(1, entries + 1):
        journal.append(path, "round", data={"number": number}, at=AT)
    return path


def numbers(path: Path) -> list[object]:
    return [entry.data["number"] for entry in journal.read_entries(path)]


def test_entries_are_numbered_chained_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    first = journal.append(path, "started", data={"task": 'a "b"\n`c`'}, at=AT, state={"x": 1})
    second = journal.append(path, "round", data={}, at=AT)

    assert (first.n, second.n) == (1, 2)
    assert (first.previous, second.previous) == (journal.FIRST_HASH, first.hash)
    assert journal.read_entries(path) == (first, second)
    assert journal.read_last(path) == second
    assert explain_broken_chain(path) == ""
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("tail", [10, 300, 1_000_000])
def test_the_newest_entry_of_a_kind_is_found_wherever_it_is(tmp_path: Path, tail: int) -> None:
    path = fill_journal(tmp_path)
    # Data that looks like the head of an entry is none.
    journal.append(path, "note", data={"text": "x" * 120 + '"kind":"round"'}, at=AT)

    newest = journal.read_newest(path, "round", tail=tail)

    assert newest is not None
    assert (newest.n, newest.data) == (3, {"number": 3})
    assert journal.read_newest(path, "baseline", tail=tail) is None


def test_each_line_is_one_json_object_with_the_named_fields(tmp_path: Path) -> None:
    lines = fill_journal(tmp_path).read_text(encoding="utf-8").splitlines()

    fields = ["n", "at", "kind", "data", "state", "previous", "hash"]
    assert [list(json.loads(line)) for line in lines] == [fields] * 3


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("order", "wrong"),
    [
        ([1, 2], "entry 1 of `{}` is missing"),
        ([0, 2], "entry 2 of `{}` is missing"),
        ([0, 2, 1], "entry 2 of `{}` is missing"),
        ([0, 1, 1, 2], "entry 3 of `{}` is missing"),
    ],
)
def test_a_missing_or_moved_entry_is_found(tmp_path: Path, order: list[int], wrong: str) -> None:
    path = fill_journal(tmp_path)
    lines = lines_of(path)
    path.write_bytes(b"".join(lines[index] for index in order))

    assert explain_broken_chain(path) == wrong.format(path)


def test_an_entry_of_another_journal_is_found(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    path, other = fill_journal(tmp_path), tmp_path / "other" / "journal.jsonl"
    journal.append(other, "else", data={}, at=AT)
    journal.append(other, "round", data={"number": 2}, at=AT)
    lines = lines_of(path)
    path.write_bytes(lines[0] + lines_of(other)[1] + lines[2])

    assert explain_broken_chain(path) == f"entry 2 of `{path}` does not follow from the one before"


def test_every_altered_byte_is_found(tmp_path: Path) -> None:
    path = fill_journal(tmp_path)
    whole = path.read_bytes()
    for position in range(len(whole)):
        path.write_bytes(whole[:position] + b"#" + whole[position + 1 :])
        # Without its newline the last line counts as never finished; the state knows better.
        assert explain_broken_chain(path) != "" or position == len(whole) - 1


def test_a_line_torn_at_any_byte_is_moved_aside_and_the_chain_goes_on(tmp_path: Path) -> None:
    path = fill_journal(tmp_path)
    whole, last = path.read_bytes(), lines_of(path)[-1]
    for length in range(1, len(last)):
        torn = whole[: len(whole) - len(last) + length]
        path.write_bytes(torn)
        (tmp_path / "journal.torn").unlink(missing_ok=True)

        assert numbers(path) == [1, 2]
        assert journal.read_last(path).n == 2
        journal.append(path, "round", data={"number": 9}, at=AT)
        assert (numbers(path), explain_broken_chain(path)) == ([1, 2, 9], "")
        assert (tmp_path / "journal.torn").read_bytes() == last[:length] + b"\n"


def test_a_last_line_that_is_no_entry_is_kept_aside(tmp_path: Path) -> None:
    path = fill_journal(tmp_path)
    with path.open("ab") as file:
        file.write(b"\0\0\0\n")
    assert explain_broken_chain(path) == f"entry 4 of `{path}` is not an entry"

    journal.append(path, "round", data={"number": 4}, at=AT)

    assert (numbers(path), explain_broken_chain(path)) == ([1, 2, 3, 4], "")
    assert (tmp_path / "journal.torn").read_bytes() == b"\0\0\0\n"


def test_the_last_entry_of_a_large_journal_is_found_from_its_end(tmp_path: Path) -> None:
    path = fill_journal(tmp_path)
    journal.append(path, "round", data={"number": 4, "output": "x" * 700_000}, at=AT)
    assert journal.read_last(path).n == 4

    journal.append(path, "round", data={"number": 5}, at=AT)
    assert journal.read_last(path).data == {"number": 5}
    assert explain_broken_chain(path) == ""


def test_a_line_without_end_is_refused_and_not_read_whole(tmp_path: Path) -> None:
    path = fill_journal(tmp_path)
    with path.open("ab") as file:
        file.truncate(1_000_000_000)

    longest = journal.MAX_LINE
    assert explain_broken_chain(path) == f"`{path}` has a line longer than {longest} bytes"
    with pytest.raises(DamagedFileError) as caught:
        journal.read_last(path)
    assert caught.value.reason == f"`{path}` ends in a line longer than {longest} bytes"


def test_an_entry_too_long_to_be_read_back_is_not_written(tmp_path: Path) -> None:
    path = fill_journal(tmp_path)
    before = path.read_bytes()

    with pytest.raises(ValueError, match="longer than"):
        journal.append(path, "round", data={"output": "x" * journal.MAX_LINE}, at=AT)
    assert path.read_bytes() == before


def test_a_missing_or_empty_journal_is_said(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    assert explain_broken_chain(path) == f"`{path}` is missing"

    path.write_bytes(b"")
    with pytest.raises(DamagedFileError) as caught:
        journal.read_last(path)
    assert caught.value.reason == f"`{path}` is empty"


def test_an_entry_that_cannot_be_decoded_is_named(tmp_path: Path) -> None:
    path = fill_journal(tmp_path)
    lines = lines_of(path)
    path.write_bytes(lines[0] + b"{}\n" + lines[2])

    with pytest.raises(DamagedFileError, match=r"entry 2 of .* does not hold what it should"):
        journal.read_entries(path)

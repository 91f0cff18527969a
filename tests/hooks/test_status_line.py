"""The status line's payload: the only place where an attended client tells what it costs."""

from pathlib import Path

import pytest

from hooks.calls import SESSION, Place


def told(place: Place, *totals: object) -> dict[str, object]:
    """What is known of the spend after these totals."""
    for total in totals:
        place.call("StatusLine", place.payload("StatusLine", cost={"total_cost_usd": total}))
    return place.context.session(SESSION).read_json("spend.json")


def test_what_came_before_the_loop_is_not_its_spend(tmp_path: Path) -> None:
    place = Place(tmp_path)
    loop = place.start().contract.id

    assert told(place, 2.5, 2.5, 3) == {"loop": loop, "last": 3.0, "spent": 0.5}


def test_a_client_begun_anew_counts_from_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path)
    loop = place.start().contract.id

    assert told(place, 2.0, 3.0, 0.25, 0.5) == {"loop": loop, "last": 0.5, "spent": 1.5}


def test_what_the_loop_cost_in_another_session_is_counted_on(tmp_path: Path) -> None:
    place = Place(tmp_path)
    loop = place.start().contract.id
    place.context.session(SESSION).write_json("spend.json", {"loop": loop, "spent": 7.0})

    assert told(place, 2.0, 3.0) == {"loop": loop, "last": 3.0, "spent": 8.0}


def test_the_figure_of_an_earlier_loop_is_forgotten(tmp_path: Path) -> None:
    place = Place(tmp_path)
    loop = place.start().contract.id
    earlier = {"loop": "earlier", "last": 1.0, "spent": 7.0}
    place.context.session(SESSION).write_json("spend.json", earlier)

    assert told(place, 2.0) == {"loop": loop, "last": 2.0, "spent": 0.0}


@pytest.mark.parametrize("total", [None, "2", [], {}])
def test_a_figure_that_is_none(tmp_path: Path, total: object) -> None:
    place = Place(tmp_path)
    place.start()

    assert told(place, total) == {}

"""The figures of a receipt, computed anew from the JSON of a loop's contract and journal.

Nothing of our own code is used: this is how anybody can check a receipt.
"""

import json
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

SEVERITIES = {"error": "errors", "warning": "warnings", "info": "infos", "security": "security"}
TESTS = ("passed", "failed", "skipped")


class Recorded:
    """A loop's contract and journal as JSON; the state is in the journal's last entry."""

    def __init__(self, folder: Path) -> None:
        # The first line of the file is its checksum.
        self.contract: Json = json.loads((folder / "contract.json").read_text().partition("\n")[2])
        lines = (folder / "journal.jsonl").read_text().splitlines()
        self.entries: list[Json] = [json.loads(line) for line in lines]
        self.progress: Json = self.entries[-1]["state"]["progress"]
        self.rounds = self._list_data("round")
        self.last: Json = self.rounds[-1] if self.rounds else {}
        self.baseline: Json | None = next(iter(self._list_data("baseline")[::-1]), None)

    def _list_data(self, kind: str) -> list[Json]:
        return [entry["data"] for entry in self.entries if entry["kind"] == kind]

    @property
    def end(self) -> Json:
        """The entry by which the loop paused or finished: of several pauses in a row the first."""
        end: Json = self.entries[-1]
        for entry in reversed(self.entries):
            if entry["state"] and _read_end(entry) != _read_end(self.entries[-1]):
                break
            if entry["kind"] in ("paused", "cancelled", "done") or _ends_loop(entry):
                end = entry
        return end

    @property
    def allowances(self) -> list[tuple[str, str]]:
        """What was allowed, and when."""
        made = [(what, self.contract["started_at"]) for what in self.contract["allow"]]
        for amendment in self.progress["amendments"]:
            made += [(what, amendment["at"]) for what in amendment["allow"]]
        return made


def _read_end(entry: Json) -> list[object]:
    progress = entry["state"]["progress"]
    return [progress[name] for name in ("status", "outcome", "reason")]


def _ends_loop(entry: Json) -> bool:
    return entry["data"].get("verdict", {}).get("type") in ("finish", "pause")


def recompute(recorded: Recorded) -> Json:
    """Return the fields of the receipt that hold figures."""
    contract, progress, last = recorded.contract, recorded.progress, recorded.last
    bounds = [amendment["bounds"] for amendment in progress["amendments"] if amendment["bounds"]]
    ran = [result["name"] for result in last.get("checks", ())]
    return {
        "rounds": len(recorded.rounds),
        "max_rounds": (bounds or [contract["bounds"]])[-1]["rounds"],
        "started_at": contract["started_at"],
        "ended_at": recorded.end["at"],
        "ended_by_round": recorded.end["kind"] == "round",
        "spend_usd": progress["spend_usd"],
        "tree": last.get("tree", ""),
        "commit": last.get("commit", ""),
        "judged_round": len(recorded.rounds),
        "judged_at": last.get("at", ""),
        "unmet": list_unmet(recorded),
        "not_run": [check["name"] for check in contract["checks"] if check["name"] not in ran],
        "claims": {
            name: f"{met['by']}: {met['evidence']}" for name, met in progress["met"].items()
        },
        "promises_said": last.get("promises_given", []),
        "notes": [e["data"]["text"] for e in recorded.entries if e["kind"] == "note"],
        "initial": total_baseline(recorded),
        "final": total(last),
        "improved": compute_improvement(recorded),
        "failures": last.get("failure_counts"),
        "repeated_findings": count_repeated(last),
        "unlisted_concerns": 0,
    }


def list_unmet(recorded: Recorded) -> list[str]:
    unmet: list[str] = recorded.last.get("unmet", [])
    if recorded.progress["outcome"] == "blocked":
        return [f"blocked: {recorded.progress['reason']}", *unmet]
    return unmet


def describe_checks(run: Json) -> list[Json]:
    """The figures of each check of a round or of the baseline."""
    return [
        {
            "name": result["name"],
            "outcome": result["outcome"],
            "exit_code": result["exit_code"],
            "cached": result["cached"],
            "seconds": round(result["seconds"], 2),
            "findings": {name: count_alone(result, counted)[name] for name in SEVERITIES.values()},
            "tests": result["tests"] and {name: result["tests"][name] for name in TESTS},
        }
        for result, counted in zip(run.get("checks", ()), run.get("counted", ()), strict=True)
    ]


def count_alone(result: Json, counted: Json) -> Json:
    """The findings of one check by severity: counted in its list, unless that is cut."""
    return counted if is_cut(result) else count_findings([result])


def total(run: Json | None) -> Json | None:
    """The totals of all checks; None where none was run."""
    if not run or not run["checks"]:
        return None
    whole = not any(map(is_cut, run["checks"]))
    found = count_findings(run["checks"]) if whole else run["totals"]
    tests = [result["tests"] for result in run["checks"] if result["tests"]]
    counts = {name: sum(each[name] for each in tests) for name in TESTS}
    return {**{name: found[name] for name in SEVERITIES.values()}, **counts}


def total_baseline(recorded: Recorded) -> Json | None:
    """The totals of the baseline; None where one of its checks could not be run."""
    checks = (recorded.baseline or {"checks": ()})["checks"]
    return total(recorded.baseline) if all(map(is_measured, checks)) else None


def is_measured(result: Json) -> bool:
    return str(result["outcome"]) in ("green", "red")


def is_cut(result: Json) -> bool:
    tests = result["tests"] or {"failed": 0, "failing": ()}
    found: int = result["finding_count"]
    failed: int = tests["failed"]
    return found > len(result["findings"]) or failed > len(tests["failing"])


def count_findings(results: Iterable[Json]) -> Counter[str]:
    """Count each finding once over all checks; one that names a failing test is that test."""
    counts: Counter[str] = Counter()
    reporter: dict[tuple[str, ...], str] = {}
    for result in results:
        failing = (result["tests"] or {}).get("failing", ())
        for finding in result["findings"]:
            place = tuple(str(finding[name]) for name in ("path", "line", "code", "text"))
            is_first = reporter.setdefault(place, result["name"]) == result["name"]
            if finding["code"] not in failing and is_first:
                counts[SEVERITIES[finding["severity"]]] += 1
    return counts


def count_repeated(last: Json) -> int:
    totals = total(last)
    if totals is None:
        return 0
    alone = sum(sum(check["findings"].values()) for check in describe_checks(last))
    together: int = sum(totals[name] for name in SEVERITIES.values())
    return alone - together


def compute_improvement(recorded: Recorded) -> int | None:
    """By how many per cent there are fewer failures; None where the baseline is not known."""
    failures = recorded.last.get("failure_counts")
    if failures is None or not failures["in_baseline"] or total_baseline(recorded) is None:
        return None
    gone = max(0, failures["fixed"] - failures["new"] - failures["regressed"])
    return int(100 * gone // failures["in_baseline"])


def count_failures(recorded: Recorded) -> tuple[int, int] | None:
    """The failures of the baseline, and those of now in the same checks; None without any.

    A failure is a failing test, a finding that names none, or a check that names neither. Of a
    check whose list is cut the numbers that were recorded are taken.
    """
    before = list(filter(is_measured, (recorded.baseline or {"checks": ()})["checks"]))
    names = {result["name"] for result in before}
    now = [result for result in recorded.last.get("checks", ()) if result["name"] in names]
    if not before or not recorded.last.get("checks"):
        return None
    return sum(map(count_failing, before)), sum(map(count_failing, now))


def count_failing(result: Json) -> int:
    """How much of a check fails; each failing test of these checks is one of its findings too."""
    if result["outcome"] == "green":
        return 0
    if is_cut(result):
        return int(result["finding_count"])
    return len(identify(result))


def identify(result: Json) -> set[str]:
    if result["outcome"] == "green":
        return set()
    failing = (result["tests"] or {}).get("failing", ())
    others = (each for each in result["findings"] if each["code"] not in failing)
    return {*failing, *(each["fingerprint"] for each in others)} or {"the check itself"}


def compute_costs(rounds: list[Json]) -> list[str]:
    """The cost of each round as the receipt writes it; empty where nothing is known."""
    sums = [0.0, *(each["spend_usd"] for each in rounds)]
    if sums[-1] is None:
        return [""] * len(rounds)
    return [
        "cost unknown" if None in pair else f"{pair[1] - pair[0]:.2f} USD"
        for pair in pairwise(sums)
    ]


def compute_fixed(rounds: list[Json]) -> list[int]:
    """How many failures each round fixed more than the one before it."""
    return [after - before for before, after in pairwise((0, *(each["fixed"] for each in rounds)))]

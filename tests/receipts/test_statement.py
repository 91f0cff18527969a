"""A receipt as an in-toto statement, and the trailer that names it."""

import hashlib
import json
from typing import Any

import msgspec
import pytest

from receipts.samples import TREE, make_check, make_receipt
from untildone.errors import UserError
from untildone.receipts.statement import build_statement, encode_statement, format_trailer
from untildone.report.receipt import Allowance

APPROVED = Allowance(what="config:setup.cfg", by="user", at="", covers=("config:setup.cfg",))


def decode(**fields: Any) -> Any:  # noqa: ANN401  any field of a receipt, any JSON
    return json.loads(encode_statement(build_statement(make_receipt(**fields), commit="")))


def test_it_says_which_tree_was_checked_how_and_with_which_result() -> None:
    checks = (make_check("test", "green"), make_check("e2e", "flaky"), make_check("lint", "red"))

    statement = decode(checks=checks, not_run=("slow",))

    receipt = statement["predicate"].pop("untildone_receipt")
    assert [receipt[name] for name in ("session", "project", "judged_in")] == ["", "", ""]
    assert statement == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "tree", "digest": {"gitTree": TREE}}],
        "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
        "predicate": {
            "result": "PASSED",
            "configuration": [
                {"name": "contract", "digest": {"sha256": "c" * 64}},
                {"name": "test", "content": "cnVuIHRlc3Q=", "mediaType": "text/plain"},
                {"name": "e2e", "content": "cnVuIGUyZQ==", "mediaType": "text/plain"},
                {"name": "lint", "content": "cnVuIGxpbnQ=", "mediaType": "text/plain"},
            ],
            "passedTests": ["test"],
            "warnedTests": ["e2e"],
            "failedTests": ["lint", "slow"],
        },
    }


@pytest.mark.parametrize(
    ("fields", "result"),
    [
        pytest.param({}, "PASSED", id="done"),
        pytest.param({"approvals": (APPROVED,)}, "WARNED", id="approved"),
        pytest.param({"outcome": "claimed"}, "FAILED", id="words alone"),
        pytest.param({"outcome": None, "status": "active"}, "FAILED", id="not ended"),
    ],
)
def test_the_result_is_that_of_the_loop(fields: dict[str, Any], result: str) -> None:
    assert decode(**fields)["predicate"]["result"] == result


def test_a_commit_with_this_tree_is_a_subject_too() -> None:
    statement = build_statement(make_receipt(), commit="b" * 40)

    assert msgspec.to_builtins(statement.subject[1]) == {
        "name": "commit",
        "digest": {"gitCommit": "b" * 40},
    }


def test_the_trailer_has_the_digest_of_the_published_receipt() -> None:
    receipt = make_receipt(task="caf\udce9")

    published = decode(task="caf\udce9")["predicate"]["untildone_receipt"]
    text = json.dumps(published, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert format_trailer(receipt) == f"Untildone-Receipt: sha256:{digest} done tree:{TREE}"


def test_without_a_git_tree_there_is_nothing_to_state() -> None:
    with pytest.raises(UserError, match="the receipt of loop `1f2e` names no git tree"):
        format_trailer(make_receipt(git_tree=""))

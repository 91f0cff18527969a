"""`untildone queue migrate` and `grant`."""

from cli.world import CommandLine


def test_the_command_prints_and_changes_nothing(cli: CommandLine) -> None:
    nowhere = ("--database", "postgresql://owner@127.0.0.1:1/queue")
    code, printed, _ = cli.run("queue", "grant", "--submitter", "alice", *nowhere)
    assert code == 0
    assert printed.startswith("-- Run it as the owner of the database")
    assert 'GRANT CONNECT ON DATABASE "queue" TO "alice";' in printed
    for options, reason in (
        (("--worker", "w"), "a SQLite file has no roles"),
        (nowhere, "no role is named"),
    ):
        code, _, errors = cli.run("queue", "grant", *options)
        assert (code, reason in errors) == (2, True), errors


def test_a_file_is_migrated_too(cli: CommandLine) -> None:
    for _ in range(2):
        assert cli.run("queue", "migrate")[:2] == (0, "the tables are up to date\n")

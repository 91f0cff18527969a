"""Traces: sent to a real receiver of OTLP over HTTP when asked, and never otherwise."""

import gzip
import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from cli.test_milestones import eventually
from cli.test_notify import configure
from cli.world import CommandLine, error
from untildone.app import open_context
from untildone.extras import describe_extra
from untildone.features.telemetry.detached_export import export_at_end
from world import CHECK, SESSION


class Collector:
    """What a collector has received: paths, headers, and spans by their ids."""

    def __init__(self) -> None:
        self.endpoint = ""
        self.status = 200
        self.requests: list[tuple[str, str | None]] = []
        self.spans: dict[bytes, Any] = {}
        self.resource: dict[str, str] = {}

    def take(self, path: str, header: str | None, body: bytes) -> None:
        message = ExportTraceServiceRequest.FromString(body)
        for group in message.resource_spans:
            self.resource = {
                each.key: each.value.string_value for each in group.resource.attributes
            }
            for scope in group.scope_spans:
                self.spans |= {span.span_id: span for span in scope.spans}
        self.requests.append((path, header))

    @property
    def names(self) -> list[str]:
        return [span.name for span in self.spans.values()]


@contextmanager
def open_collector() -> Iterator[Collector]:
    collector = Collector()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            collector.take(self.path, self.headers.get("x-team"), body)
            self.send_response(collector.status)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        collector.endpoint = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield collector
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def collector() -> Iterator[Collector]:
    with open_collector() as collector:
        yield collector


def play_loop(cli: CommandLine, *options: str) -> str:
    """A loop that was held once and is done."""
    loop = cli.start("--check", CHECK, *options)
    cli.event("Stop", last_assistant_message="done")
    cli.write("done.txt", "")
    cli.event("Stop", last_assistant_message="done")
    return loop


def test_a_loop_is_sent_when_it_ends(cli: CommandLine, collector: Collector) -> None:
    configure(cli, f"[otel]\nendpoint = '{collector.endpoint}'\n")
    # What a repository may set in the agent's environment.
    cli.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:9"
    cli.environ["OTEL_EXPORTER_OTLP_HEADERS"] = "x-team=evil"

    loop = play_loop(cli, "--task", "ship it with token ghp_abcdefghijklmnopqrstuvwxyz")

    eventually(lambda: collector.requests)
    assert collector.requests == [("/v1/traces", None)]
    assert collector.resource["service.name"] == "untildone"
    (root,) = [span for span in collector.spans.values() if not span.parent_span_id]
    attributes = {each.key: each.value.string_value for each in root.attributes}
    assert (root.name, attributes["untildone.loop.id"]) == ("invoke_agent claude", loop)
    assert attributes["gen_ai.conversation.id"] == SESSION
    assert {"round 1", "round 2", "check check"} <= set(collector.names)
    assert not any("ship it" in str(span) for span in collector.spans.values())


def test_what_is_sent_again_is_the_same(cli: CommandLine, collector: Collector) -> None:
    loop = play_loop(cli, "--task", "ship it with token ghp_abcdefghijklmnopqrstuvwxyz")
    headers = "headers = { x-team = 'ferry' }"
    configure(cli, f"[otel]\ntexts = true\nendpoint = '{collector.endpoint}/'\n{headers}\n")

    first = cli.json("otel", "export", loop)
    once = dict(collector.spans)
    code, stdout, stderr = cli.run("otel", "export", loop)

    assert collector.requests == [("/v1/traces", "ferry")] * 2
    sent = f"{first['spans']} spans of trace {first['trace_id']} sent to"
    assert (code, stderr) == (0, "")
    assert stdout == f"loop {loop}: {sent} {collector.endpoint}/v1/traces\n"
    assert (collector.spans, len(once)) == (once, first["spans"])
    assert {span.trace_id.hex() for span in once.values()} == {first["trace_id"]}
    assert any("ship it with token [secret removed]" in str(span) for span in once.values())


def test_the_users_own_environment_names_the_collector(
    cli: CommandLine, collector: Collector
) -> None:
    loop = play_loop(cli)

    sent = cli.json("otel", "export", OTEL_EXPORTER_OTLP_ENDPOINT=collector.endpoint)

    assert (sent["loop"], len(collector.requests)) == (loop, 1)


def test_nothing_is_sent_unless_asked_for(cli: CommandLine, collector: Collector) -> None:
    cli.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.endpoint
    configure(cli, "recall_todos = false\n")

    play_loop(cli)

    assert collector.requests == []
    del cli.environ["OTEL_EXPORTER_OTLP_ENDPOINT"]
    path = cli.state_folder / "config.toml"
    assert cli.run("otel", "export") == error(
        "no collector is configured",
        f"give `--endpoint URL`, or add `[otel]` and `endpoint` to `{path}`",
    )


def test_a_collector_that_is_gone_changes_nothing_and_is_noted(
    cli: CommandLine, collector: Collector
) -> None:
    loop = play_loop(cli)
    here = open_context(cli.environ, home=str(cli.state_folder))
    configure(cli, "[otel]\nendpoint = 'ftp://127.0.0.1'\n")
    export_at_end(here, loop)

    (note,) = [found for found in cli.json("doctor")["findings"] if found["name"] == "telemetry"]
    assert note["mend"] == f"`untildone otel export {loop}` tries again"
    assert note["text"].endswith(": `ftp://127.0.0.1` is not the address of a collector")

    configure(cli, f"[otel]\nendpoint = '{collector.endpoint}'\n")
    export_at_end(here, loop)
    assert "telemetry" not in {found["name"] for found in cli.json("doctor")["findings"]}


def test_a_refusal_is_one_line(cli: CommandLine, collector: Collector) -> None:
    cli.start()
    collector.status = 400

    code, stdout, stderr = cli.run_process("otel", "export", "--endpoint", collector.endpoint)

    assert (code, stdout) == (2, "")
    assert stderr == (
        f"error: the collector at `{collector.endpoint}/v1/traces` did not take the trace\n\n"
        "hint: see whether it listens there for OTLP over HTTP\n"
    )


WITHOUT = "import sys; sys.modules['opentelemetry'] = None; "


@pytest.mark.parametrize("call", [("otel", "export", "--endpoint", "http://x"), ("cancel",)])
def test_a_missing_extra_is_said(cli: CommandLine, call: tuple[str, ...]) -> None:
    configure(cli, "[otel]\nendpoint = 'http://127.0.0.1:9'\n")
    cli.start()
    code = f"{WITHOUT}from untildone.cli.main import main; sys.exit(main({call}))"

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=cli.project,
        env=cli.environ,
        capture_output=True,
        text=True,
        check=False,
    )

    assert describe_extra("otel") in done.stdout + done.stderr


def test_a_mistake_in_the_settings_ends_the_loop_all_the_same(cli: CommandLine) -> None:
    loop = cli.start()
    path = configure(cli, "[otel]\nendpoint = 1\n")

    code, stdout, _ = cli.run("cancel")

    assert (code, cli.standing(loop)[0]) == (0, "finished")
    assert f"the trace is not sent: {path}:2: `endpoint` is `1`" in stdout


def test_an_agent_exports_nothing(cli: CommandLine) -> None:
    cli.event("SessionStart", source="startup")
    cli.start()
    cli.agent_calls_a_tool()

    code, _, stderr = cli.run_process("otel", "export", CLAUDE_CODE_SESSION_ID=SESSION)

    assert code == 2
    assert stderr.startswith("error: only the user may run `untildone otel`")


def test_a_large_loop_is_sent_in_several_requests(cli: CommandLine, collector: Collector) -> None:
    loop = play_loop(cli)
    journal = cli.state_folder / "loops" / loop / "journal.jsonl"
    _repeat_round(journal, 600)

    sent = cli.json("otel", "export", loop, "--endpoint", collector.endpoint)

    assert sent["spans"] == len(collector.spans) > 1_200
    assert len(collector.requests) == 3


def _repeat_round(journal: Path, count: int) -> None:
    """Add rounds to a journal, as if the loop had had them; the chain is not looked at here."""
    lines = journal.read_text(encoding="utf-8").splitlines()
    entry = json.loads(next(line for line in lines if '"kind":"round"' in line))
    for number in range(3, count + 1):
        entry["data"]["number"] = number
        lines.append(json.dumps(entry, separators=(",", ":")))
    journal.write_text("\n".join(lines) + "\n", encoding="utf-8")

"""`untildone serve`: its link, its end, and who may start it."""

import http.client
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from urllib.parse import urlsplit

import pytest

from cli.world import CommandLine, error
from client.world import BIN
from untildone.features.milestones.page_link import SERVE_FILE, find_page


@contextmanager
def serve(cli: CommandLine, *options: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [BIN / "untildone", "serve", "--port", "0", *options],
        cwd=cli.project,
        env=cli.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            yield server
        finally:
            server.kill()


@contextmanager
def visit(link: str, **headers: str) -> Iterator[http.client.HTTPResponse]:
    parts = urlsplit(link)
    with closing(http.client.HTTPConnection(parts.netloc, timeout=20)) as connection:
        connection.request("GET", f"{parts.path}?{parts.query}", headers=headers)
        with connection.getresponse() as answer:
            yield answer


def test_the_link_works_until_ctrl_c(cli: CommandLine) -> None:
    cli.start()
    with serve(cli) as server:
        assert server.stdout
        link = server.stdout.readline().strip()
        with visit(link) as opened:
            cookie = str(opened.headers["Set-Cookie"]).partition(";")[0]
        with visit(f"{link.partition('?')[0]}events", Cookie=cookie) as stream:
            stream.readline()
            server.send_signal(signal.SIGINT)
            out, err = server.communicate(timeout=20)

    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{12}/\?token=[\w-]{32}", link)
    assert (server.returncode, out) == (0, "")
    assert err.splitlines() == [
        "the live page is on (read-only; `--allow-verbs` lets it act);"
        " keep the link to yourself, Ctrl-C ends it",
        "a browser has opened the link",
        "the live page is off",
    ]


def test_notifications_find_the_page_while_it_is_on(cli: CommandLine) -> None:
    cli.start()
    with serve(cli) as server:
        assert server.stdout
        link = server.stdout.readline().strip()
        with visit(link) as opened:
            assert opened.status == 200
        during = find_page(cli.state_folder)
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=20)

    assert link.startswith(f"{during}/")
    assert not (cli.state_folder / SERVE_FILE).exists()


def test_the_token_is_not_in_the_state(cli: CommandLine) -> None:
    cli.start()
    with serve(cli, "--allow-verbs") as server:
        assert server.stdout
        link = server.stdout.readline().strip()
        with visit(link) as opened:
            assert opened.status == 200
        folder, _, token = link.partition("/?token=")
        secrets = (token.encode(), folder.rpartition("/")[2].encode())
        files = [path for path in cli.home.rglob("*") if path.is_file()]

    assert files
    assert not any(secret in path.read_bytes() for path in files for secret in secrets)


def test_a_port_that_is_used(cli: CommandLine) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        assert cli.run("serve", "--port", str(port)) == error(
            f"port {port} is used by another program, perhaps by another `untildone serve`",
            "`untildone serve --port 0` takes a free one",
        )


@pytest.mark.parametrize("library", ["starlette", "uvicorn"])
def test_without_the_extra_it_says_how_to_install_it(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    for name in [name for name in sys.modules if name.startswith("untildone.web")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [library, *(name for name in sys.modules if name.startswith(f"{library}."))]:
        monkeypatch.setitem(sys.modules, name, None)

    code, _, stderr = cli.run("serve")

    assert (code, stderr.splitlines()[0]) == (
        2,
        f"error: `{library}` is not installed: the live page needs the extra `dashboard`",
    )
    assert "pip install 'starlette<2,>=0.45' 'uvicorn<1,>=0.34'`" in stderr


def test_an_agent_may_not_start_a_page_that_acts(cli: CommandLine) -> None:
    cli.start()
    cli.event("SessionStart", source="startup")

    code, _, stderr = cli.run_process("serve", "--allow-verbs", "--port", "0")

    assert (code, stderr.splitlines()[0]) == (
        2,
        "error: only the user may run `untildone serve --allow-verbs`",
    )


def test_a_queue_that_is_named_must_be_there(cli: CommandLine) -> None:
    path = cli.project / "none.sqlite"

    ran = cli.run("serve", "--port", "0", "--database", str(path))

    hint = '`untildone queue add "TASK"` begins one'
    assert ran == error(f"there is no queue in `{path}`", hint)
    assert not path.exists()


def test_the_live_page_loads_no_database_before_it_shows_one() -> None:
    code = "import sys, untildone.web.server; print({'dbos', 'sqlalchemy'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "set()"

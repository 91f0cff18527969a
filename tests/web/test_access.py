"""Who gets in: the browser that has the link, no other site, host or method."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest

from untildone.store.home import prepare_home
from untildone.web.access import Access
from untildone.web.request_guard import HEADERS
from web.visitor import LivePage, serve_page
from world import World


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """One for all tests here: nothing that they ask for is done."""
    world = World(tmp_path_factory.mktemp("access"))
    prepare_home(world.state_folder)
    world.start(task="port the parser")
    return world


@pytest.fixture(scope="module")
def served(world: World) -> Iterator[LivePage]:
    with serve_page(world.context) as page:
        yield page


@pytest.fixture
def page(served: LivePage) -> LivePage:
    served.open_link()
    return served


def test_the_link_opens_the_page_and_leaves_a_cookie(page: LivePage) -> None:
    answer = page.open_link()

    folder = page.access.folder
    assert (answer.status, f'content="0;url={folder}/"' in answer.text) == (200, True)
    assert answer.headers["set-cookie"] == (
        f"{page.cookie}; Path={folder}/; HttpOnly; SameSite=Strict"
    )
    assert page.cookie.startswith(f"untildone-{page.port}=")
    assert page.access.link.partition("token=")[2] not in page.cookie
    assert "port the parser" in page.get().shown


@pytest.mark.parametrize("token", ["", "x", "\u00e9", "A" * 100_000 + "B"])
def test_another_token_opens_nothing(page: LivePage, token: str) -> None:
    answer = page.get(f"/?token={quote(token)}"[:60_000], cookie="")

    assert (answer.status, "set-cookie" in answer.headers) == (403, False)


def test_a_ticket_opens_the_page_once(page: LivePage) -> None:
    link = page.access.make_ticket_link()

    assert [page.open_link(link).status, page.open_link(link).status] == [200, 403]


@pytest.mark.parametrize("path", ["/", "/loops/a1", "/events", "/static/live.js", "/none"])
@pytest.mark.parametrize("cookie", ["", "untildone=x", "untildone-1=x; =;;", "\x7f=\x7f"])
def test_without_the_cookie_there_is_nothing(page: LivePage, path: str, cookie: str) -> None:
    assert page.get(path, cookie=cookie).status == 403


def test_odd_cookies_of_other_servers_do_no_harm(page: LivePage) -> None:
    odd = 'a={"b":[1,2]}; ;=; c d=@; untildone-=x'

    assert page.get(cookie=f"{odd}; {page.cookie}; {odd}").status == 200
    assert page.get(cookie=odd).status == 403


def test_the_cookie_of_another_run_is_none(world: World, page: LivePage) -> None:
    with serve_page(world.context) as other:
        value = other.cookie.partition("=")[2]
        assert page.get(cookie=f"untildone-{page.port}={value}").status == 403
        assert other.access.folder != page.access.folder


def test_outside_of_its_folder_there_is_nothing(page: LivePage) -> None:
    for path in ("/", "/loops", "/static/live.js", page.access.folder, "//", "/favicon.ico"):
        assert page.request("GET", path).status == 404


def test_the_link_of_a_notification_shows_no_secret(page: LivePage) -> None:
    answer = page.request("GET", "/loops/a1")

    assert (answer.status, "needs the link" in answer.text) == (200, True)
    assert page.access.folder not in answer.text


@pytest.mark.parametrize(
    "host", ["", "evil.example", "evil.example:{0}", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:{0}"]
)
def test_another_host_name_is_refused_also_with_the_cookie(page: LivePage, host: str) -> None:
    answer = page.get(host=host.format(page.port))

    assert answer.status in (400, 421)
    assert page.get(host=f"localhost:{page.port}").status == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_may_not_read_it(page: LivePage, site: str) -> None:
    assert page.get(sec_fetch_site=site).status == 403
    assert page.get(sec_fetch_site="same-origin").status == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(page: LivePage, method: str) -> None:
    assert page.request(method, f"{page.access.folder}/").status == 405


def test_every_answer_has_the_strict_headers(world: World, page: LivePage) -> None:
    loop = world.loop
    answers = [
        page.get(),
        page.get(f"/loops/{loop}"),
        page.get("/loops/none"),
        page.get("/static/live.js"),
        page.get("/static/none"),
        page.get("/nowhere"),
        page.get(cookie=""),
        page.get(host="evil.example"),
        page.post(f"/loops/{loop}/approve"),
        page.request("GET", "/"),
        page.open_link(),
    ]

    for answer in answers:
        for name, value in HEADERS.items():
            assert answer.headers[name.lower()] == value, (answer.status, name)
        assert "server" not in answer.headers
    policy = HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/..%2fserver.py",
        "/static/%2e%2e/%2e%2e/server.py",
        "/static//etc/passwd",
        "/loops/..%2f..%2fetc",
        "/loops/../../etc/passwd",
        "/loops/%00",
        "/plans/..%2floops",
        "/plans/" + "0" * 24,
        "/events/loops/..%2fx",
    ],
)
def test_no_path_leads_elsewhere(page: LivePage, path: str) -> None:
    answer = page.get(path)

    # A stream has begun already when it says that there is no such loop.
    is_stream = answer.status == 200 and answer.text.count("event: gone") == 1
    assert answer.status == 404 or is_stream
    assert "root:" not in answer.text


def test_what_is_loaded_is_its_own(world: World, page: LivePage) -> None:
    loop = world.loop

    text = page.get().text + page.get(f"/loops/{loop}").text

    assert "<style" not in text
    assert " style=" not in text
    assert " onclick" not in text
    assert text.count("<script") == text.count('/static/live.js" defer></script>')
    kinds = [
        page.get(f"/static/{name}").headers["content-type"].partition(";")[0]
        for name in ("live.js", "page.css", "report.css")
    ]
    assert kinds == ["text/javascript", "text/css", "text/css"]


def test_each_server_has_its_own_secrets() -> None:
    one, other = Access(1), Access(1)

    assert not {one.link, one.folder, one.form_token, one.cookie} & {
        *(other.link, other.folder, other.form_token, other.cookie)
    }

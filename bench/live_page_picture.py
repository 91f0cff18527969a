"""Makes the picture of docs/live-page.md: `python -m bench.live_page_picture FOLDER`.

The scene of README's picture goes on differently: the agent removes tests, and insists on it.
"""

import json
import os
import shutil
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

from bench.picture_scene import FILES, STEPS, TASK
from untildone.cli.demo_environment import DemoEnvironment, open_demo_environment
from untildone.core.contract import Check
from untildone.engine.context import Context
from untildone.runs import run_memory
from untildone.runs.outer_loop import drive
from untildone.runs.run_memory import RunMemory, RunOptions
from untildone.runs.scripted_client import Step, write_script
from untildone.web.access import Access
from untildone.web.server import make_server, open_listener

_SIZE = ViewportSize(width=1120, height=900)
_FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_INSISTS = Step(says="These tests are not needed any more. Done!", cost_usd=0.05)


def main(folder: Path) -> int:
    chromium = shutil.which("chromium")
    if chromium is None:
        print("`chromium` is not installed")
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    with open_demo_environment() as demo, sync_playwright() as playwright:
        loop = play_scene(demo)
        browser = playwright.chromium.launch(executable_path=chromium, args=list(_FLAGS))
        with serve(demo.context) as link:
            for scheme in ("light", "dark"):
                window = browser.new_page(viewport=_SIZE, device_scale_factor=1.5)
                window.emulate_media(color_scheme="light" if scheme == "light" else "dark")
                window.goto(link)
                window.wait_for_url(lambda address: "token" not in address)
                window.goto(f"{window.url}loops/{loop}")
                window.wait_for_selector(".connection.on")
                path = folder / f"live-page-{scheme}.png"
                window.screenshot(path=path)
                window.close()
                print(json.dumps({"picture": str(path), "bytes": path.stat().st_size}))
        browser.close()
    return 0


def play_scene(demo: DemoEnvironment) -> str:
    """Play the scene until the loop asks for an approval; return the loop's id."""
    for name, text in FILES.items():
        (demo.project / name).write_text(text, encoding="utf-8")
    # The run is this process: its checks find the tools beside our interpreter.
    tools = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join((tools, os.environ["PATH"]))
    checks = (
        Check(name="test", command="pytest -q"),
        Check(name="lint", command="ruff check ."),
    )
    loop = demo.start(str(uuid.uuid4()), TASK, checks).contract.id
    client = write_script(demo.project.parent / "script.json", (*STEPS[:-1], _INSISTS))
    run_memory.write(demo.context, loop, RunMemory(options=RunOptions(client=client)))
    ended = drive(demo.context, loop, show=lambda _: None)
    if ended.outcome != "needs-approval":
        raise SystemExit(f"the scene did not end as it should: {ended.outcome}")
    # From here on as in a session, which is what most users have.
    run_memory.forget(demo.context, loop)
    return loop


@contextmanager
def serve(context: Context) -> Iterator[str]:
    """Serve the live page and yield its link."""
    with open_listener(0) as listener:
        access = Access(listener.getsockname()[1], allow_verbs=True)
        server = make_server(context, access, tell=lambda _: None)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield access.link
        finally:
            server.should_exit = True
            thread.join()


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))

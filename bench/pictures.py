"""Makes the pictures of README from a real run: `python -m bench.pictures FOLDER`.

A scripted agent works on a small shop. It is driven by `untildone run` as any agent is, the checks
are pytest and ruff, and the page is what `untildone report` writes.
"""

import json
import os
import shutil
import sys
import uuid
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from bench.picture_scene import FILES, STEPS, TASK
from untildone.cli.demo_environment import DemoEnvironment, open_demo_environment
from untildone.core.contract import Check
from untildone.report.page.render import render_loop_page
from untildone.runs import run_memory
from untildone.runs.outer_loop import drive
from untildone.runs.run_memory import RunMemory, RunOptions
from untildone.runs.scripted_client import write_script

# Tall enough for the charts.
_SIZE = ViewportSize(width=1120, height=920)
_FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def main(folder: Path) -> int:
    chromium = shutil.which("chromium")
    if chromium is None:
        print("`chromium` is not installed")
        return 2
    page = play_scene()
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(_FLAGS))
        for scheme in _SCHEMES:
            take_picture(browser, page, scheme, folder / f"report-{scheme}.png")
        browser.close()
    return 0


def play_scene() -> str:
    """Play the scene to its end, and return the page of its loop."""
    with open_demo_environment() as demo:
        for name, text in FILES.items():
            path = demo.project / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        drive_agent(demo)
        outcome = demo.load_outcome()
        if outcome != "done":
            raise SystemExit(f"the scene did not end as it should: {outcome}")
        return render_loop_page(demo.build_view())


def drive_agent(demo: DemoEnvironment) -> None:
    # The run is this process: its checks find the tools beside our interpreter.
    tools = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join((tools, os.environ["PATH"]))
    checks = (
        Check(name="test", command="pytest -q"),
        Check(name="lint", command="ruff check ."),
    )
    record = demo.start(str(uuid.uuid4()), TASK, checks)
    client = write_script(demo.project.parent / "script.json", STEPS)
    run_memory.write(demo.context, record.contract.id, RunMemory(options=RunOptions(client=client)))
    drive(demo.context, record.contract.id, show=lambda _: None)


def take_picture(browser: Browser, page: str, scheme: Literal["light", "dark"], path: Path) -> None:
    with browser.new_context(
        viewport=_SIZE, color_scheme=scheme, device_scale_factor=1.5
    ) as context:
        window = context.new_page()
        window.set_content(page)
        window.screenshot(path=path)
    print(json.dumps({"picture": str(path), "bytes": path.stat().st_size}))


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))

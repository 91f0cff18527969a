"""`python -m docs_site build [FOLDER]` makes the site, `commands` the page of commands.

`scenes` records the terminal scenes anew.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from docs_site import commands
from docs_site.links import check_links
from docs_site.pages import ROOT, write_sources

_COMMANDS_PAGE = ROOT / "docs" / "commands.md"


def build(folder: Path) -> int:
    """Build the site in the folder; return 1 if a link is broken or something is loaded."""
    build_site(folder)
    findings = check_links(folder / "site")
    for address in findings.external:
        print(f"external: {address}")
    for link in (*findings.broken, *findings.foreign):
        print(f"error: {link}")
    print(f"the site: {folder / 'site' / 'index.html'}")
    return int(bool(findings.broken or findings.foreign))


def build_site(folder: Path) -> None:
    """Write the pages and run the generator, which refuses broken links itself."""
    settings = write_sources(folder)
    argv = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", str(settings)]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{done.stdout}{done.stderr}the site was not built")


def write_commands() -> int:
    _COMMANDS_PAGE.write_text(commands.format_page(), encoding="utf-8")
    return 0


def main(arguments: list[str]) -> int:
    match arguments:
        case ["build"]:
            with tempfile.TemporaryDirectory(prefix="untildone-docs-") as folder:
                return build(Path(folder))
        case ["build", folder]:
            return build(Path(folder).absolute())
        case ["commands"]:
            return write_commands()
        case ["scenes", *names]:
            # Imported where it is used: it needs the tests and tmux.
            from docs_site.scenes import record_scenes

            return record_scenes(tuple(names))
        case _:
            print(__doc__, file=sys.stderr)
            return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

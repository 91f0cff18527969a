"""Lines that are redrawn in place once a second, without flicker."""

import time
from collections.abc import Callable, Sequence
from typing import NoReturn

from rich.console import Console
from rich.live import Live
from rich.text import Text

_FOOTER = "Ctrl-C ends"


def show_live(render: Callable[[], Sequence[str]], *, seconds: float) -> NoReturn:
    """Show what `render` returns until Ctrl-C; the last lines stay on the terminal."""
    console = Console(highlight=False)
    # rich redraws only what it drew before, in one write: nothing blinks.
    live = Live(
        console=console,
        auto_refresh=False,
        vertical_overflow="crop",
        # Nothing else is printed meanwhile, and `render` looks at the real output.
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with live:
        while True:
            lines = "\n".join(render()).splitlines()
            # The last line of a terminal stays free, or the cursor would scroll it.
            room = max(1, console.height - 2)
            shown = [*lines[:room], f"\x1b[2m{_FOOTER}\x1b[0m"]
            text = Text.from_ansi("\n".join(shown), no_wrap=True, overflow="ellipsis")
            live.update(text, refresh=True)
            time.sleep(seconds)

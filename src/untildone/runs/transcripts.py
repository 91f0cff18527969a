"""The transcript that a client writes of a conversation which a headless run has with it."""

from collections.abc import Mapping
from pathlib import Path

from untildone.agents.layout import Layout


def find_transcript(layout: Layout, session: str, environ: Mapping[str, str]) -> str:
    """Return the newest file that the client has of this conversation; empty if it has none."""
    # The client tells the session's id: nothing but a name may become a part of the pattern.
    if not layout.transcript or not session.replace("-", "").replace("_", "").isalnum():
        return ""
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    folder = Path(environ.get(layout.folder_variable) or home / layout.folder)
    files = folder.glob(layout.transcript.format(session=session))
    return max(map(str, files), key=lambda file: Path(file).stat().st_mtime_ns, default="")

"""What the client tells a server about itself, and its answers to the server's requests."""

import os
from pathlib import Path

from untildone.checks.lsp.messages import ConfigurationRequest, Incoming, decode, encode
from untildone.checks.lsp.servers import make_settings

_METHOD_UNKNOWN = -32601
_LONGEST_METHOD = 500
_ACKNOWLEDGED = (
    *("client/registerCapability", "client/unregisterCapability", "window/showMessageRequest"),
    *("window/workDoneProgress/create", "workspace/diagnostic/refresh"),
)
_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "diagnostics": {"refreshSupport": True},
    },
    "window": {"workDoneProgress": True},
    "textDocument": {
        "synchronization": {},
        "publishDiagnostics": {"versionSupport": True},
        "diagnostic": {"dynamicRegistration": True},
    },
}


def make_introduction(project: Path) -> dict[str, object]:
    """Return the parameters of `initialize`, the first request to a server."""
    folder = {"uri": project.as_uri(), "name": project.name}
    return {
        "processId": os.getpid(),
        "clientInfo": {"name": "untildone"},
        "rootUri": folder["uri"],
        "workspaceFolders": [folder],
        "capabilities": _CAPABILITIES,
    }


def answer_request(request: Incoming, project: Path) -> bytes:
    match request.method:
        case "workspace/configuration":
            sections = decode(request.params, ConfigurationRequest).sections
            settings = [make_settings(project, section) for section in sections]
            return encode(id=request.id, result=settings)
        case "workspace/workspaceFolders":
            folders = make_introduction(project)["workspaceFolders"]
            return encode(id=request.id, result=folders)
        case "workspace/applyEdit":
            return encode(id=request.id, result={"applied": False})
        case method if method in _ACKNOWLEDGED:
            return encode(id=request.id, result=None)
        case method:
            text = f"{method[:_LONGEST_METHOD]} is not offered"
            return encode(id=request.id, error={"code": _METHOD_UNKNOWN, "message": text})

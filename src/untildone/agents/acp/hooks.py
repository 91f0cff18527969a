"""The hooks of agents that are driven by the Agent Client Protocol: they have none of ours."""

SHELL_VARIABLE = ""
SESSION_VARIABLE = ""
PROJECT_VARIABLE = ""
PROCESS_VARIABLE = ""
ATTENDED_VARIABLE = ""
FOLDER_VARIABLE = ""
FOLDER = ""
SETTINGS: tuple[str, ...] = ()
COUNTS_CALLS_IN_SHELL = False


def is_own(payload: dict[str, object], environ: dict[str, str]) -> bool:
    del payload, environ
    return False


def translate(event: str, payload: dict[str, object]) -> dict[str, object]:
    del event
    return payload


def refuse_call(reason: str) -> str:
    return reason


permit_call = refuse_settings = notify = refuse_call

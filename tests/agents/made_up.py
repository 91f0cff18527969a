"""An agent that does not exist, as a package of `agents/`: what adding one takes."""

# By file of the package; the tests add it to a copy of untildone.
FILES = {
    "__init__.py": '"""Ferris: an agent of the tests, whose client has Claude\'s hooks."""\n',
    "hooks.py": '''\
"""What every hook of Ferris needs. Lean."""

import json

from untildone.agents import CLIENT_PROCESS

SHELL_VARIABLE = "FERRIS_SESSION"
SESSION_VARIABLE = SHELL_VARIABLE
PROJECT_VARIABLE = ""
PROCESS_VARIABLE = CLIENT_PROCESS
ATTENDED_VARIABLE = ""
FOLDER_VARIABLE = ""
FOLDER = ".ferris"
SETTINGS = ("hooks.json",)
COUNTS_CALLS_IN_SHELL = False


def is_own(payload, environ):
    return "conversation" in payload


def translate(event, payload):
    return {**payload, "session_id": payload.get("conversation", "")}


def refuse_call(reason):
    return json.dumps({"decision": "block", "reason": reason})


def permit_call(reason):
    return ""


refuse_settings = permit_call


def notify(text):
    return json.dumps({"systemMessage": text})
''',
    "agent.py": '''\
"""Ferris: its hook payloads and answers."""

import json

from untildone.agents import payloads
from untildone.agents.defaults import *  # noqa: F403
from untildone.agents.ferris import hooks, imitation
from untildone.agents.layout import Layout
from untildone.agents.payloads import parse_session_start
from untildone.core.verdict import Continue

NAME = "ferris"
HOOKS = hooks
LAYOUT = Layout(
    title="Ferris",
    program="ferris",
    folder=".ferris",
    files={"user": "hooks.json"},
    events={"SessionStart": "begin", "UserPromptSubmit": "prompt", "Stop": "end"},
)


def load_imitation():
    return imitation


def parse_stop(payload, environ):
    return payloads.parse_stop(payload, environ, hooks)


def parse_prompt(payload, environ):
    return payloads.parse_prompt(payload, environ, hooks)


def format_reply(verdict, *, feedback, notice, environ):
    if isinstance(verdict, Continue):
        return json.dumps({"decision": "block", "reason": feedback})
    return hooks.notify(notice) if notice else ""


def pass_prompt(prompt, *, context, notice):
    return hooks.notify(notice) if notice else ""


def format_greeting(*, context, notice):
    return hooks.notify(notice) if notice else ""


consume_prompt = hooks.refuse_call
''',
    "imitation.py": '''\
"""How the drill imitates Ferris."""

from untildone.agents.imitation import read_answer


def list_variables(session):
    return {}


def write_payload(event, fields):
    known = {name: value for name, value in fields.items() if name != "session_id"}
    return {**known, "conversation": fields["session_id"]}
''',
}

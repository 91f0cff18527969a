"""Checks as text that another machine can read: our own programs are run by its interpreter."""

import json
import sys

import msgspec
from msgspec.structs import replace

from untildone.core.contract import Check
from untildone.process.command import quote_argument

_OURS = " -I -m untildone."
_ANY_MACHINE = "{python}" + _OURS


def encode_checks(checks: tuple[Check, ...]) -> str:
    here = quote_argument(sys.executable) + _OURS
    portable = (_rename(check, here, _ANY_MACHINE) for check in checks)
    return json.dumps(msgspec.to_builtins(tuple(portable)))


def decode_checks(text: str) -> tuple[Check, ...]:
    here = quote_argument(sys.executable) + _OURS
    checks = msgspec.json.decode(text, type=tuple[Check, ...])
    return tuple(_rename(check, _ANY_MACHINE, here) for check in checks)


def _rename(check: Check, old: str, new: str) -> Check:
    if not check.command.startswith(old):
        return check
    return replace(check, command=new + check.command.removeprefix(old))

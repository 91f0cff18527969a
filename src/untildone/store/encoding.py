"""JSON encoding and strictly typed decoding of values."""

import json
import math
from typing import NoReturn, TypeVar

import msgspec

from untildone.store.durable_files import DamagedFileError

Value = TypeVar("Value")


def encode(value: object) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        # A file name that is not UTF-8 holds lone surrogates, which msgspec cannot encode.
        plain = msgspec.to_builtins(value)
        return json.dumps(plain, separators=(",", ":"), allow_nan=False).encode()


def decode(data: bytes, kind: type[Value]) -> Value:
    """Decode JSON to a value of this type; raise DamagedFileError if it is not one."""
    try:
        try:
            return msgspec.json.decode(data, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError):
            if b"\\ud" not in data:
                raise
        # Lone surrogates, which msgspec does not decode.
        plain = json.loads(data, parse_constant=_refuse_constant, parse_float=_parse_finite)
        return msgspec.convert(plain, kind)
    except RecursionError as error:
        raise DamagedFileError("is nested too deep") from error
    except (msgspec.DecodeError, ValueError) as error:
        raise DamagedFileError(f"does not hold what it should: {error}") from error


def convert(value: object, kind: type[Value]) -> Value:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise DamagedFileError(f"does not hold what it should: {error}") from error


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _parse_finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is out of range")
    return number

"""Counts: a loop that ends when the checks report no errors, warnings or security findings."""

from msgspec.structs import replace

from untildone.checks import security
from untildone.core.model import Contract
from untildone.engine.context import Context
from untildone.engine.feature import Feature
from untildone.engine.request import Request
from untildone.features.counts.start import counts_named, counts_of, targets_in


def _read_options(_: Context, request: Request, options: dict[str, list[str]]) -> Request:
    return replace(
        request,
        counts=counts_named(options),
        zero_errors="no_zero_errors" not in options,
        targets=targets_in(request.project, options.get("target", ())),
        also=(security.command(request.project),) if "zero_security" in options else (),
    )


def _agree(_: Context, request: Request, contract: Contract) -> Contract:
    return replace(contract, counts=counts_of(request, contract.checks))


FEATURE = Feature(read_options=_read_options, agree=_agree)

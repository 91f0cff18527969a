"""Templates: named loops, given as an option or to follow one that ends well."""

from pathlib import Path

from msgspec.structs import replace

from untildone.engine.context import Context
from untildone.engine.feature import Feature
from untildone.engine.prompt_start import read_bounds
from untildone.engine.request import Request
from untildone.features.templates.templates import Plan, known, plan


def _read_options(context: Context, request: Request, options: dict[str, list[str]]) -> Request:
    """What is given beside a template stands before what the template says."""
    template = _find_template(context, request.project, options)
    return replace(
        request,
        task=request.task or template.task,
        checks=request.checks or template.checks,
        promises=request.promises or template.promises,
        claims=request.claims or template.claims,
        must_not=request.must_not or template.must_not,
        done_when=request.done_when or template.done_when,
        bounds=read_bounds(options, template.bounds),
        then=known(context, request.project, tuple(options.get("then", ()))),
    )


def _find_template(context: Context, project: Path, options: dict[str, list[str]]) -> Plan:
    """`--template "coverage-to 80"`."""
    name, _, argument = options.get("template", [""])[-1].strip().partition(" ")
    if not name:
        return Plan()
    return plan(context, project, name, argument.strip(), checks="check" not in options)


FEATURE = Feature(read_options=_read_options)

"""Templates: named loops, given as an option or to follow one that ends well."""

from msgspec.structs import asdict, replace

from untildone.engine.context import Context
from untildone.engine.feature import Feature
from untildone.engine.request import Request, StartOptions
from untildone.engine.start_options import apply_bounds
from untildone.features.templates.recipes import (
    FilledTemplate,
    check_next_templates,
    fill_template,
)


def _read_options(context: Context, options: StartOptions, request: Request) -> Request:
    """An option that is given overrides what the template says."""
    template = FilledTemplate()
    if options.template.strip():
        template = fill_template(
            context, request.project, options.template, checks=not options.checks
        )
    return replace(
        request,
        preset=request.preset or template.preset,
        task=request.task or template.task,
        checks=request.checks or template.checks,
        promises=request.promises or template.promises,
        claims=request.claims or template.claims,
        must_not=request.must_not or template.must_not,
        done_when=request.done_when or template.done_when,
        bounds=apply_bounds(template.bounds, asdict(options)),
        then=check_next_templates(context, request.project, options.then),
    )


FEATURE = Feature(read_options=_read_options)

"""The feature "templates": `--template` starts a named loop, `--then` names the next ones."""

from msgspec.structs import asdict, replace

from untildone.engine.context import Context
from untildone.engine.feature import Feature
from untildone.engine.request import Request, StartOptions
from untildone.engine.start_options import apply_bounds
from untildone.features.templates.recipes import apply_template, check_next_templates


def _read_options(context: Context, options: StartOptions, request: Request) -> Request:
    """Return the request with the template's values where no option overrides them."""
    if options.template.strip():
        request = apply_template(context, request, options.template)
        request = replace(request, bounds=apply_bounds(request.bounds, asdict(options)))
    check_next_templates(context, request, options.then)
    return replace(request, then=options.then)


FEATURE = Feature(read_options=_read_options)

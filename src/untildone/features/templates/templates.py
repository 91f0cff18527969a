"""Named loops: those built in, and those of the repository's trusted configuration."""

from difflib import get_close_matches
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.config.proposals import load_proposals
from untildone.config.schema import Template
from untildone.core.contract import Bounds, Check, Claim, ExitRule
from untildone.engine.context import Context
from untildone.engine.project_checks import list_checks, load_trusted_configuration
from untildone.engine.request import name_checks, parse_claim
from untildone.errors import UserError
from untildone.features.templates.builtin import BUILT_IN, FILE, Recipe

MAX_NEXT_TEMPLATES = 5


class FilledTemplate(Struct, frozen=True, kw_only=True):
    """A template with its argument filled in: the defaults of the options of `start`."""

    task: str = ""
    preset: str = ""
    checks: tuple[Check, ...] = ()
    promises: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    must_not: tuple[str, ...] = ()
    done_when: ExitRule | None = None
    bounds: Bounds = Bounds()


def load_recipes(context: Context, project: Path) -> dict[str, Recipe]:
    """By name; the repository's template replaces a built-in one of the same name."""
    own = load_trusted_configuration(context, project).templates
    return BUILT_IN | {name: _make_recipe(template) for name, template in own.items()}


def find_recipe(context: Context, project: Path, name: str) -> Recipe:
    known = load_recipes(context, project)
    if name in known:
        return known[name]
    if any(name in file.configuration.templates for file in load_proposals(project)):
        raise UserError(
            f"the template `{name}` is in a configuration that is not trusted",
            hint="`untildone trust` shows it and asks",
        )
    close = get_close_matches(name, known, n=1)
    meant = f"; did you mean `{close[0]}`?" if close else ""
    raise UserError(
        f"there is no template `{name}`{meant}", hint="`untildone templates` lists them"
    )


def fill_template(
    context: Context, project: Path, name: str, argument: str = "", *, checks: bool = True
) -> FilledTemplate:
    """Without `checks` the template's own are not looked for: the user named others."""
    found = find_recipe(context, project, name)
    argument = _choose_argument(found, name, argument)
    if found.argument == FILE and not (project / argument).is_file():
        raise UserError(
            f"`{argument}` is not a file in `{project}`", hint="name the specification's file"
        )
    agreed = fill_recipe(found, argument)
    return (
        replace(agreed, checks=find_recipe_checks(context, project, found, argument))
        if checks
        else agreed
    )


def fill_next_template(context: Context, project: Path, named: str) -> FilledTemplate:
    """From the text that `--then` takes, such as `coverage-to 80`."""
    name, _, argument = named.strip().partition(" ")
    return fill_template(context, project, name, argument.strip())


def check_next_templates(
    context: Context, project: Path, names: tuple[str, ...]
) -> tuple[str, ...]:
    """Raises UserError, before anything starts, if one of the templates cannot follow."""
    if len(names) > MAX_NEXT_TEMPLATES:
        raise UserError(
            f"`--then` is given {len(names)} times, {MAX_NEXT_TEMPLATES} is the most",
            hint="start the rest when these have ended",
        )
    for name in names:
        try:
            fill_next_template(context, project, name)
        except UserError as error:
            raise UserError(f"`--then {name}`: {error.message}", hint=error.hint) from None
    return names


def fill_recipe(found: Recipe, argument: str) -> FilledTemplate:
    """The template with its argument, still without checks."""
    template = found.template
    return FilledTemplate(
        task=template.task.replace("{argument}", argument),
        preset=template.preset or "",
        promises=template.promises,
        claims=tuple(
            parse_claim(text.replace("{argument}", argument)) for text in template.criteria
        ),
        must_not=template.must_not,
        done_when=template.done_when,
        bounds=_build_bounds(template),
    )


def _choose_argument(found: Recipe, name: str, given: str) -> str:
    if given and not found.argument:
        raise UserError(f"the template `{name}` takes no `{given}`", hint="leave it out")
    if found.argument and not given and not found.usual:
        raise UserError(
            f"the template `{name}` needs {found.argument}",
            hint=f"for example `untildone start --template {name} {found.sample}`",
        )
    return given or found.usual


def find_recipe_checks(
    context: Context, project: Path, found: Recipe, argument: str
) -> tuple[Check, ...]:
    """Empty if the preset or the project decides which checks run."""
    if found.make:
        return found.make(context, project, argument)
    wanted = found.template.checks
    known = {check.name: check for check in list_checks(context, project)[0]} if wanted else {}
    unknown = ", ".join(f"`{name}`" for name in wanted if name not in known)
    if unknown:
        listed = ", ".join(f"`{name}`" for name in known) or "none"
        raise UserError(
            f"the template's {unknown} is not a check of this project (there are: {listed})",
            hint="`untildone detect` shows where they come from",
        )
    return (*(known[name] for name in wanted), *name_checks(found.template.commands))


def _build_bounds(template: Template) -> Bounds:
    usual = Bounds()
    return Bounds(
        rounds=usual.rounds if template.rounds is None else template.rounds,
        budget_usd=usual.budget_usd if template.budget is None else template.budget,
        minutes=template.minutes or 0,
        round_minutes=template.round_minutes or 0,
        stagnation=template.stagnation_limit,
    )


def _make_recipe(template: Template) -> Recipe:
    taken = any("{argument}" in text for text in (template.task, *template.criteria))
    return Recipe(template=template, argument="TEXT" if taken else "", sample="TEXT")

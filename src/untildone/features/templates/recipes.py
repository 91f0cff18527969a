"""Applies a template (a named loop) to the request of a loop.

Templates are built in or come from the repository's trusted configuration; a recipe is a
template with the description of its argument. `--template "coverage-to 80"` applies one,
`--then NAME` names templates that follow.
"""

from difflib import get_close_matches
from pathlib import Path

from msgspec.structs import asdict, replace

from untildone.config.proposals import load_proposals
from untildone.config.schema import Template
from untildone.core.contract import Bounds, Check
from untildone.engine.context import Context
from untildone.engine.project_checks import list_checks, load_trusted_configuration
from untildone.engine.request import Request, name_checks, parse_claim
from untildone.errors import UserError
from untildone.features.templates.builtin import FILE, FINDERS, Recipe, load_built_in

# How often `--then` may be given.
MAX_NEXT_TEMPLATES = 5


def load_recipes(context: Context, project: Path) -> dict[str, Recipe]:
    """Return all templates by name; the repository's replaces a built-in one of that name."""
    templates = load_trusted_configuration(context, project).templates
    return load_built_in() | {name: _make_recipe(value) for name, value in templates.items()}


def _make_recipe(template: Template) -> Recipe:
    """Return a repository's template, which takes an argument if its texts have a place for it."""
    takes_argument = any("{argument}" in text for text in (template.task, *template.criteria))
    return Recipe(
        **asdict(template), argument="TEXT" if takes_argument else "", sample_argument="TEXT"
    )


def find_recipe(context: Context, project: Path, name: str) -> Recipe:
    """Return the template of this name; raises UserError if there is none or it is not trusted."""
    recipes = load_recipes(context, project)
    if name in recipes:
        return recipes[name]
    if any(name in file.configuration.templates for file in load_proposals(project)):
        raise UserError(
            f"the template `{name}` is in a configuration that is not trusted",
            hint="`untildone trust` shows it and asks",
        )
    similar = get_close_matches(name, recipes, n=1)
    suggestion = f"; did you mean `{similar[0]}`?" if similar else ""
    raise UserError(
        f"there is no template `{name}`{suggestion}", hint="`untildone templates` lists them"
    )


def apply_template(context: Context, request: Request, template: str) -> Request:
    """Return the request with the template's values where the request has none itself.

    `template` is its name with its argument, such as `coverage-to 80`. The bounds are always the
    template's.
    """
    name, _, argument = template.strip().partition(" ")
    recipe = find_recipe(context, request.project, name)
    argument = _choose_argument(recipe, name, argument.strip())
    if recipe.argument == FILE and not (request.project / argument).is_file():
        raise UserError(
            f"`{argument}` is not a file in `{request.project}`",
            hint="name the specification's file",
        )
    request = fill_recipe(recipe, argument, request)
    if request.checks:
        return request
    return replace(request, checks=find_recipe_checks(context, request.project, recipe, argument))


def check_next_templates(context: Context, request: Request, names: tuple[str, ...]) -> None:
    """Raise UserError, before anything starts, if one of the templates cannot be applied."""
    if len(names) > MAX_NEXT_TEMPLATES:
        raise UserError(
            f"`--then` is given {len(names)} times, {MAX_NEXT_TEMPLATES} is the most",
            hint="start the rest when these have ended",
        )
    for name in names:
        try:
            apply_template(context, Request(session="", project=request.project), name)
        except UserError as error:
            raise UserError(f"`--then {name}`: {error.message}", hint=error.hint) from None


def fill_recipe(recipe: Recipe, argument: str, request: Request) -> Request:
    """Return the request with the template's texts and bounds, still without its checks."""
    criteria = (text.replace("{argument}", argument) for text in recipe.criteria)
    default = Bounds()
    return replace(
        request,
        task=request.task or recipe.task.replace("{argument}", argument),
        preset=request.preset or recipe.preset or "",
        promises=request.promises or recipe.promises,
        claims=request.claims or tuple(map(parse_claim, criteria)),
        must_not=request.must_not or recipe.must_not,
        done_when=request.done_when or recipe.done_when,
        # An agent must not choose a template for its weaker proof.
        proof=request.proof or (recipe.proof if request.by == "user" else None),
        bounds=Bounds(
            rounds=default.rounds if recipe.rounds is None else recipe.rounds,
            budget_usd=default.budget_usd if recipe.budget is None else recipe.budget,
            minutes=recipe.minutes or 0,
            round_minutes=recipe.round_minutes or 0,
            stagnation=recipe.stagnation_limit,
        ),
    )


def _choose_argument(recipe: Recipe, name: str, argument: str) -> str:
    """Return the argument, or the default; raises UserError if it is missing or unexpected."""
    if argument and not recipe.argument:
        raise UserError(f"the template `{name}` takes no `{argument}`", hint="leave it out")
    if recipe.argument and not argument and not recipe.default_argument:
        raise UserError(
            f"the template `{name}` needs {recipe.argument}",
            hint=f"for example `untildone start --template {name} {recipe.sample_argument}`",
        )
    return argument or recipe.default_argument


def find_recipe_checks(
    context: Context, project: Path, recipe: Recipe, argument: str
) -> tuple[Check, ...]:
    """Return the template's checks: found by its finder, or its named checks and its commands.

    Empty if the preset or the project decides which checks run.
    """
    if recipe.finder:
        return FINDERS[recipe.finder](context, project, argument)
    names = recipe.checks
    known = {check.name: check for check in list_checks(context, project)[0]} if names else {}
    unknown = ", ".join(f"`{name}`" for name in names if name not in known)
    if unknown:
        listed = ", ".join(f"`{name}`" for name in known) or "none"
        raise UserError(
            f"the template's {unknown} is not a check of this project (there are: {listed})",
            hint="`untildone detect` shows where they come from",
        )
    return (*(known[name] for name in names), *name_checks(recipe.commands))

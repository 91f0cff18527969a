"""`untildone templates`: the named loops, with their checks and bounds."""

from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.loops import open_context
from untildone.cli.options import find_project, json_option, print_report, project_option
from untildone.cli.terminal_text import wrap_paragraph
from untildone.config.proposals import load_proposals
from untildone.core.contract import Bounds, Check, Proof
from untildone.engine import project_checks
from untildone.engine.context import Context
from untildone.engine.request import Request
from untildone.errors import UserError
from untildone.features.templates.builtin import Recipe, load_built_in
from untildone.features.templates.recipes import fill_recipe, find_recipe_checks, load_recipes


class TemplateSummary(Struct, frozen=True, kw_only=True):
    """`unusable` says why the template cannot be started in this project."""

    name: str
    argument: str
    source: str
    task: str
    checks: tuple[str, ...]
    criteria: tuple[str, ...]
    promises: tuple[str, ...]
    proof: Proof | None
    bounds: Bounds
    unusable: str


@click.command("templates")
@project_option
@json_option
def templates_command(project: Path | None, *, as_json: bool) -> None:
    """List the templates of `untildone start --template NAME` with their checks in this project.

    \b
    untildone templates
    untildone start --template fix-tests
    untildone start --template coverage-to 80
    """
    context = open_context()
    folder = project_checks.find_configured_folder(find_project(project))
    ignored = project_checks.describe_untrusted(context, load_proposals(folder))
    if ignored:
        click.echo(ignored, err=True)
    templates = tuple(
        _summarize(context, folder, name, recipe)
        for name, recipe in load_recipes(context, folder).items()
    )
    lines = [line for template in templates for line in _format_template(template)]
    print_report({"templates": templates}, lines, as_json=as_json)


def _summarize(context: Context, project: Path, name: str, recipe: Recipe) -> TemplateSummary:
    checks, unusable = _find_checks(context, project, recipe)
    request = Request(session="", project=project)
    agreed = fill_recipe(recipe, recipe.default_argument or recipe.argument, request)
    return TemplateSummary(
        name=name,
        argument=f"[{recipe.argument}]" if recipe.default_argument else recipe.argument,
        source="built in" if recipe is load_built_in().get(name) else "untildone.toml",
        task=agreed.task,
        checks=tuple(check.command for check in checks),
        criteria=tuple(claim.name for claim in agreed.claims),
        promises=agreed.promises,
        proof=agreed.proof,
        bounds=agreed.bounds,
        unusable=unusable,
    )


def _find_checks(context: Context, project: Path, recipe: Recipe) -> tuple[tuple[Check, ...], str]:
    try:
        checks = find_recipe_checks(
            context, project, recipe, recipe.default_argument or recipe.sample_argument
        )
        needs_checks = recipe.preset or not (recipe.promises or recipe.criteria)
        if needs_checks and not checks:
            checks = project_checks.choose_checks(context, project, recipe.preset or "ship")
    except UserError as error:
        return (), error.message
    return checks, ""


def _format_template(template: TemplateSummary) -> list[str]:
    bounds = template.bounds
    limits = [
        f"{bounds.rounds} rounds" if bounds.rounds else "no bound of rounds",
        f"{bounds.budget_usd:g} USD" if bounds.budget_usd else "no bound of money",
        *([f"{bounds.minutes:g} minutes"] if bounds.minutes else []),
    ]
    source = "" if template.source == "built in" else f"  ({template.source})"
    return [
        " ".join(filter(None, (template.name, template.argument))) + source,
        wrap_paragraph(template.task),
        *(f"  check `{text}`" for text in template.checks),
        *(f"  claim `{text}`" for text in template.criteria),
        *(f"  promise `{text}`" for text in template.promises),
        *(["  shown by changed files, no test is asked for"] if template.proof == "files" else []),
        *([f"  unusable here: {template.unusable}"] if template.unusable else []),
        f"  {', '.join(limits)}",
    ]

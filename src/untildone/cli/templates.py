"""`untildone templates`: the named loops, with their checks and bounds."""

from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.loops import open_context
from untildone.cli.options import json_option, print_json, project_option
from untildone.cli.project import find_project
from untildone.cli.terminal_text import wrap_paragraph
from untildone.config.proposals import load_proposals
from untildone.core.contract import Bounds, Check
from untildone.engine.context import Context
from untildone.engine.project_checks import (
    choose_checks,
    describe_untrusted,
    find_configured_folder,
)
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
    bounds: Bounds
    unusable: str


class TemplateList(Struct, frozen=True, kw_only=True):
    templates: tuple[TemplateSummary, ...]


@click.command("templates")
@project_option
@json_option
def command(project: Path | None, *, as_json: bool) -> None:
    """List the templates of `untildone start --template NAME` with their checks in this project.

    \b
    untildone templates
    untildone start --template fix-tests
    untildone start --template coverage-to 80
    """
    context = open_context()
    folder = find_configured_folder(find_project(project))
    ignored = describe_untrusted(context, load_proposals(folder))
    if ignored:
        click.echo(ignored, err=True)
    listed = tuple(
        _summarise(context, folder, name, recipe)
        for name, recipe in load_recipes(context, folder).items()
    )
    if as_json:
        print_json(TemplateList(templates=listed))
        return
    for each in listed:
        click.echo("\n".join(_format_template(each)))


def _summarise(context: Context, project: Path, name: str, recipe: Recipe) -> TemplateSummary:
    checks, unusable = _find_checks(context, project, recipe)
    request = Request(session="", project=project)
    agreed = fill_recipe(recipe, recipe.usual or recipe.argument, request)
    return TemplateSummary(
        name=name,
        argument=f"[{recipe.argument}]" if recipe.usual else recipe.argument,
        source="built in" if recipe is load_built_in().get(name) else "untildone.toml",
        task=agreed.task,
        checks=tuple(check.command for check in checks),
        criteria=tuple(claim.name for claim in agreed.claims),
        promises=agreed.promises,
        bounds=agreed.bounds,
        unusable=unusable,
    )


def _find_checks(context: Context, project: Path, recipe: Recipe) -> tuple[tuple[Check, ...], str]:
    try:
        checks = find_recipe_checks(context, project, recipe, recipe.usual or recipe.sample)
        if not checks and (recipe.preset or not (recipe.promises or recipe.criteria)):
            checks = choose_checks(context, project, recipe.preset or "ship")
    except UserError as error:
        return (), error.message
    return checks, ""


def _format_template(each: TemplateSummary) -> list[str]:
    bounds = each.bounds
    limits = [
        f"{bounds.rounds} rounds" if bounds.rounds else "no bound of rounds",
        f"{bounds.budget_usd:g} USD" if bounds.budget_usd else "no bound of money",
        *([f"{bounds.minutes:g} minutes"] if bounds.minutes else []),
    ]
    source = "" if each.source == "built in" else f"  ({each.source})"
    return [
        " ".join(filter(None, (each.name, each.argument))) + source,
        wrap_paragraph(each.task),
        *(f"  check `{text}`" for text in each.checks),
        *(f"  claim `{text}`" for text in each.criteria),
        *(f"  promise `{text}`" for text in each.promises),
        *([f"  unusable here: {each.unusable}"] if each.unusable else []),
        f"  {', '.join(limits)}",
    ]

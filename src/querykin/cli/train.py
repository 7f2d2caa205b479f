"""`querykin train`: training on judged data."""

import typer

from querykin.cli.keywords import train_keywords
from querykin.cli.train_combination import combination
from querykin.cli.train_tweak import tweak

app = typer.Typer(help="Train models on judged data.", no_args_is_help=True)
app.command()(combination)
app.command("keywords")(train_keywords)
app.command()(tweak)

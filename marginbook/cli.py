"""The ``marginbook`` command: data sets, the papers' tables run again, exercises for a class."""

import argparse
import sys
from concurrent.futures import BrokenExecutor

import marginbook


def main(argv=None):
    """Run one command; return its exit code: 0, 1 for an error told in a line, 130 for Ctrl-C."""
    options = parser().parse_args(argv)
    try:
        return options.action(options) or 0
    except KeyboardInterrupt:
        print(f"\nmarginbook: stopped{_how_to_go_on(options)}", file=sys.stderr)
        return 130
    except ValueError as error:
        print(f"marginbook: {_line(error)}", file=sys.stderr)
        return 1
    except (OSError, MemoryError, BrokenExecutor) as error:  # the machine's fault: the same may work later
        print(f"marginbook: {_line(error)}{_how_to_go_on(options)}", file=sys.stderr)
        return 1


def _line(error):
    return " ".join(str(error).split()) or type(error).__name__


def _how_to_go_on(options):
    if options.action is not reproduce_records:
        return ""
    return f"; completed runs are kept, `marginbook reproduce {options.id}` goes on from there"


def parser():
    """The command's grammar."""
    top = argparse.ArgumentParser(prog="marginbook", description=__doc__)
    top.add_argument("--version", action="version", version=marginbook.__version__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    data = commands.add_parser("data", help="list, fetch and find data sets")
    verbs = data.add_subparsers(required=True, metavar="list|fetch|where")
    verbs.add_parser("list", help="all data sets, and which are at hand").set_defaults(action=data_list)
    for verb, action, text in (
        ("fetch", data_fetch, "download a data set and check it"),
        ("where", data_where, "where its files are, or where to put them"),
    ):
        command = verbs.add_parser(verb, help=text)
        command.add_argument("name", metavar="NAME")
        command.set_defaults(action=action)

    reproduce = commands.add_parser("reproduce", help="run a table or figure again, from where it stopped")
    reproduce.add_argument("id", metavar="ID|all")
    reproduce.add_argument("--runs", type=_at_least_one, help="seeds of each part (default: as the paper)")
    reproduce.add_argument("--jobs", type=_at_least_one, default=1, help="processes (default: 1)")
    reproduce.add_argument("--only", nargs="+", default=(), metavar="PATTERN", help="parts, as ID/PART")
    reproduce.add_argument(
        "--dask", metavar="SCHEDULER", help="address of a Dask scheduler whose workers run"
    )
    reproduce.add_argument(
        "--resume", action=argparse.BooleanOptionalAction, default=True, help="keep the stored runs"
    )
    reproduce.add_argument(
        "--check", action="store_true", help="make the first run of each part again, and only compare"
    )
    reproduce.set_defaults(action=reproduce_records)

    compare = commands.add_parser("compare", help="published number, ours, difference, verdict")
    compare.add_argument("id", metavar="ID|all")
    compare.add_argument("--readings", action="store_true", help="what other readings of the paper give")
    compare.set_defaults(action=compare_records)

    exercises = commands.add_parser("exercises", help="hand out the book's exercises")
    verbs = exercises.add_subparsers(required=True, metavar="export")
    command = verbs.add_parser("export", help="write student copies of the notebooks, without solutions")
    command.add_argument("folder", metavar="DIR")
    command.set_defaults(action=exercises_export)
    return top


def _at_least_one(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {number}")
    return number


def data_list(options):
    """Name every data set and say whether it is at hand."""
    from marginbook import data

    for name in data.names():
        print(f"{name:16} {'at hand' if data.available(name) else 'absent'}")


def data_fetch(options):
    """Download what is missing."""
    from marginbook import data

    for path in data.fetch(options.name, progress=sys.stderr.isatty()):
        print(path)


def data_where(options):
    """Name the files, and for an absent one the folder and the address."""
    from marginbook import data

    for place in data.where(options.name):
        print(place.found or f"absent: put {place.urls[0]} at {place.put}")


def reproduce_records(options):
    """Run what is missing of a table or figure, or of all."""
    from marginbook import experiments
    from marginbook.experiments.runner import keep_pages

    keep_pages()
    chosen = () if options.id == "all" else (options.id,)
    how = {"only": tuple(options.only), "jobs": options.jobs, "dask": options.dask}
    if options.check:
        differences = experiments.check(*chosen, **how)
        print("\n".join(differences) or f"{options.id}: the same numbers again")
        return 1 if differences else 0
    made, absent = experiments.reproduce(*chosen, runs=options.runs, resume=options.resume, **how)
    stored = sum(len(experiments.results(name)["runs"]) for name in chosen or experiments.names())
    print(f"{options.id}: {made} runs made, {stored} stored")
    for name in absent:
        print(f"marginbook: not run where it needs {name}; `marginbook data where {name}`", file=sys.stderr)
    return 1 if absent and chosen and not made else 0


def exercises_export(options):
    """Write the notebooks that have exercises without their solutions."""
    from marginbook import handouts

    for path in handouts.export(options.folder):
        print(path)


def compare_records(options):
    """Print the cells of a table or figure, published and ours; of all, how many have each verdict."""
    from marginbook import experiments

    whole = options.id == "all"
    print(experiments.scoreboard() if whole else experiments.compare(options.id, options.readings))

"""The ``marginbook`` command: data sets, and the papers' tables run again."""

import argparse
import sys
from concurrent.futures import BrokenExecutor
from math import isnan

import marginbook


def main(argv=None):
    """Run one command; return its exit code: 0, 1 for an error told in a line, 130 for Ctrl-C."""
    options = parser().parse_args(argv)
    try:
        options.action(options)
    except KeyboardInterrupt:
        print(f"\nmarginbook: stopped{_how_to_go_on(options)}", file=sys.stderr)
        return 130
    except ValueError as error:
        print(f"marginbook: {_line(error)}", file=sys.stderr)
        return 1
    except (OSError, MemoryError, BrokenExecutor) as error:  # the machine's fault: the same may work later
        print(f"marginbook: {_line(error)}{_how_to_go_on(options)}", file=sys.stderr)
        return 1
    return 0


def _line(error):
    return " ".join(str(error).split()) or type(error).__name__


def _how_to_go_on(options):
    if options.action is not reproduce_table:
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

    reproduce = commands.add_parser("reproduce", help="run a table again; goes on where it was stopped")
    reproduce.add_argument("id", metavar="ID")
    reproduce.add_argument("--runs", type=_at_least_one, help="permutations (default: as many as the paper)")
    reproduce.add_argument("--jobs", type=_at_least_one, default=1, help="processes (default: 1)")
    reproduce.add_argument(
        "--resume", action=argparse.BooleanOptionalAction, default=True, help="keep the stored runs"
    )
    reproduce.set_defaults(action=reproduce_table)

    compare = commands.add_parser("compare", help="published number, ours, difference, verdict")
    compare.add_argument("id", metavar="ID")
    compare.set_defaults(action=compare_table)
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


def reproduce_table(options):
    """Run what is missing of a table."""
    from marginbook import experiments

    made = experiments.reproduce(options.id, options.runs, jobs=options.jobs, resume=options.resume)
    print(f"{options.id}: {made} runs made, {len(experiments.results(options.id)['runs'])} stored")


def compare_table(options):
    """Print a table's cells, published and ours."""
    from marginbook import experiments

    rows = experiments.compare(options.id)
    print(experiments.record(options.id).title)
    print(f"{'row':18} {'column':20} {'published':>10} {'ours':>22} {'difference':>11}  verdict")
    for r in rows:
        digits = len(r.published.partition(".")[2])
        ours = "" if isnan(r.ours) else f"{r.ours:.{digits}f}"
        ours += "" if isnan(r.error) else f" +- {r.error:.{digits}f}"
        difference = "" if isnan(r.difference) else f"{r.difference:+z.{digits}f}"
        print(f"{r.row:18} {r.column:20} {r.published:>10} {ours:>22} {difference:>11}  {r.verdict}")
    verdicts = [r.verdict for r in rows]
    print(", ".join(f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts)))

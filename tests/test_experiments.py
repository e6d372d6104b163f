"""The runner loses nothing, the store keeps its form, verdicts follow their rule, stored integers recur."""

import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from marginbook import cli, data, experiments
from marginbook.experiments import runner, store
from marginbook.experiments.record import DERIVED, Part, Published, Record
from marginbook.experiments.verdicts import KINDS, compare_cell

NAMES = experiments.names()
RUN = [name for name in NAMES if experiments.results(name)["runs"]]  # not those that borrow, or lack data


def toy_run(seed, margin, epochs=2):
    return {"errors": [100 + seed, 90 + seed][:epochs], "seconds": [0.5 + seed]}


def other_run(seed, margin):
    return {"errors": [100, 91], "seconds": [9.0]}


def failing_run(seed, margin):
    raise FileNotFoundError("no data")


def interrupted_run(seed, margin):
    raise KeyboardInterrupt


def deadly_run(seed, margin):
    os.kill(os.getpid(), signal.SIGKILL)


def no_change():
    """In place of what would change this process's allocator."""


TOY = Record(
    id="toy",
    paper="none",
    title="A toy",
    protocol="counts",
    choices={},
    parts={
        "loose": Part(toy_run, {"margin": 0.5}, runs=4),
        "strict": Part(toy_run, {"margin": 0.9}, runs=2),
    },
    cells=(
        Published("a", "1", "1.01", "error", "loose", "errors", 0, 0.01),
        Published("a", "2", "0.50", "error", "loose", "errors", 1, 0.01),
        Published("b", "1", "4", "seconds", "strict", "seconds", peer="c"),
        Published("c", "1", "2", "seconds", "loose", "seconds"),
        Published("d", "1", "7", "quoted", "loose", "none", reason="not ours"),
        Published("e", "1", "3.0", "about", DERIVED, "spread"),
    ),
    readings=(Published("a", "1", "1.01", "error", "strict", "errors", 0, 0.01),),
    derive=lambda values: {"spread": np.ptp(values["loose", "errors"], axis=0, keepdims=True)},
)


def toy_with(run, **changes):
    return TOY._replace(parts={name: part._replace(run=run, **changes) for name, part in TOY.parts.items()})


@pytest.fixture
def toy(monkeypatch, tmp_path):
    monkeypatch.setenv("MARGINBOOK_RESULTS", str(tmp_path))
    monkeypatch.setitem(experiments.RECORDS, "toy", TOY)
    monkeypatch.setattr(runner, "keep_pages", no_change)
    return tmp_path / "toy.json"


def made():
    return [(run["part"], run["seed"]) for run in experiments.results("toy")["runs"]]


ALL = [("loose", seed) for seed in range(4)] + [("strict", seed) for seed in range(2)]


def test_a_second_call_runs_only_what_is_missing(toy):
    assert experiments.reproduce("toy", runs=1, quiet=True) == (2, [])
    assert experiments.reproduce("toy", quiet=True) == (4, [])
    assert experiments.reproduce("toy", quiet=True) == (0, [])
    assert made() == ALL
    sessions = [session["runs"] for session in experiments.results("toy")["provenance"]]
    assert sessions == [{"loose": [0], "strict": [0]}, {"loose": [1, 2, 3], "strict": [1]}]


def test_only_the_parts_asked_for_are_made(toy):
    assert experiments.reproduce("toy", only=("toy/str*",), quiet=True) == (2, [])
    assert made() == ALL[4:]
    with pytest.raises(ValueError, match="no part of toy is called nothing"):
        experiments.reproduce("toy", only=("nothing",), quiet=True)


def test_parts_without_their_data_are_left_out_and_named(toy, monkeypatch, capsys):
    def nowhere(name):
        raise data.DataNotFound(name)

    parts = TOY.parts | {"strict": TOY.parts["strict"]._replace(data=("covertype",))}
    monkeypatch.setitem(experiments.RECORDS, "toy", TOY._replace(parts=parts))
    monkeypatch.setattr(data, "fetch", nowhere)
    assert experiments.reproduce("toy", quiet=True) == (4, ["covertype"])
    assert {row.verdict for row in experiments.compare("toy").rows if row.row in "be"} == {"not run"}
    assert cli.main(["reproduce", "toy"]) == 1
    assert "`marginbook data where covertype`" in capsys.readouterr().err


def test_without_resuming_the_first_new_run_replaces_those_of_the_chosen_parts(toy, monkeypatch):
    experiments.reproduce("toy", quiet=True)
    only = ("toy/loose",)
    assert experiments.reproduce("toy", runs=1, only=only, resume=False, quiet=True) == (1, [])
    assert made() == [("loose", 0), *ALL[4:]]
    monkeypatch.setitem(experiments.RECORDS, "toy", toy_with(failing_run))
    with pytest.raises(FileNotFoundError):
        experiments.reproduce("toy", resume=False, quiet=True)
    assert made() == [("loose", 0), *ALL[4:]]


def test_changed_parameters_make_the_runs_of_their_part_stale(toy, monkeypatch):
    experiments.reproduce("toy", quiet=True)
    parts = TOY.parts | {"loose": TOY.parts["loose"]._replace(parameters={"margin": 0.6})}
    monkeypatch.setitem(experiments.RECORDS, "toy", TOY._replace(parts=parts))
    with pytest.raises(ValueError, match=r"parameters \(loose\); run `.* --no-resume --only toy/loose`"):
        experiments.results("toy")
    assert experiments.reproduce("toy", only=("toy/loose",), resume=False, quiet=True) == (4, [])
    assert made() == ALL and experiments.results("toy")["parameters"]["loose"] == {"margin": 0.6}


@pytest.mark.parametrize("gib, where", [(1.0, "side by side"), (9.0, "one by one")])
def test_processes_give_the_same_runs_as_none(toy, monkeypatch, gib, where):
    monkeypatch.setitem(experiments.RECORDS, "toy", toy_with(toy_run, gib=gib))
    experiments.reproduce("toy", quiet=True)
    alone = experiments.results("toy")["runs"]
    experiments.reproduce("toy", jobs=2, resume=False, quiet=True)
    together = experiments.results("toy")["runs"]
    assert [(r["part"], r["seed"], r["values"]) for r in alone] == [
        (r["part"], r["seed"], r["values"]) for r in together
    ]


@contextmanager
def two_workers():
    """The address of a local Dask cluster of two processes; what kills a worker is not tried again."""
    import dask
    import distributed

    local = dict(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(**local, silence_logs=60) as cluster,
    ):
        yield cluster.scheduler_address


def test_a_dask_cluster_of_two_workers_gives_the_same_runs_and_may_lose_one(toy, monkeypatch, capsys):
    experiments.reproduce("toy", quiet=True)
    before = [row[:7] for row in experiments.compare("toy").rows]
    with two_workers() as address:
        command = ["reproduce", "toy", "--no-resume", "--dask", address]
        assert cli.main(command) == 0
        assert made() == ALL
        assert [row[:7] for row in experiments.compare("toy").rows] == before
        monkeypatch.setitem(experiments.RECORDS, "toy", toy_with(deadly_run))
        capsys.readouterr()
        assert cli.main(command) == 1
    errors = capsys.readouterr().err.splitlines()
    assert "`marginbook reproduce toy`" in errors[-1] and made() == ALL


def test_a_dask_cluster_gives_the_stored_integers_of_a_paper(monkeypatch):
    """Two parts of a table that needs no data; a number of one of them is changed, and must be told."""
    stored = store.load(experiments.record("zhao-huang-table-1"))
    changed = next(run for run in stored["runs"] if (run["part"], run["seed"]) == ("Pegasos", 0))
    changed["values"]["excess"][0] *= 1.01
    monkeypatch.setattr(store, "load", lambda record: stored)
    with two_workers() as address:
        (line,) = experiments.check("zhao-huang-table-1", only=("*/P*", "*/p*"), dask=address, quiet=True)
    assert line.startswith("zhao-huang-table-1, Pegasos, seed 0: excess was ")


def test_a_full_disk_leaves_the_old_results(toy, monkeypatch, capsys):
    experiments.reproduce("toy", runs=1, quiet=True)
    before = toy.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert cli.main(["reproduce", "toy"]) == 1
    assert toy.read_bytes() == before
    assert list(toy.parent.iterdir()) == [toy]
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 1 and "No space left" in errors[0] and "`marginbook reproduce toy`" in errors[0]


def test_a_worker_that_dies_is_one_line_and_costs_no_completed_run(toy, monkeypatch, capsys):
    experiments.reproduce("toy", runs=1, quiet=True)
    before = experiments.results("toy")["runs"]

    monkeypatch.setitem(experiments.RECORDS, "toy", toy_with(deadly_run))
    assert cli.main(["reproduce", "toy", "--jobs", "2"]) == 1
    assert experiments.results("toy")["runs"] == before
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 1 and "`marginbook reproduce toy`" in errors[0]


KILLED = """
import os, signal, sys, time
sys.path.insert(0, {tests!r})
from marginbook import cli, experiments
from test_experiments import TOY, toy_run

def slow(seed, margin):
    time.sleep(0.03)
    with open({log!r}, "a") as log:
        log.write(f"{{seed}}\\n")
    return toy_run(seed, margin)

def deadly(partial, file):
    global replaced
    replaced += 1
    if replaced == {fatal}:
        os.kill(os.getpid(), signal.SIGKILL)
    replace(partial, file)

replace, os.replace, replaced = os.replace, deadly, 0
part = TOY.parts["loose"]._replace(run=slow, runs=40)
experiments.RECORDS["toy"] = TOY._replace(parts={{"loose": part}}, cells=TOY.cells[:2], readings=())
sys.exit(cli.main(["reproduce", "toy"]))
"""


def test_a_kill_at_any_moment_loses_and_repeats_no_completed_run(toy, monkeypatch):
    log, clock = toy.with_suffix(".log"), random.Random(0)
    log.touch()
    stored = {}
    short = TOY._replace(
        parts={"loose": TOY.parts["loose"]._replace(runs=40)}, cells=TOY.cells[:2], readings=()
    )
    monkeypatch.setitem(experiments.RECORDS, "toy", short)
    for life in range(4):  # killed in the third write; at two random moments; not at all
        fatal = 3 if life == 0 else 0
        code = KILLED.format(tests=os.path.dirname(__file__), log=str(log), fatal=fatal)
        before = len(log.read_text().splitlines())
        child = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        if life in (1, 2):
            while len(log.read_text().splitlines()) == before and child.poll() is None:
                time.sleep(0.005)
            time.sleep(clock.uniform(0.0, 0.25))
            child.kill()
        errors = child.communicate(timeout=120)[1].decode()
        assert child.returncode == (0 if life == 3 else -9), errors
        now = {run["seed"]: run["values"] for run in experiments.results("toy")["runs"]}
        assert stored.items() <= now.items(), "a completed run was lost"
        tried = [int(seed) for seed in log.read_text().splitlines()[before:]]
        assert not set(tried) & set(stored), "a completed run was repeated"
        assert life > 0 or sorted(now) == [0, 1], (
            "the run whose writing was cut is not stored, the others are"
        )
        stored = now
    assert sorted(stored) == list(range(40))
    assert sorted(path.name for path in toy.parent.iterdir()) == ["toy.json", "toy.log"]


def test_the_progress_bar_is_silent_without_a_terminal(toy, capfd):
    assert cli.main(["reproduce", "toy"]) == 0
    out, err = capfd.readouterr()
    assert err == "" and out == "toy: 6 runs made, 6 stored\n"


def test_the_progress_bar_counts_the_runs_on_a_terminal(toy, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    experiments.reproduce("toy", runs=1, quiet=True)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert cli.main(["reproduce", "toy"]) == 0
    assert "4/4 runs" in sys.stderr.getvalue()


def test_control_c_says_how_to_go_on(toy, monkeypatch, capsys):
    monkeypatch.setitem(experiments.RECORDS, "toy", toy_with(interrupted_run))
    assert cli.main(["reproduce", "toy"]) == 130
    assert "marginbook reproduce toy" in capsys.readouterr().err


@pytest.mark.parametrize(
    "harm, says",
    [
        (lambda s: s.update(id="other"), "results of 'other'"),
        (lambda s: s.update(mean=1.0), "nothing else"),
        (lambda s: s["provenance"][0].pop("commit"), "must have blas, command, commit"),
        (lambda s: s["provenance"][0].update(data=[]), "data = .*wrong type"),
        (lambda s: s["runs"][0].pop("seed"), "must have part, seconds, seed, values"),
        (lambda s: s["parameters"]["loose"].update(margin=1.0), "other parameters"),
        (lambda s: s["runs"].append(s["runs"][0]), "not unique"),
        (lambda s: s["runs"].pop(), "runs are not those"),
        (lambda s: s["runs"][0]["values"].pop("errors"), "lacks"),
        (lambda s: s["runs"][0]["values"].update(errors=[1]), "needs 2 numbers"),
        (lambda s: s["runs"][0]["values"].update(errors=["1", 2.0]), "not a list of numbers"),
    ],
)
def test_a_file_of_another_form_is_refused(toy, harm, says):
    experiments.reproduce("toy", quiet=True)
    stored = json.loads(toy.read_text())
    harm(stored)
    toy.write_text(json.dumps(stored))
    with pytest.raises(ValueError, match=says):
        experiments.results("toy")


def test_a_file_that_is_not_json_is_refused_by_name(toy):
    toy.write_text('{"id": "toy"')
    with pytest.raises(ValueError, match="toy.json is not JSON"):
        experiments.results("toy")


ERROR = Published("r", "c", "2.00", "error", "p", "s")
COUNT = Published("r", "c", "1000", "count", "p", "s")
MARGIN = Published("r", "c", "0.8441", "margin", "p", "s")
ABOUT = Published("r", "c", "0.4", "about", "p", "s")
CLAIM = Published("r", "c", "holds", "claim", "p", "s")


@pytest.mark.parametrize(
    "cell, ours, verdict",
    [
        (ERROR, [2.10], "reproduced"),
        (ERROR, [2.11], "close"),
        (ERROR, [1.80], "close"),
        (ERROR, [2.21], "differs"),
        (ERROR, [2.0, 2.4], "reproduced"),  # mean 2.2, standard error 0.2
        (ERROR._replace(scale=0.01), [210], "reproduced"),
        (COUNT, [1050], "reproduced"),
        (COUNT, [1051], "close"),
        (COUNT, [899], "differs"),
        (COUNT._replace(tolerance=0.02), [1021], "close"),
        (COUNT, [], "not run"),
        (COUNT._replace(kind="seconds"), [1000], "not comparable"),
        (COUNT._replace(kind="quoted"), [], "not comparable"),
        (MARGIN, [0.8483], "reproduced"),
        (MARGIN, [0.8484], "close"),
        (MARGIN, [0.8355], "differs"),
        (MARGIN._replace(value="0.8"), [0.85], "reproduced"),  # 0.85 prints as 0.8 or 0.9
        (ABOUT, [0.5], "reproduced"),
        (ABOUT, [0.2], "close"),
        (ABOUT, [0.61], "differs"),
        (ABOUT._replace(kind="bound"), [0.1], "reproduced"),
        (ABOUT._replace(kind="bound"), [0.55], "close"),
        (CLAIM, [1, 1], "reproduced"),
        (CLAIM, [1] * 9 + [0], "close"),
        (CLAIM, [1, 0], "differs"),
    ],
)
def test_verdicts_follow_their_rule(cell, ours, verdict):
    assert compare_cell(cell, ours).verdict == verdict


def test_a_difference_without_a_reason_is_called_unexplained():
    assert compare_cell(ERROR, [3.0]).reason == "unexplained"
    assert compare_cell(ERROR._replace(reason="another order"), [3.0]).reason == "another order"
    assert compare_cell(ERROR._replace(reason="another order"), [2.0]).reason == ""


def test_a_record_without_results_is_not_run_but_for_what_is_only_quoted(toy, capsys):
    assert [row.verdict for row in experiments.compare("toy").rows] == ["not run"] * 4 + [
        "not comparable",
        "not run",
    ]
    assert cli.main(["compare", "toy"]) == 0
    assert "1 not comparable, 5 not run" in capsys.readouterr().out


def test_compare_prints_every_cell_with_its_verdict(toy, capsys):
    experiments.reproduce("toy", quiet=True)
    assert cli.main(["compare", "toy"]) == 0
    out = capsys.readouterr().out
    assert "1.01" in out and "reproduced" in out and "differs: unexplained" in out
    assert "(ratio 2, ours 0.5)" in out  # 4 s over 2 s printed; means of 1.0 s and 2.0 s measured
    assert cli.main(["compare", "toy", "--readings"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4


@pytest.mark.parametrize("name", NAMES)
def test_a_record_is_described_with_each_of_its_choices(name):
    record, shown = experiments.record(name), experiments.describe(name)
    for text in str(shown), shown._repr_markdown_():
        assert record.protocol in text and all(choice in text for choice in record.choices.values())


def test_the_scoreboard_counts_every_cell_once(toy, monkeypatch, capsys):
    experiments.reproduce("toy", quiet=True)
    monkeypatch.setattr(experiments, "RECORDS", {"toy": TOY})
    board = experiments.scoreboard()
    assert list(board.total().values()) == [2, 0, 1, 3, 0] and board.share() == 2 / 3
    assert cli.main(["compare", "all"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["all", "2", "0", "1", "3", "0"]


@pytest.mark.parametrize("name", NAMES)
def test_stored_results_are_complete(name):
    table, stored = experiments.record(name), experiments.results(name)
    wanted = {
        (part, seed) for part, p in table.parts.items() if "covertype" not in p.data for seed in range(p.runs)
    }
    assert wanted <= {(run["part"], run["seed"]) for run in stored["runs"]}
    for session in stored["provenance"]:
        assert session["command"].startswith("marginbook reproduce")
        assert session["commit"] and not session["commit"].endswith("dirty")


def test_a_record_may_borrow_a_part_of_another(toy, monkeypatch):
    cells = (Published("a", "1", "1.01", "error", "same", "errors", 0, 0.01),)
    debtor = TOY._replace(
        id="debtor", parts={}, borrows={"same": ("toy", "loose")}, cells=cells, readings=(), derive=None
    )
    monkeypatch.setitem(experiments.RECORDS, "debtor", debtor)
    assert experiments.compare("debtor").counts() == {"not run": 1}
    experiments.reproduce("toy", quiet=True)
    assert experiments.compare("debtor").rows == experiments.compare("toy").rows[:1]


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_addresses_a_part(name):
    record = experiments.record(name)
    for owner, lent in record.borrows.values():
        assert lent in experiments.record(owner).parts
    parts = {*record.parts, *record.borrows, DERIVED}
    assert {cell.part for cell in record.cells + record.readings if cell.kind != "quoted"} <= parts
    assert {cell.kind for cell in record.cells + record.readings} <= KINDS.keys()


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_of_a_record_is_another(name):
    cells = experiments.record(name).cells
    assert len({(cell.row, cell.column) for cell in cells}) == len(cells)


def test_the_readme_has_the_totals():
    total = experiments.scoreboard().total()
    counts = ", ".join(f"{number} {verdict}" for verdict, number in total.items())
    words = " ".join((Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8").split())
    assert f"{sum(total.values())} published numbers have a verdict: {counts}." in words


def test_curves_of_errors_are_the_means_of_the_table():
    """And a row without errors is refused."""
    rows = ["ROMMA", "agg-ROMMA"]
    drawn = experiments.draw_errors("li-long-table-1", rows, Figure().subplots())
    table = {(row.row, row.column): row for row in experiments.compare("li-long-table-1").rows}
    for label in rows:
        cells = [table[label, f"T = {epoch}, Err"] for epoch in range(1, 5)]
        np.testing.assert_allclose(drawn[label]["mean"], [cell.ours for cell in cells])
        np.testing.assert_allclose(drawn[label]["published"], [float(cell.published) for cell in cells])
    with pytest.raises(ValueError, match="no errors of PUMMA"):
        experiments.draw_errors("li-long-table-1", ["PUMMA"])


def test_nearly_all_that_can_be_compared_is_reproduced_or_close():
    assert experiments.scoreboard().share() >= 0.85


@pytest.mark.parametrize("name", RUN)
def test_a_run_gives_the_stored_numbers_again(name):
    """The cheapest parts of a record, five seconds of them; one at least, where that takes under twenty."""
    least = min(run["seconds"] for run in experiments.results(name)["runs"])
    within = max(5.0, least) if least < 20.0 else 0.0
    assert experiments.check(name, within=within, quiet=True) == []


def test_a_check_tells_what_has_changed(toy, monkeypatch, capsys):
    experiments.reproduce("toy", quiet=True)
    before = toy.read_bytes()
    assert cli.main(["reproduce", "toy", "--check"]) == 0
    monkeypatch.setitem(experiments.RECORDS, "toy", toy_with(other_run))
    assert experiments.check("toy", within=-1.0, quiet=True) == []
    capsys.readouterr()
    assert cli.main(["reproduce", "toy", "--check", "--only", "toy/loose"]) == 1
    assert capsys.readouterr().out == "toy, loose, seed 0: errors was [100, 90], is [100, 91]\n"
    assert toy.read_bytes() == before


@pytest.mark.data("mnist")
@pytest.mark.parametrize("name, part", [("li-long-table-1", "percep"), ("li-long-table-1", "ROMMA")])
def test_an_epoch_on_mnist_gives_the_first_of_the_stored_integers(name, part):
    stored = next(run for run in experiments.results(name)["runs"] if run["part"] == part)
    again = experiments.run_once(name, part, stored["seed"], max_iter=1)
    assert again == {series: numbers[:1] for series, numbers in stored["values"].items()}


@pytest.mark.data("mnist", "usps")
def test_stored_results_used_the_data_at_hand():
    for name in NAMES:
        for session in experiments.results(name)["provenance"]:
            for used, sums in session["data"].items():
                if data.available(used):
                    assert sums == data.checksums(used)


def test_results_are_found_in_a_checkout_and_in_the_cache_without_one(monkeypatch, tmp_path):
    monkeypatch.delenv("MARGINBOOK_RESULTS", raising=False)
    assert store.folder().parts[-2:] == ("book", "results")
    monkeypatch.setattr(store, "PROJECT", tmp_path)
    assert store.folder().name == "results" and tmp_path not in store.folder().parents
    assert store.session((), "marginbook reproduce toy")["commit"] is None

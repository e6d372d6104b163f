"""The runner loses nothing, the store keeps its form, verdicts follow their rule, stored integers recur."""

import io
import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from marginbook import cli, experiments
from marginbook.experiments import store
from marginbook.experiments.record import Published, Record
from marginbook.experiments.verdicts import compare_cell

TABLES = experiments.names()


def toy_run(seed, epochs=2):
    return {"errors": [100 + seed, 90 + seed][:epochs]}


TOY = Record(
    id="toy",
    paper="none",
    title="A toy",
    protocol="counts",
    choices={},
    data=(),
    parameters={"margin": 0.5},
    run=toy_run,
    runs=4,
    epochs=2,
    scale={"errors": 0.01},
    cells=(
        Published("a", "1", "1.01", "error", "errors", 0),
        Published("a", "2", "0.50", "error", "errors", 1),
    ),
)


@pytest.fixture
def toy(monkeypatch, tmp_path):
    monkeypatch.setenv("MARGINBOOK_RESULTS", str(tmp_path))
    monkeypatch.setitem(experiments.RECORDS, "toy", TOY)
    return tmp_path / "toy.json"


def test_a_second_call_runs_only_what_is_missing(toy):
    assert experiments.reproduce("toy", runs=2, quiet=True) == 2
    assert experiments.reproduce("toy", quiet=True) == 2
    assert experiments.reproduce("toy", quiet=True) == 0
    stored = experiments.results("toy")
    assert [run["seed"] for run in stored["runs"]] == [0, 1, 2, 3]
    assert [session["seeds"] for session in stored["provenance"]] == [[0, 1], [2, 3]]


def test_without_resuming_the_first_new_run_replaces_the_stored_ones(toy, monkeypatch):
    experiments.reproduce("toy", quiet=True)
    assert experiments.reproduce("toy", runs=1, resume=False, quiet=True) == 1
    assert len(experiments.results("toy")["runs"]) == 1

    def absent(seed, epochs):
        raise FileNotFoundError("no data")

    monkeypatch.setitem(experiments.RECORDS, "toy", TOY._replace(run=absent))
    with pytest.raises(FileNotFoundError):
        experiments.reproduce("toy", resume=False, quiet=True)
    assert len(experiments.results("toy")["runs"]) == 1


def test_processes_give_the_same_runs_as_none(toy):
    experiments.reproduce("toy", quiet=True)
    alone = experiments.results("toy")["runs"]
    experiments.reproduce("toy", jobs=2, resume=False, quiet=True)
    together = experiments.results("toy")["runs"]
    assert [(r["seed"], r["values"]) for r in alone] == [(r["seed"], r["values"]) for r in together]


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
    experiments.reproduce("toy", runs=2, quiet=True)
    before = experiments.results("toy")["runs"]

    def dies(seed, epochs):
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setitem(experiments.RECORDS, "toy", TOY._replace(run=dies))
    assert cli.main(["reproduce", "toy", "--jobs", "2"]) == 1
    assert experiments.results("toy")["runs"] == before
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 1 and "`marginbook reproduce toy`" in errors[0]


KILLED = """
import os, signal, sys, time
sys.path.insert(0, {tests!r})
from marginbook import cli, experiments
from test_experiments import TOY, toy_run

def slow(seed, epochs):
    time.sleep(0.03)
    with open({log!r}, "a") as log:
        log.write(f"{{seed}}\\n")
    return toy_run(seed, epochs)

def deadly(partial, file):
    global replaced
    replaced += 1
    if replaced == {fatal}:
        os.kill(os.getpid(), signal.SIGKILL)
    replace(partial, file)

replace, os.replace, replaced = os.replace, deadly, 0
experiments.RECORDS["toy"] = TOY._replace(run=slow, runs=40)
sys.exit(cli.main(["reproduce", "toy"]))
"""


def test_a_kill_at_any_moment_loses_and_repeats_no_completed_run(toy):
    log, clock = toy.with_suffix(".log"), random.Random(0)
    log.touch()
    stored = {}
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
    assert err == "" and out == "toy: 4 runs made, 4 stored\n"


def test_the_progress_bar_counts_the_runs_on_a_terminal(toy, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    experiments.reproduce("toy", runs=1, quiet=True)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert cli.main(["reproduce", "toy"]) == 0
    assert "4/4" in sys.stderr.getvalue()


def test_control_c_says_how_to_go_on(toy, monkeypatch, capsys):
    def interrupted(seed, epochs):
        raise KeyboardInterrupt

    monkeypatch.setitem(experiments.RECORDS, "toy", TOY._replace(run=interrupted))
    assert cli.main(["reproduce", "toy"]) == 130
    assert "marginbook reproduce toy" in capsys.readouterr().err


@pytest.mark.parametrize(
    "harm, says",
    [
        (lambda s: s.update(id="other"), "results of 'other'"),
        (lambda s: s.update(mean=1.0), "nothing else"),
        (lambda s: s["provenance"][0].pop("commit"), "must have blas, command, commit"),
        (lambda s: s["provenance"][0].update(data=[]), "data = .*wrong type"),
        (lambda s: s["runs"][0].pop("seed"), "must have seconds, seed, values"),
        (lambda s: s["parameters"].update(margin=1.0), "other parameters"),
        (lambda s: s["runs"].append(s["runs"][0]), "not unique"),
        (lambda s: s["runs"].pop(), "seeds are not those"),
        (lambda s: s["runs"][0]["values"].pop("errors"), "lacks"),
        (lambda s: s["runs"][0]["values"].update(errors=[1]), "2 integers"),
        (lambda s: s["runs"][0]["values"].update(errors=[1.0, 2.0]), "2 integers"),
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


ERROR = Published("r", "c", "2.00", "error", "s", 0)
COUNT = Published("r", "c", "1000", "count", "s", 0)


@pytest.mark.parametrize(
    "cell, ours, verdict",
    [
        (ERROR, [2.10], "reproduced"),
        (ERROR, [2.11], "close"),
        (ERROR, [1.80], "close"),
        (ERROR, [2.21], "differs"),
        (ERROR, [2.0, 2.4], "reproduced"),  # mean 2.2, standard error 0.2
        (COUNT, [1050], "reproduced"),
        (COUNT, [1051], "close"),
        (COUNT, [899], "differs"),
        (COUNT._replace(tolerance=0.02), [1021], "close"),
        (COUNT, [], "not run"),
        (COUNT._replace(kind="seconds"), [1000], "not comparable"),
    ],
)
def test_verdicts_follow_their_rule(cell, ours, verdict):
    assert compare_cell(cell, ours).verdict == verdict


def test_a_table_without_results_is_not_run(toy, capsys):
    assert {row.verdict for row in experiments.compare("toy")} == {"not run"}
    assert cli.main(["compare", "toy"]) == 0
    assert "2 not run" in capsys.readouterr().out


def test_compare_prints_every_cell_with_its_verdict(toy, capsys):
    experiments.reproduce("toy", quiet=True)
    assert cli.main(["compare", "toy"]) == 0
    out = capsys.readouterr().out
    assert "1.01" in out and "reproduced" in out and "differs" in out


@pytest.mark.parametrize("name", TABLES)
def test_stored_results_are_complete(name):
    table, stored = experiments.record(name), experiments.results(name)
    assert len(stored["runs"]) == table.runs
    assert all(session["command"].startswith("marginbook reproduce") for session in stored["provenance"])


@pytest.mark.parametrize("name", TABLES)
def test_every_published_cell_is_reproduced(name):
    assert {row.verdict for row in experiments.compare(name)} == {"reproduced"}


def test_li_long_means_are_within_the_margins_asked_for():
    for series, printed in ("last", [2.84, 2.27, 1.99, 1.85]), ("voted", [2.26, 1.88, 1.76, 1.69]):
        mean = experiments.values("li-long-table-1", series).mean(axis=0)
        assert np.abs(mean - printed).max() <= 0.10
    mistakes = experiments.values("li-long-table-1", "mistakes").mean(axis=0)
    np.testing.assert_allclose(mistakes, [7970, 10539, 11945, 12800], rtol=0.02)


@pytest.mark.data("mnist")
@pytest.mark.parametrize("name, epochs", [("li-long-table-1", None), ("gentile-table-1", 1)])
def test_a_run_gives_the_stored_integers_again(name, epochs):
    stored = experiments.results(name)["runs"][0]
    again = experiments.run_once(name, stored["seed"], epochs)
    assert again == {series: ints[:epochs] for series, ints in stored["values"].items()}


@pytest.mark.data("mnist")
def test_stored_results_used_the_data_at_hand():
    from marginbook import data

    for name in TABLES:
        for session in experiments.results(name)["provenance"]:
            assert session["data"] == {"mnist": data.checksums("mnist")}


def test_results_are_found_in_a_checkout_and_in_the_cache_without_one(monkeypatch, tmp_path):
    monkeypatch.delenv("MARGINBOOK_RESULTS", raising=False)
    assert store.folder().parts[-2:] == ("book", "results")
    monkeypatch.setattr(store, "PROJECT", tmp_path)
    assert store.folder().name == "results" and tmp_path not in store.folder().parents
    assert store.session(TOY, "marginbook reproduce toy")["commit"] is None

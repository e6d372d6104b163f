"""The runner loses nothing, the store keeps its form, verdicts follow their rule, stored integers recur."""

import json
import os
import random
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


def test_fresh_forgets_the_stored_runs(toy):
    experiments.reproduce("toy", quiet=True)
    assert experiments.reproduce("toy", runs=1, fresh=True, quiet=True) == 1
    assert len(experiments.results("toy")["runs"]) == 1


def test_processes_give_the_same_runs_as_none(toy):
    experiments.reproduce("toy", quiet=True)
    alone = experiments.results("toy")["runs"]
    experiments.reproduce("toy", jobs=2, fresh=True, quiet=True)
    together = experiments.results("toy")["runs"]
    assert [(r["seed"], r["values"]) for r in alone] == [(r["seed"], r["values"]) for r in together]


def test_a_full_disk_leaves_the_old_results(toy, monkeypatch):
    experiments.reproduce("toy", runs=1, quiet=True)
    before = toy.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        experiments.reproduce("toy", quiet=True)
    assert toy.read_bytes() == before
    assert list(toy.parent.iterdir()) == [toy]


KILLED = """
import sys, time
sys.path.insert(0, {tests!r})
from marginbook import cli, experiments
from test_experiments import TOY, toy_run

def slow(seed, epochs):
    time.sleep(0.03)
    with open({log!r}, "a") as log:
        log.write(f"{{seed}}\\n")
    return toy_run(seed, epochs)

experiments.RECORDS["toy"] = TOY._replace(run=slow, runs=25)
sys.exit(cli.main(["reproduce", "toy"]))
"""


def test_a_kill_at_any_moment_loses_and_repeats_no_completed_run(toy):
    log, clock = toy.with_suffix(".log"), random.Random(0)
    code = KILLED.format(tests=os.path.dirname(__file__), log=str(log))
    stored, kills = {}, 0
    for _ in range(60):
        tried_before = len(log.read_text().splitlines()) if log.exists() else 0
        child = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        begun = time.monotonic()
        while not log.exists() or len(log.read_text().splitlines()) == tried_before:
            if child.poll() is not None or time.monotonic() - begun > 60:
                break
            time.sleep(0.005)
        try:
            child.wait(clock.uniform(0.0, 0.25) if kills < 3 else None)
        except subprocess.TimeoutExpired:
            child.kill()
            kills += 1
        errors = child.communicate()[1].decode()
        now = {run["seed"]: run["values"] for run in experiments.results("toy")["runs"]}
        assert stored.items() <= now.items(), "a completed run was lost"
        tried = [int(seed) for seed in log.read_text().splitlines()[tried_before:]]
        assert not set(tried) & set(stored), "a completed run was repeated"
        stored = now
        if child.returncode == 0:
            break
        assert child.returncode == -9, errors
    assert kills == 3 and sorted(stored) == list(range(25))


def test_the_progress_bar_is_silent_without_a_terminal(toy, capfd):
    assert cli.main(["reproduce", "toy"]) == 0
    out, err = capfd.readouterr()
    assert err == "" and out == "toy: 4 runs made, 4 stored\n"


def test_control_c_says_how_to_go_on(toy, monkeypatch, capsys):
    def interrupted(seed, epochs):
        raise KeyboardInterrupt

    monkeypatch.setitem(experiments.RECORDS, "toy", TOY._replace(run=interrupted))
    assert cli.main(["reproduce", "toy"]) == 130
    assert "marginbook reproduce toy" in capsys.readouterr().err


@pytest.mark.parametrize(
    "harm, says",
    [
        (lambda s: s.update(id="other"), "not a file of results"),
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

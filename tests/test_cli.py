"""The command line: what it prints, and how it ends."""

import pytest

from marginbook import __version__, cli, data


def run(capsys, *argv):
    code = cli.main(argv)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_data_list_names_every_data_set(capsys):
    code, out, _ = run(capsys, "data", "list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == data.names()


def test_data_where_says_where_to_put_an_absent_file(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("MARGINBOOK_DATA", str(tmp_path))
    monkeypatch.setattr(data.files, "cache_folder", lambda: tmp_path / "cache")
    code, out, _ = run(capsys, "data", "where", "mnist")
    assert code == 0
    assert len(out.splitlines()) == 4 and all(line.startswith("absent: put ") for line in out.splitlines())


def test_data_fetch_offline_is_one_line_and_code_1(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("MARGINBOOK_DATA", str(tmp_path))
    monkeypatch.setenv("MARGINBOOK_OFFLINE", "1")
    monkeypatch.setattr(data.files, "cache_folder", lambda: tmp_path / "cache")
    code, out, err = run(capsys, "data", "fetch", "mnist")
    assert code == 1 and out == ""
    assert len(err.splitlines()) == 1 and "train-images" in err


@pytest.mark.parametrize("argv", [("data", "where", "nist"), ("reproduce", "table"), ("compare", "table")])
def test_an_unknown_name_is_one_line_and_code_1(capsys, argv):
    code, _, err = run(capsys, *argv)
    assert code == 1 and len(err.splitlines()) == 1 and repr(argv[-1]) in err


@pytest.mark.parametrize("argv", [(), ("data",), ("reproduce",), ("reproduce", "x", "--runs", "0")])
def test_wrong_usage_is_code_2(capsys, argv):
    with pytest.raises(SystemExit) as ended:
        cli.main(argv)
    assert ended.value.code == 2
    assert "usage: marginbook" in capsys.readouterr().err


def test_version_is_the_packages(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0 and capsys.readouterr().out.strip() == __version__

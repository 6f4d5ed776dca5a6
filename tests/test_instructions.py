"""What the check of instruction counts says and how it ends, without counting any."""

import sys
from pathlib import Path

import msgspec
import pytest

from benchmarks import instructions
from benchmarks.instructions import (
    WORKLOADS,
    Figures,
    NotMeasured,
    all_stored,
    build,
    growths,
    hints,
    main,
    markdown,
    per_operation,
)

STORED = {"call": 1000}
TOLD = """\
==7== Cachegrind, a cache and branch-prediction profiler
==8== I   refs:      817,660,482
==9== I refs:        854,437,948
==7== I   refs:      800,000,000
"""


@pytest.fixture
def figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "instructions.json"
    monkeypatch.setattr(instructions, "_STORED", path)
    return path


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """What is counted, instead of what valgrind would."""
    found = dict.fromkeys(WORKLOADS, 1000)
    monkeypatch.setattr("shutil.which", lambda _name: "valgrind")
    monkeypatch.setattr(instructions, "measure", lambda _valgrind: found)
    return found


@pytest.mark.parametrize(
    ("found", "has_grown", "hint"),
    [
        ({"call": 1101}, True, None),
        ({"call": 1100}, False, None),
        ({"call": 1000}, False, None),
        ({"call": 900}, False, None),
        ({"call": 899}, False, "fewer"),
        ({"call": 1000, "list": 1}, False, "no figure is stored"),
    ],
)
def test_more_than_a_tenth_counts(found: Figures, has_grown: bool, hint: str | None) -> None:
    assert bool(growths(found, STORED)) is has_grown
    said = hints(found, STORED)
    assert len(said) == (hint is not None)
    assert all(str(hint) in each for each in said)


def test_a_growth_says_what_to_do() -> None:
    assert growths({"call": 1234}, STORED) == [
        "call: 1,234 instructions per operation, 23.4% more than the 1,000 stored; make it "
        "cheaper, or accept it in the same commit: python -m benchmarks.instructions --store"
    ]


def test_a_shrink_says_how_to_keep_it() -> None:
    assert hints({"call": 500}, STORED) == [
        "call: 500 instructions per operation, 50.0% fewer than the 1,000 stored; to hold it "
        "there: python -m benchmarks.instructions --store"
    ]


def test_the_table_has_what_is_stored_where_something_is() -> None:
    assert markdown({"call": 1500, "list": 20_000}, STORED).splitlines()[2:] == [
        "| call | 1,500 | 1,000 | 1.500 |",
        "| list | 20,000 | | |",
    ]


def test_the_count_of_an_operation_is_what_the_forks_differ_by() -> None:
    assert per_operation(TOLD) == 36_777


def test_other_output_than_of_three_processes_is_no_count() -> None:
    with pytest.raises(NotMeasured, match="two forks"):
        per_operation("==8== I   refs:      817,660,482\n")


def test_a_build_is_named_in_one_line() -> None:
    assert build("3.11.7 (main) \n[GCC 12.2.0]", "x86_64") == "3.11.7 (main) [GCC 12.2.0], x86_64"
    assert "\n" not in build(sys.version)


def test_what_is_stored_is_of_the_workloads() -> None:
    for stored in all_stored().values():
        assert set(stored) <= set(WORKLOADS)


def test_a_growth_fails_the_check_until_it_is_stored(
    figures: Path, counts: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    figures.write_bytes(msgspec.json.encode({"another build": {"call": 1}}))
    assert main(["--store"]) == 0
    assert main(["--check"]) == 0
    counts["list of 100 tools"] = 1101
    assert main([]) == 0
    capsys.readouterr()
    assert main(["--check"]) == 1
    assert capsys.readouterr().err.startswith("has grown: list of 100 tools: 1,101 ")
    assert main(["--store"]) == 0
    assert main(["--check"]) == 0
    assert set(all_stored()) == {"another build", build()}


@pytest.mark.usefixtures("figures", "counts")
def test_a_build_without_figures_is_told_how_to_store_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--check"]) == 0
    told = capsys.readouterr().err
    assert told.startswith("skipped: ")
    assert build() in told
    assert "--store" in told


@pytest.mark.usefixtures("counts")
def test_figures_that_cannot_be_read_are_no_figures(
    figures: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures.write_text("<<<<<<< ours")
    assert main(["--check"]) == 2
    assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(("arguments", "status"), [(["--check"], 0), ([], 2), (["--store"], 2)])
def test_without_valgrind_only_the_check_passes(
    arguments: list[str],
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    assert main(arguments) == status
    assert capsys.readouterr().err.startswith("skipped: " if status == 0 else "valgrind is not")

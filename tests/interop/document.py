"""The table of docs/clients.md, made of the matrix that the tests cover.

`python -m tests.interop.document` writes it into the page anew.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Final

from tests.interop.features import FEATURES, Feature
from tests.interop.matrix import CLIENTS, GAPS, TRANSPORTS, Client, gap, is_offered

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "clients.md"
BEGIN, END = "<!-- made by python -m tests.interop.document -->\n", "<!-- end -->\n"


def made() -> str:
    """The part of the page that is made: what is tested of what, and why some things are not."""
    reasons = list(dict.fromkeys(found.reason for found in GAPS))
    heads = [f"`{client.library}` {version(client.library)}<br>{client.era}" for client in CLIENTS]
    rows = [
        ["", *heads],
        ["---" for _ in range(len(CLIENTS) + 1)],
        *([feature.title, *cells_of(feature, reasons)] for feature in FEATURES),
    ]
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return table + "\n" + "".join(f"{n}. {reason}\n" for n, reason in enumerate(reasons, 1))


def cells_of(feature: Feature, reasons: list[str]) -> list[str]:
    """The cells of a row: what is tested with each client."""
    return [cell(feature, client, reasons) for client in CLIENTS]


def cell(feature: Feature, client: Client, reasons: list[str]) -> str:
    """The transports that are tested; or the number of the reason why none is; or a dash."""
    offered = [transport for transport in TRANSPORTS if is_offered(feature, client, transport)]
    found = gap(feature, client)
    if offered and found is not None:
        return f"no ({reasons.index(found.reason) + 1})"
    return ", ".join(offered) or "-"


def version(library: str) -> str:
    """The version of a client that is tested: for npm exactly, for Python that or a later one."""
    packages = json.loads((ROOT / "tests/interop/package.json").read_text())["dependencies"]
    if library in packages:
        exact: str = packages[library]
        return exact
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (least,) = (
        found[1]
        for needed in project["optional-dependencies"]["dev"]
        if (found := re.fullmatch(rf"{library}>=(.+)", needed))
    )
    return least


def parts() -> tuple[str, str, str]:
    """The page: before what is made, that, and after it."""
    before, begin, rest = PAGE.read_text().partition(BEGIN)
    middle, end, after = rest.partition(END)
    return before + begin, middle, end + after


if __name__ == "__main__":
    before, _, after = parts()
    PAGE.write_text(f"{before}{made()}{after}")

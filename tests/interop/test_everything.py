"""Every feature of examples/everything.py, with each client, over each transport, in each era."""

from __future__ import annotations

from functools import cache

import pytest

from tests.interop import document
from tests.interop.drive import as_text
from tests.interop.features import FEATURES, Feature, Transport
from tests.interop.matrix import CLIENTS, GAPS, JSON, Client, cells, drive, expected


@cache
def outcomes(client: Client, transport: Transport) -> dict[str, JSON]:
    return drive(client, transport)


@pytest.mark.parametrize(("client", "transport", "feature"), list(cells()), ids=str)
def test_a_client_gets_what_the_server_offers(
    client: Client, transport: Transport, feature: Feature
) -> None:
    seen = outcomes(client, transport)[feature.name]
    assert as_text(seen) == as_text(expected(feature, client, transport))


def test_the_documented_table_is_what_the_tests_cover() -> None:
    _, shown, _ = document.parts()
    assert shown == document.made(), "run `python -m tests.interop.document`"


def test_what_a_client_lacks_is_of_a_client_and_a_feature_that_there_are() -> None:
    names = {feature.name for feature in FEATURES}
    assert len(names) == len(FEATURES)
    assert {gap.client for gap in GAPS} <= {client.name for client in CLIENTS}
    assert {name for gap in GAPS for name in gap.features} <= names

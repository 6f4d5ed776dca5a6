"""Every feature of examples/everything.py, with each client, over each transport, in each era."""

from __future__ import annotations

from functools import cache

import pytest

from tests.interop.drive import as_text
from tests.interop.features import Feature, Transport
from tests.interop.matrix import JSON, Client, cells, drive, expected


@cache
def outcomes(client: Client, transport: Transport) -> dict[str, JSON]:
    return drive(client, transport)


@pytest.mark.parametrize(("client", "transport", "feature"), list(cells()), ids=str)
def test_a_client_gets_what_the_server_offers(
    client: Client, transport: Transport, feature: Feature
) -> None:
    seen = outcomes(client, transport)[feature.name]
    assert as_text(seen) == as_text(expected(feature, client, transport))

"""Which hosts and origins a server answers to; pure.

A web page may make a browser send requests to a server on the user's machine or network. By the
`Origin` of a request such a page is known, unless its author makes a name of his own lead to the
server's address (DNS rebinding): then the `Host` is that name.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
"""

import functools
import ipaddress
import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from ._refusals import Refused

_AUTHORITY: Final = re.compile(
    r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+|\*\.[a-z0-9_.-]+))(?::([0-9]*))?"
)
_LOCAL: Final = "localhost"
_DEFAULT_PORTS: Final = {"http": "80", "https": "443", "ws": "80", "wss": "443"}


class Guard:
    """Refuses a request by its `Host` and its `Origin`.

    Allowed hosts are localhost, all IP addresses, which no page can rebind, and `hosts`. Allowed
    origins are that of the server itself and `origins`. In both, "*" allows all, and "*." before
    a name its subdomains; a port is compared where the setting has one.
    """

    def __init__(self, hosts: Sequence[str], origins: Sequence[str]) -> None:
        self._hosts = tuple(host.lower() for host in hosts)
        self._origins = tuple(origin.lower().rstrip("/") for origin in origins)
        self._complaint = functools.lru_cache(maxsize=256)(self._complaint_about)

    def check(self, headers: Mapping[str, str]) -> None:
        """Raise Refused (403) where a request with `headers` may not be served."""
        complaint = self._complaint(headers.get("host"), headers.get("origin"))
        if complaint is not None:
            raise Refused(403, f"Forbidden: {complaint}")

    def _complaint_about(self, host: str | None, origin: str | None) -> str | None:
        if "*" not in self._hosts:
            if host is None:
                return "the request has no Host header"
            if not self._allows_host(host):
                return f"the Host {host!r:.100} is not allowed; add it to allowed_hosts"
        if origin is None or self._allows_origin(origin, host):
            return None
        return f"the Origin {origin!r:.100} is not allowed; add it to allowed_origins"

    def _allows_host(self, host: str) -> bool:
        name, port = _name_and_port(host.lower())
        if name == _LOCAL or _is_address(name):
            return True
        return any(_fits(name, port, *_name_and_port(each)) for each in self._hosts)

    def _allows_origin(self, origin: str, host: str | None) -> bool:
        origin = origin.lower()
        if origin in self._origins or "*" in self._origins:
            return True
        scheme, separator, authority = origin.partition("://")
        if not separator:  # such as "null"
            return False
        name, port = _name_and_port(authority)
        default = _DEFAULT_PORTS.get(scheme, "")
        if host is not None and name:
            own_name, own_port = _name_and_port(host.lower())
            if (name, port or default) == (own_name, own_port or default):
                return True
        for each in self._origins:
            wanted_scheme, _, wanted = each.rpartition("://")
            if wanted_scheme == scheme and _fits(name, port, *_name_and_port(wanted)):
                return True
        return False


def _name_and_port(authority: str) -> tuple[str, str]:
    """Return the two parts of a host with or without a port; two empty ones of what is none."""
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None:
        return "", ""
    return parts[1] or parts[2], parts[3] or ""


def _fits(name: str, port: str, wanted: str, wanted_port: str) -> bool:
    if not name or (wanted_port and wanted_port != port):
        return False
    if wanted.startswith("*."):
        return name.endswith(wanted[1:]) and len(name) > len(wanted) - 1
    return name == wanted


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_origin(value: str) -> bool:
    """Tell whether `value` is an origin, as a browser sends it."""
    parts = urlsplit(value)
    return bool(parts.scheme and parts.netloc) and not (parts.path.strip("/") or parts.query)

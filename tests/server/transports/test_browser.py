"""Pages in a real browser: which of them may call a server, and read what it answers."""

from __future__ import annotations

import contextlib
import http.server
import json
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.server.support import PATIENCE_SECONDS, request
from tests.server.transports.test_http_process import Process, headers_of

BROWSER: Final = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="chromium is not installed: apt-get install chromium"
)

PAGE: Final = """<!doctype html><meta charset="utf-8"><script>
const [url, headers, message] = %s;
async function call() {
  try {
    const body = JSON.stringify(message);
    const answer = await fetch(url, {method: "POST", headers, body});
    return {status: answer.status, message: await answer.json()};
  } catch (error) {
    return {error: error.name};
  }
}
call().then(told => fetch("/told", {method: "POST", body: JSON.stringify(told)}));
</script>"""


class Site(http.server.ThreadingHTTPServer):
    """A web site with one page, which calls a server and tells what came of it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Visit)
        self.page = ""
        self.told: queue.Queue[Any] = queue.Queue()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Visit(http.server.BaseHTTPRequestHandler):
    """One request of the browser."""

    server: Site

    def do_GET(self) -> None:
        self._answer(self.server.page.encode())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self._answer(b"")
        self.server.told.put(json.loads(body))

    def log_message(self, *_: Any) -> None:
        pass

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def site() -> Iterator[Site]:
    """A site, which is served."""
    with Site() as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@contextlib.contextmanager
def served(notes: Path, cors: str) -> Iterator[str]:
    """A server that lets pages of these origins read its answers; gives its URL."""
    server = Process(
        *("tests.server.transports.worker:app", "--port", "0"),
        module="uvicorn",
        SHOP_NOTES=str(notes),
        SHOP_CORS=cors,
        SHOP_KEY="k" * 32,
    )
    try:
        yield server.tells(".*Uvicorn running on (http://[0-9.:]+) .*")[1] + "/mcp"
    finally:
        server.kill()


def visited(site: Site, profile: Path, url: str) -> Any:
    """What the page is told by a browser that visits the site."""
    message = request(1, "tools/list")
    site.page = PAGE % json.dumps([url, headers_of(message), message])
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run")
    command = [str(BROWSER), *options, f"--user-data-dir={profile}", site.origin]
    with subprocess.Popen(
        [*command, "--remote-debugging-port=0"],  # so that it stays until it is killed
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as browser:
        try:
            return site.told.get(timeout=3 * PATIENCE_SECONDS)
        finally:
            browser.kill()


def test_a_page_of_an_allowed_origin_calls_the_server_and_reads_the_answer(
    site: Site, tmp_path: Path
) -> None:
    with served(tmp_path / "notes", site.origin) as url:
        told = visited(site, tmp_path / "profile", url)
    assert told["status"] == 200
    assert [tool["name"] for tool in told["message"]["result"]["tools"]] == ["buy", "sell"]


def test_a_page_of_another_origin_neither_calls_it_nor_reads_anything(
    site: Site, tmp_path: Path
) -> None:
    with served(tmp_path / "notes", "https://app.example.com") as url:
        told = visited(site, tmp_path / "profile", url)
    assert told == {"error": "TypeError"}

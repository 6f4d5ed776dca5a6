"""The tool on nothing but ASGI: parse the body, add, answer.

What a request costs here, the HTTP server and Python itself cost. It checks nothing.
"""

from typing import Any

from .floor import add, decode, encode


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer one request."""
    assert scope["type"] == "http"
    body = b""
    more = True
    while more:
        event = await receive()
        body += event["body"]
        more = event["more_body"]
    message = decode(body)
    answer = encode({"jsonrpc": "2.0", "id": message["id"], "result": add(message["params"])})
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})

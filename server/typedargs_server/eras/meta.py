"""The keys of `_meta` that the protocol reserves.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
"""

from typing import Final

PROTOCOL_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO: Final = "io.modelcontextprotocol/clientInfo"
CLIENT_CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL: Final = "io.modelcontextprotocol/logLevel"
SERVER_INFO: Final = "io.modelcontextprotocol/serverInfo"
PROGRESS_TOKEN: Final = "progressToken"
SUBSCRIPTION_ID: Final = "io.modelcontextprotocol/subscriptionId"

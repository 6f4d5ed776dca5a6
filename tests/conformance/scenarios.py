"""The scenarios that the everything-server is held to, by the revision at whose wire they run."""

from collections.abc import Mapping
from typing import Final

_BOTH: Final = (
    "completion-complete",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-progress",
    "server-sse-multiple-streams",
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
    "dns-rebinding-protection",
)

REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "2025-11-25": (
        *_BOTH,
        "server-initialize",
        "logging-set-level",
        "ping",
        "tools-call-with-logging",
        "tools-call-sampling",
        "tools-call-elicitation",
        "elicitation-sep1034-defaults",
        "elicitation-sep1330-enums",
        "resources-subscribe",
        "resources-unsubscribe",
    ),
    "2026-07-28": (
        *_BOTH,
        "server-stateless",
        "sep-2164-resource-not-found",
        "caching",
        "input-required-result-basic-elicitation",
        "input-required-result-basic-sampling",
        "input-required-result-basic-list-roots",
        "input-required-result-request-state",
        "input-required-result-multiple-input-requests",
        "input-required-result-multi-round",
        "input-required-result-missing-input-response",
        "input-required-result-non-tool-request",
        "input-required-result-result-type",
        "input-required-result-unsupported-methods",
        "input-required-result-tampered-state",
        "input-required-result-capability-check",
        "input-required-result-ignore-extra-params",
        "input-required-result-validate-input",
    ),
}
"""What conformance to a revision requires; the suite has the same lists, frozen."""

PENDING: Final[Mapping[str, tuple[str, ...]]] = {
    "2025-11-25": (
        "server-session-lifecycle",
        "json-schema-2020-12",
        "server-sse-polling",
    ),
    "2026-07-28": (
        "json-schema-2020-12",
        "http-header-validation",
        "http-custom-header-server-validation",
    ),
}
"""What the suite runs and does not count, and this server is held to nevertheless."""

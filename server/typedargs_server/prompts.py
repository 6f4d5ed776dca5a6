"""Prompts: the definition of one, and the forms of what its handler returns.

Source: https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
"""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from ._typed import Value, a_kind, typed
from .errors import InvalidParams
from .model import ContentBlock, Icon, Meta, present
from .registry import Registry, check_bounds, check_listable, check_name, check_taken
from .results import PromptMessage, PromptResult
from .schemas import ToolSchema
from .strings import check_flat, from_strings
from .work import Handler, UnfitResult


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class Prompt(Value):
    """A prompt as it was registered: what is published, and what runs.

    `input` is None where it takes no arguments. `timeout` is in seconds. `max_concurrency` bounds
    the runs of this prompt at once. `inline` runs a `def` handler on the event loop, which it must
    not block.
    """

    name: str
    description: str | None
    input: ToolSchema | None
    handler: Handler
    title: str | None = None
    icons: Sequence[Icon] = ()
    meta: Meta | None = None
    timeout: float | None = None
    max_concurrency: int | None = None
    inline: bool = False

    def __attrs_post_init__(self) -> None:
        check_name("prompt", self.name)
        check_bounds(self.label, self.timeout, self.max_concurrency)
        check_flat(self.label, self.schema)
        check_taken(self.label, self.handler.parameters, self.schema)
        check_listable(self.label, self, self.meta)

    @property
    def key(self) -> str:
        """Its name, by which it is got."""
        return self.name

    @property
    def label(self) -> str:
        """What it is called in logs and messages."""
        return f'prompt "{self.name}"'

    @property
    def schema(self) -> Mapping[str, Any]:
        """The schema of its arguments."""
        return {} if self.input is None else self.input.published

    def wire(self, *, objects_only: bool) -> dict[str, Any]:  # noqa: ARG002  # alike for all
        """Return the prompt as `prompts/list` gives it."""
        required = self.schema.get("required", ())
        arguments = [
            present(
                name=name,
                title=argument.get("title"),
                description=argument.get("description"),
                required=name in required,
            )
            for name, argument in self.schema.get("properties", {}).items()
        ]
        return present(
            name=self.name,
            title=self.title,
            description=self.description,
            arguments=arguments or None,
            icons=[icon.wire() for icon in self.icons] or None,
            _meta=dict(self.meta) if self.meta is not None else None,
        )

    def arguments(self, given: Mapping[str, Any]) -> Any:
        """Return what the handler gets for the arguments of a request; None where it gets none.

        Raises ValidationError where they do not fit, InvalidParams where one is no string.
        """
        for name, value in given.items():
            if not isinstance(value, str):
                raise InvalidParams(
                    f'the argument "{name[:80]}" of a prompt must be a string, got {value!r:.80}'
                )
        if self.input is None:
            return None
        published, aliases = self.input.published, self.input.aliases
        return self.input.structure(from_strings(given, published, aliases))

    def result(self, returned: Any) -> PromptResult:
        """Return what a handler returned as a result; raises UnfitResult where it is none."""
        if isinstance(returned, PromptResult):
            result = returned
        elif isinstance(returned, list | tuple):
            result = PromptResult([_message(item) for item in returned])
        else:
            result = PromptResult([_message(returned)])
        if result.description is None:
            return attrs.evolve(result, description=self.description)
        return result


class PromptRegistry(Registry[Prompt]):
    """The prompts by name, in the order of registration, and their listing in pages."""

    def __init__(self, page_size: int) -> None:
        super().__init__("prompt", page_size, listed_as="prompts")


def _message(returned: Any) -> PromptMessage:
    if isinstance(returned, PromptMessage):
        return returned
    if isinstance(returned, str | ContentBlock):
        return PromptMessage(returned)
    raise UnfitResult(
        f"it returned {a_kind(returned)}; return a str, a PromptMessage, a content block, "
        "a list of those, or a PromptResult"
    )

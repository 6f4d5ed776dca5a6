"""Resources and their templates: the definitions, and the forms of what a handler returns.

Source: https://modelcontextprotocol.io/specification/2026-07-28/server/resources
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import attrs

from typedargs import is_args_class

from . import jsonrpc
from ._typed import Value, a_kind, typed
from .errors import RegistrationError, ResourceNotFound
from .model import Annotations, CacheHints, Icon, Meta, present
from .registry import Registry, check_bounds, check_listable, check_taken
from .results import BlobResourceContents, ResourceContents, ResourceResult, TextResourceContents
from .schemas import ToolSchema
from .strings import check_flat, from_strings
from .uri_templates import UriTemplate, Variables
from .uris import MAX_URI_LENGTH, check_uri
from .values import plain
from .work import Handler, UnfitResult

TEXT: Final = "text/plain"
BYTES: Final = "application/octet-stream"
JSON: Final = "application/json"


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class Resource(Value):
    """A resource at one URI: what is published, and what reads it.

    `size` is in bytes. `cache` says how long, and for whom, clients may keep what they have read;
    the server's own hints where it is None. `timeout` is in seconds. `max_concurrency` bounds the
    readings of this resource at once. `inline` runs a `def` handler on the event loop, which it
    must not block.
    """

    uri: str
    name: str
    description: str | None
    handler: Handler
    title: str | None = None
    mime_type: str | None = None
    annotations: Annotations | None = None
    size: int | None = None
    icons: Sequence[Icon] = ()
    meta: Meta | None = None
    cache: CacheHints | None = None
    timeout: float | None = None
    max_concurrency: int | None = None
    inline: bool = False

    def __attrs_post_init__(self) -> None:
        check_uri(self.uri, self.label)
        check_bounds(self.label, self.timeout, self.max_concurrency)
        if self.size is not None and self.size < 0:
            raise RegistrationError(f"{self.label}: size must be at least 0 bytes")
        check_listable(self.label, self, self.meta)

    @property
    def key(self) -> str:
        """Its URI, by which it is read."""
        return self.uri

    @property
    def label(self) -> str:
        """What it is called in logs and messages."""
        return f'resource "{self.uri[:MAX_URI_LENGTH]}"'

    def wire(self, *, objects_only: bool) -> dict[str, Any]:  # noqa: ARG002  # alike for all
        """Return the resource as `resources/list` gives it."""
        return present(uri=self.uri, **_shown(self), size=self.size)

    def arguments(self, _variables: None) -> None:
        """Return what the handler gets: nothing."""

    def result(self, returned: Any) -> ResourceResult:
        """Return what a handler returned as a result; raises UnfitResult where it is none."""
        return _result(returned, self.mime_type)


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class ResourceTemplate(Value):
    """The resources at all URIs that a template of RFC 6570 gives.

    `input` types the variables of the template by a class; without one they are a dict of strings.
    A variable that it does not require may be left out of a URI, as any of a query may. For the
    rest see `Resource`.
    """

    uri_template: str
    name: str
    description: str | None
    input: ToolSchema | None
    handler: Handler
    title: str | None = None
    mime_type: str | None = None
    annotations: Annotations | None = None
    icons: Sequence[Icon] = ()
    meta: Meta | None = None
    cache: CacheHints | None = None
    timeout: float | None = None
    max_concurrency: int | None = None
    inline: bool = False
    _template: UriTemplate = attrs.field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        optional = set(self.schema.get("properties", {})) - set(self.schema.get("required", ()))
        template = UriTemplate(self.uri_template, self.label, optional)
        object.__setattr__(self, "_template", template)
        check_bounds(self.label, self.timeout, self.max_concurrency)
        self._check_variables()
        check_taken(self.label, self.handler.parameters, self.schema)
        check_listable(self.label, self, self.meta)

    @property
    def key(self) -> str:
        """Its template, by which it is told from the others."""
        return self.uri_template

    @property
    def label(self) -> str:
        """What it is called in logs and messages."""
        return f'resource template "{self.uri_template[:MAX_URI_LENGTH]}"'

    @property
    def schema(self) -> Mapping[str, Any]:
        """The schema of its variables; empty where no class types them."""
        return {} if self.input is None else self.input.published

    @property
    def variables(self) -> Sequence[str]:
        """The names of its variables, in their order."""
        return self._template.variables

    def wire(self, *, objects_only: bool) -> dict[str, Any]:  # noqa: ARG002  # alike for all
        """Return the template as `resources/templates/list` gives it."""
        return {"uriTemplate": self.uri_template, **_shown(self)}

    def match(self, uri: str) -> Variables | None:
        """Return the variables that give `uri`, decoded, or None where none do."""
        return self._template.match(uri)

    def expand(self, variables: Variables) -> str:
        """Return the URI of `variables`."""
        return self._template.expand(variables)

    def arguments(self, variables: Variables) -> Any:
        """Return what the handler gets for the variables of a URI.

        Raises ValidationError where they do not fit the class.
        """
        if self.input is None:
            return dict(variables)
        published, aliases = self.input.published, self.input.aliases
        return self.input.structure(from_strings(variables, published, aliases))

    def result(self, returned: Any) -> ResourceResult:
        """Return what a handler returned as a result; raises UnfitResult where it is none."""
        return _result(returned, self.mime_type)

    def _check_variables(self) -> None:
        variables = self.variables
        if not variables:
            raise RegistrationError(f"{self.label} has no variables; register it as a resource")
        if self.input is None:
            return
        fields = list(self.schema.get("properties", {}))
        if set(fields) != set(variables):
            raise RegistrationError(
                f"{self.label}: its variables are {_listed(variables)}, and the fields of its "
                f"class {_listed(fields)}; make them the same"
            )
        check_flat(self.label, self.schema, lists=self._template.lists)


class ResourceRegistry:
    """The resources by URI, and the templates, each in the order of registration."""

    def __init__(self, page_size: int) -> None:
        self.resources: Registry[Resource] = Registry(
            "resource", page_size, listed_as="resources", key_word="URI"
        )
        self.templates: Registry[ResourceTemplate] = Registry(
            "resource template", page_size, listed_as="resourceTemplates", key_word="URI template"
        )

    @property
    def is_used(self) -> bool:
        """Whether there was ever a resource or a template."""
        return self.resources.is_used or self.templates.is_used

    def find(self, uri: str) -> tuple[Resource, None] | tuple[ResourceTemplate, Variables]:
        """Return what is at `uri`: the resource there, or the first template that gives it.

        With a template come the variables. Raises ResourceNotFound where there is neither.
        """
        resource = self.resources.find(uri)
        if resource is not None:
            return resource, None
        for template in self.templates.all():
            variables = template.match(uri)
            if variables is not None:
                return template, variables
        raise ResourceNotFound(uri[:MAX_URI_LENGTH])


def _shown(item: Resource | ResourceTemplate) -> dict[str, Any]:
    """Return the members that resources and templates share."""
    return present(
        name=item.name,
        title=item.title,
        description=item.description,
        mimeType=item.mime_type,
        annotations=item.annotations.wire() if item.annotations is not None else None,
        icons=[icon.wire() for icon in item.icons] or None,
        _meta=dict(item.meta) if item.meta is not None else None,
    )


def _listed(names: Collection[str]) -> str:
    return ", ".join(names) or "none"


def _result(returned: Any, mime_type: str | None) -> ResourceResult:
    result = returned if isinstance(returned, ResourceResult) else _as_result(returned, mime_type)
    if mime_type is None or all(each.mime_type is not None for each in result.contents):
        return result
    typed_contents = [
        each if each.mime_type is not None else attrs.evolve(each, mime_type=mime_type)
        for each in result.contents
    ]
    return attrs.evolve(result, contents=typed_contents)


def _as_result(returned: Any, mime_type: str | None) -> ResourceResult:
    match returned:
        case TextResourceContents() | BlobResourceContents():
            return ResourceResult([returned])
        case str():
            return ResourceResult([TextResourceContents(returned, mime_type=mime_type or TEXT)])
        case bytes() | bytearray() | memoryview():
            blob = bytes(returned)
            return ResourceResult([BlobResourceContents(blob, mime_type=mime_type or BYTES)])
        case list() | tuple() if any(isinstance(item, ResourceContents) for item in returned):
            unfit = [item for item in returned if not isinstance(item, ResourceContents)]
            if unfit:
                raise UnfitResult(f"it returned {a_kind(unfit[0])} among resource contents")
            return ResourceResult(returned)
        case Mapping() | list() | tuple():
            return _json(returned, mime_type)
        case _ if is_args_class(type(returned)):
            return _json(returned, mime_type)
    raise UnfitResult(
        f"it returned {a_kind(returned)}; return a str, bytes, an MCPArgs instance, a dict, a list "
        "or resource contents, or raise ResourceNotFound(uri) where there is nothing"
    )


def _json(returned: Any, mime_type: str | None) -> ResourceResult:
    try:
        text = jsonrpc.encode(plain(returned)).decode()
    except (TypeError, ValueError, RecursionError) as error:
        raise UnfitResult(f"its result is not JSON: {error}") from error
    return ResourceResult([TextResourceContents(text, mime_type=mime_type or JSON)])

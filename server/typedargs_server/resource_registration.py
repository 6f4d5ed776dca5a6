"""Registering resources, templates, files and directories, and what completes an argument."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ._typed import require
from .definition import MAX_ENTRIES, MAX_FILE_BYTES, ServerDefinition
from .errors import RegistrationError
from .handlers import annotated_schemas, check_annotations, docstring_of, handler_of, named
from .model import Annotations, CacheHints, Icon, Meta
from .schemas import SchemaSource, input_schema
from .subscriptions import ResourceUpdated

if TYPE_CHECKING:
    from .completion import Completer
    from .prompts import Prompt
    from .resources import Resource, ResourceTemplate

F = TypeVar("F", bound=Callable[..., Any])


class ResourceRegistration:
    """The resources that a server offers; they may come and go while it runs, from any thread."""

    _definition: ServerDefinition

    @property
    def resources(self) -> "Sequence[Resource]":
        """The registered resources, in the order of their registration."""
        return self._definition.resources.resources.all()

    @property
    def resource_templates(self) -> "Sequence[ResourceTemplate]":
        """The registered resource templates, in the order of their registration."""
        return self._definition.resources.templates.all()

    def register_resource(
        self,
        uri: str,
        read: str | bytes | Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        input: SchemaSource | None = None,  # noqa: A002
        title: str | None = None,
        mime_type: str | None = None,
        annotations: Annotations | None = None,
        size: int | None = None,
        icons: Sequence[Icon] = (),
        meta: Meta | None = None,
        cache: CacheHints | None = None,
        timeout: float | None = None,
        max_concurrency: int | None = None,
        inline: bool = False,
    ) -> "Resource | ResourceTemplate":
        """Register a resource, or a template of resources; returns its definition.

        `uri` is an absolute URI, or a template of RFC 6570, as in "users://{id}". `read` is the
        contents, or the handler that gives them: `()` or `(ctx)`, for a template `(args)` or
        `(args, ctx)` with the variables, a dict of strings or, with `input`, typed by a class. It
        returns a str, bytes, an args instance or dict (as JSON), resource contents, a list of
        these, or a ResourceResult, and raises ResourceNotFound where there is nothing. `size` is
        in bytes. For the rest see `register_tool`.

        Raises RegistrationError, SchemaError and TypeError as `register_tool` does.
        """
        from .files import static
        from .resources import Resource

        shared: dict[str, Any] = {
            "name": name if name is not None else uri,
            "description": description,
            "title": title,
            "mime_type": mime_type,
            "annotations": annotations,
            "icons": icons,
            "meta": meta,
            "cache": cache,
            "timeout": timeout,
            "max_concurrency": max_concurrency,
            "inline": inline,
        }
        require(uri, str, "register_resource: uri")
        if _is_template(uri):
            return self._register_template(uri, read, input, shared)
        if input is not None:
            raise RegistrationError(
                f'resource "{uri}": input= types the variables of a template, and this URI has none'
            )
        handler = (
            static(read)
            if isinstance(read, str | bytes)
            else handler_of(read, uri, "resource", has_arguments=False)
        )
        resource = Resource(uri=uri, handler=handler, size=size, **shared)
        self._definition.resources.resources.add(resource)
        return resource

    def _register_template(
        self, uri: str, read: Any, given: SchemaSource | None, shared: Mapping[str, Any]
    ) -> "ResourceTemplate":
        from .resources import ResourceTemplate

        if isinstance(read, str | bytes):
            raise RegistrationError(
                f'resource template "{uri}": give a handler that takes the variables; '
                "only a URI without variables has contents of its own"
            )
        if given is not None:
            check_annotations(read, uri, given, kind="resource template", has_output=True)
        template = ResourceTemplate(
            uri_template=uri,
            input=None if given is None else input_schema(given),
            handler=handler_of(read, uri, "resource template"),
            **shared,
        )
        self._definition.resources.templates.add(template)
        return template

    def resource(
        self,
        uri: str,
        *,
        name: str | None = None,
        description: str | None = None,
        input: SchemaSource | None = None,  # noqa: A002
        **options: Any,
    ) -> Callable[[F], F]:
        """Register the decorated function as what reads a resource, or those of a template.

        For what is not given see `tool`, for the rest `register_resource`.
        """
        require(uri, str, "resource: uri")
        local_names = sys._getframe(1).f_locals

        def register(function: F) -> F:
            given, _ = annotated_schemas(function, local_names)
            self.register_resource(
                uri,
                function,
                name=named(name, function, "resource"),
                description=description or docstring_of(function),
                input=given if input is None and _is_template(uri) else input,
                **options,
            )
            return function

        return register

    def add_file(
        self,
        path: str | os.PathLike[str],
        uri: str | None = None,
        *,
        name: str | None = None,
        description: str | None = None,
        max_bytes: int = MAX_FILE_BYTES,
        **options: Any,
    ) -> "Resource":
        """Offer a file as a resource, read anew each time; returns its definition.

        `uri` is its file: URI unless given. `max_bytes` bounds what is read.
        """
        from .files import file_resource

        resource = file_resource(path, uri, name, description, max_bytes=max_bytes, **options)
        self._definition.resources.resources.add(resource)
        return resource

    def add_directory(
        self,
        uri_prefix: str,
        path: str | os.PathLike[str],
        *,
        pattern: str = "**/*",
        name: str | None = None,
        description: str | None = None,
        hidden: bool = False,
        max_bytes: int = MAX_FILE_BYTES,
        max_entries: int = MAX_ENTRIES,
        listed: bool = True,
        **options: Any,
    ) -> "ResourceTemplate":
        """Offer the files of a directory that fit `pattern`, each under `uri_prefix` and its path.

        Nothing outside of the directory is read, whatever a URI or a link says; names that begin
        with a dot only where they are `hidden`. With `listed` the files that are there now are in
        the list of resources, at most `max_entries`. Returns the template.
        """
        from .files import DirectoryResources

        directory = DirectoryResources(
            uri_prefix,
            path,
            pattern,
            name=name,
            description=description,
            hidden=hidden,
            max_bytes=max_bytes,
            max_entries=max_entries,
        )
        template = directory.template(**options)
        self._definition.resources.templates.add(template)
        if listed:
            self._definition.resources.resources.add_all(directory.entries())
        return template

    def remove_resource(self, uri: str) -> None:
        """Remove a resource, or a template. Raises KeyError where there is none of that URI."""
        resources = self._definition.resources
        (resources.templates if _is_template(uri) else resources.resources).remove(uri)

    def resource_updated(self, uri: str) -> None:
        """Tell the clients that listen to a resource that its contents are others than before."""
        require(uri, str, "resource_updated: uri")
        self._definition.changes.tell(ResourceUpdated(uri))

    def register_completion(
        self,
        of: str,
        argument: str,
        function: Callable[..., Any],
        *,
        timeout: float | None = None,
        max_concurrency: int | None = None,
        inline: bool = False,
    ) -> "Completer":
        """Let `function` complete an argument of the prompt, or the resource template, `of`.

        It takes `(value)`, `(value, chosen)` or `(value, chosen, ctx)`: what is typed up to now,
        and a dict of the arguments given already. It returns a list of str, the best first, or a
        CompletionResult. Enums, booleans and constants are completed without a function.

        Raises RegistrationError where there is no such prompt, template or argument.
        """
        require(of, str, "register_completion: of")
        kind = "resource template" if _is_template(of) else "prompt"
        found: Prompt | ResourceTemplate | None = (
            self._definition.resources.templates.find(of)
            if _is_template(of)
            else self._definition.prompts.find(of)
        )
        if found is None:
            raise RegistrationError(f'there is no {kind} "{of}"; register it before its completion')
        return self._definition.completions.add(
            found,
            argument,
            function,
            timeout=timeout,
            max_concurrency=max_concurrency,
            inline=inline,
        )

    def completion(self, of: str, argument: str, **options: Any) -> Callable[[F], F]:
        """Register the decorated function as what completes an argument; returns it as it is.

        For `of`, `argument` and `options` see `register_completion`.
        """

        def register(function: F) -> F:
            self.register_completion(of, argument, function, **options)
            return function

        return register


def _is_template(uri: str) -> bool:
    """Tell whether `uri` has expressions of a template, so that it is none itself."""
    return "{" in uri or "}" in uri

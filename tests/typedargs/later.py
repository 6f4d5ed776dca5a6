"""Classes of other kinds whose annotations are strings until they are needed."""

from __future__ import annotations

import dataclasses
from typing import Annotated, NamedTuple, NotRequired, Required, TypedDict

import attrs
import msgspec
import pydantic


@attrs.define
class AttrsNode:
    value: int
    children: list[AttrsNode] = attrs.field(factory=list)


@dataclasses.dataclass
class DataNode:
    value: int
    children: list[DataNode] = dataclasses.field(default_factory=list)


class DictNode(TypedDict, total=False):
    value: Required[int]
    children: Annotated[NotRequired[list[DictNode]], "Below"]


class TupleNode(NamedTuple):
    value: int
    children: list[TupleNode] = []


class ModelNode(pydantic.BaseModel):
    value: int
    children: list[ModelNode] = []


class StructNode(msgspec.Struct):
    value: int
    children: list[StructNode] = []

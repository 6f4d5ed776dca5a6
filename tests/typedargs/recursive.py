"""Classes that hold each other, some by the name of a class in this module."""

from typedargs import Array, Integer, Map, MCPArgs, Nested, String


class Person(MCPArgs):
    name = String()
    boss = Nested("Person", required=False)
    team = Nested("Team", required=False)


class Team(MCPArgs):
    members = Array(Nested("Person"), default=[])
    by_role = Map(Nested(lambda: Person), required=False)
    size = Integer(default=0)


class Address(MCPArgs):
    """Not the only class of this name."""

    city = String()
    near = Nested("Address", required=False)

"""Why a command fails, with its exit status. Nothing here imports the server or the client."""


class CommandError(Exception):
    """The command was understood and could not be carried out; an empty message has been shown."""

    status = 1


class UsageError(CommandError):
    """The command line, or the file it names, is wrong; it has to be changed."""

    status = 2

"""From `FILE[:OBJECT]` on a command line to the MCPServer meant by it.

The user's code runs here, as a module: its `__main__` block does not run, and while it loads
stdin is empty and stdout is stderr, for those two carry the protocol.
"""

import contextlib
import importlib
import importlib.machinery
import importlib.util
import os
import sys
import traceback
from collections.abc import Generator
from pathlib import Path
from types import ModuleType, TracebackType

from ..app import MCPServer
from ._errors import CommandError, UsageError


def load_server(target: str) -> MCPServer:
    """Load the module that `target` names and return its server.

    `target` is a path or a dotted module name, and `:OBJECT` where the module has several servers.
    Raises UsageError if there is no such module or no such server, and CommandError, after showing
    the traceback, if the module fails while it loads.
    """
    name, wanted = split_target(target)
    module = _load(name)
    return _named(module, name, wanted) if wanted else _only(module, name)


def split_target(target: str) -> tuple[str, str]:
    """Return the file or module of `FILE[:OBJECT]`, and the object's name, empty if none."""
    name, colon, wanted = target.rpartition(":")
    # The colon of `C:\tools.py` and of a file that really has one in its name is no separator.
    if not colon or not name or os.path.exists(target) or not _is_dotted(wanted):
        return target, ""
    return name, wanted


def _is_dotted(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _load(name: str) -> ModuleType:
    is_path = name.endswith(".py") or os.path.isfile(name) or not _is_dotted(name)
    if is_path and not os.path.isfile(name):
        raise UsageError(f"there is no file {name}")
    try:
        with _streams_set_aside():
            return _load_file(Path(name)) if is_path else _load_module(name)
    except ModuleNotFoundError as error:
        if not is_path and error.name and f"{name}.".startswith(f"{error.name}."):
            raise UsageError(f"there is no file and no module named {name}") from None
        _show_traceback(error)
    except SystemExit as error:
        raise CommandError(
            f"{name} left by sys.exit({error.code!r}) while it was loaded; what is to happen only "
            'when it is started as a script belongs under `if __name__ == "__main__":`'
        ) from None
    except Exception as error:
        _show_traceback(error)
    raise CommandError(f"{name} could not be loaded")


def _load_file(path: Path) -> ModuleType:
    path = path.resolve()
    sys.path.insert(0, str(path.parent))
    name = path.stem
    if name in sys.modules or not name.isidentifier():
        name = "__typedargs_file__"  # replacing a loaded module would break whoever uses it
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where pickle, attrs and typing look a class's module up
    loader.exec_module(module)
    return module


def _load_module(name: str) -> ModuleType:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return importlib.import_module(name)


@contextlib.contextmanager
def _streams_set_aside() -> Generator[None]:
    """Give stdin's and stdout's descriptors, as child processes inherit them, another meaning."""
    with contextlib.ExitStack() as undo:
        undo.enter_context(contextlib.redirect_stdout(sys.stderr))
        nothing = os.open(os.devnull, os.O_RDONLY)
        undo.callback(os.close, nothing)
        for descriptor, stand_in in ((0, nothing), (1, 2)):
            with contextlib.suppress(OSError):  # one that is closed needs no care
                kept = os.dup(descriptor)
                undo.callback(os.close, kept)
                os.dup2(stand_in, descriptor)
                undo.callback(os.dup2, kept, descriptor)
        undo.callback(_flush_stdout)
        yield


def _flush_stdout() -> None:
    if sys.__stdout__ is not None:
        sys.__stdout__.flush()


def _show_traceback(error: BaseException) -> None:
    """Show where the user's code failed, without the frames that led to it."""
    frames: TracebackType | None = error.__traceback__
    while frames is not None and _is_ours(frames.tb_frame.f_code.co_filename):
        frames = frames.tb_next
    traceback.print_exception(error.with_traceback(frames))


def _is_ours(filename: str) -> bool:
    return filename in (__file__, importlib.__file__) or filename.startswith("<frozen importlib")


def _named(module: ModuleType, name: str, wanted: str) -> MCPServer:
    found: object = module
    for part in wanted.split("."):
        if not hasattr(found, part):
            raise UsageError(f"{name} has no {wanted}{_choices(module, name)}")
        found = getattr(found, part)
    if not isinstance(found, MCPServer):
        raise UsageError(
            f"{name}:{wanted} is of type {type(found).__name__}, "
            f"not MCPServer{_choices(module, name)}"
        )
    return found


def _only(module: ModuleType, name: str) -> MCPServer:
    servers = _servers(module)
    if len(servers) == 1:
        return next(iter(servers.values()))
    if not servers:
        raise UsageError(
            f"{name} has no MCPServer among its globals; FILE:OBJECT names one that is elsewhere, "
            f"such as {name}:app.server"
        )
    raise UsageError(f"{name} has {len(servers)} servers{_choices(module, name)}")


def _choices(module: ModuleType, name: str) -> str:
    forms = ", ".join(f"{name}:{found}" for found in _servers(module))
    return f"; name one as FILE:OBJECT: {forms}" if forms else ""


def _servers(module: ModuleType) -> dict[str, MCPServer]:
    """Return the module's servers, each under the first of its names."""
    found: dict[str, MCPServer] = {}
    for name, value in vars(module).items():
        if isinstance(value, MCPServer) and all(value is not other for other in found.values()):
            found[name] = value
    return found

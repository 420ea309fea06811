"""Imports a local Python file as a plug-in, under its own name, so that "my_file:MyEnv" finds what is in it."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

_folders: set[str] = set()  # of plug-in files: what is found there is a plug-in file too, and hides nothing


def import_file(path: Path) -> ModuleType:
    """The file as a module of its own name, importable by that name ("my_file:Env"), also in worker processes.

    Raises:
        ImportError: an installed module has that name, or it can be no module's.
    """
    if path.suffix != ".py":
        raise ImportError(f"{path.name} is no Python file: its name has to end in .py")
    if "." in path.stem:
        better = path.stem.replace(".", "_")
        raise ImportError(f"{path.name} has a dot in its name, which no module can have: rename it, {better}.py say")
    known = sys.modules.get(path.stem)
    spec = known.__spec__ if known is not None else importlib.util.find_spec(path.stem)
    if known is not None and spec is not None and spec.origin == str(path):
        return known
    if spec is not None and (spec.origin is None or str(Path(spec.origin).parent) not in {*_folders, str(path.parent)}):
        raise ImportError(f"{path.name} has the name of the module {spec.origin or spec.name}: rename the file")
    if spec is not None and spec.origin is not None:
        _forget(Path(spec.origin).parent, path.parent)
    _folders.add(str(path.parent))
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    return _executed(path)


def _forget(before: Path, now: Path) -> None:
    """Look no longer where a file of this name was: a worker process would find that one."""
    if before != now and str(before) in sys.path:
        sys.path.remove(str(before))


def _executed(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module

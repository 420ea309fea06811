"""Imports a local Python file as a plug-in, under its own name, so that "my_file:MyEnv" finds what is in it."""

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType


class _LocalLoader(SourceFileLoader):
    """Marks the modules that are plug-in files, so that one may take the place of another of the same name."""


def import_file(path: Path) -> ModuleType:
    """The file as a module of its own name, importable by that name ("my_file:Env"), also in worker processes."""
    known = sys.modules.get(path.stem)
    spec = known.__spec__ if known is not None else importlib.util.find_spec(path.stem)
    if spec is not None and spec.origin == str(path) and known is not None:
        return known
    if spec is not None and spec.origin != str(path) and not isinstance(spec.loader, _LocalLoader):
        raise ImportError(f"{path.name} has the name of the module {spec.origin or spec.name}: rename the file")
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    local = importlib.util.spec_from_file_location(path.stem, path, loader=_LocalLoader(path.stem, str(path)))
    assert local is not None
    assert local.loader is not None
    module = importlib.util.module_from_spec(local)
    sys.modules[path.stem] = module
    try:
        local.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module

"""Landlock: a process forbids itself, for good, all files but some. No privilege is needed."""

import ctypes
import os

from rlenvs_sandbox.inside import kernel

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on every machine
_VERSION = 1  # flag of _CREATE: say which version the kernel has
_PATH_BENEATH = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER, _TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
_READS = _EXECUTE | _READ_FILE | _READ_FOLDER
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_CHANGES = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))  # removing and making entries of every kind
_REFER, _TRUNCATES, _NETWORK, _SCOPES = 2, 3, 4, 6  # the versions from which on there is such a thing
_TCP = 3  # bind and connect
_ABSTRACT_SOCKETS_AND_SIGNALS = 3


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """The version of Landlock that the kernel has; 0 where it has none."""
    try:
        return kernel.syscall(_CREATE, None, 0, _VERSION)
    except OSError:
        return 0


def confine_to(writable: list[str], readable: list[str]) -> None:
    """Leave this process and its children only some files and folders, and, where the kernel can forbid that, no TCP
    and no signals to processes outside.

    Raises:
        OSError: the kernel has no Landlock.
    """
    known = version()
    changes = _CHANGES | (1 << 13 if known >= _REFER else 0) | (_TRUNCATE if known >= _TRUNCATES else 0)
    rules = _Ruleset(
        changes | _READS, _TCP if known >= _NETWORK else 0, _ABSTRACT_SOCKETS_AND_SIGNALS if known >= _SCOPES else 0
    )
    size = 24 if known >= _SCOPES else 16 if known >= _NETWORK else 8
    ruleset = kernel.syscall(_CREATE, ctypes.byref(rules), size, 0)
    try:
        for places, allowed in ((writable, changes | _READS), (readable, _READS)):
            for place in filter(os.path.exists, places):
                _allow(ruleset, place, allowed)
        kernel.forbid_new_privileges()
        kernel.syscall(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, place: str, allowed: int) -> None:
    opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _Beneath(allowed if os.path.isdir(place) else allowed & _OF_A_FILE, opened)
        kernel.syscall(_ADD, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(opened)

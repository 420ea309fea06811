"""The calls of Linux that Python has no function for: namespaces, mounts, capabilities, process control."""

import ctypes
import os
from typing import Any

NEW_MOUNTS, NEW_USERS = 0x00020000, 0x10000000  # CLONE_NEWNS, CLONE_NEWUSER
NOSUID, NODEV, NOEXEC = 2, 4, 8
_BIND, _RECURSIVE, _PRIVATE = 1 << 12, 1 << 14, 1 << 18
_SET_DUMPABLE, _CAPBSET_DROP, _SET_SECCOMP, _SET_NO_NEW_PRIVS = 4, 24, 22, 38
_SET_CHILD_SUBREAPER, _CAP_AMBIENT, _CAP_AMBIENT_CLEAR_ALL = 36, 47, 4
_FILTER = 2
_CAPABILITY_VERSION = 0x20080522
_LAST_CAPABILITY = 63
_SYS_ADMIN = 21  # the capability to mount
_DETACHED, _NO_FOLLOW = 2, 8  # MNT_DETACH, UMOUNT_NOFOLLOW

libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> int:
    """The result of a call of the C library.

    Raises:
        OSError: it failed.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def fork() -> int:
    """A copy of this process, which has a single thread: 0 in the copy, else its number.

    `os.fork` makes locks and generators of random numbers anew in the copy, and a tenth of a program's time goes into
    the pages that it touches for that. Without other threads no lock is held but the interpreter's, by the copy itself.
    """
    return checked(_holding_the_lock.fork(), "fork")


_holding_the_lock = ctypes.PyDLL(None, use_errno=True)  # `libc` lets go of the interpreter's lock around each call


def unshare(flags: int) -> None:
    """Enter new namespaces."""
    checked(libc.unshare(flags), "unshare")


def mount_memory(target: str, megabytes: int) -> None:
    """Mount an empty file system in memory, of at most that size and one file for each four kilobytes of it."""
    options = f"size={megabytes}m,nr_inodes={256 * megabytes},mode=1777".encode()
    checked(libc.mount(b"tmpfs", target.encode(), b"tmpfs", NOSUID | NODEV, options), f"mount {target}")


def bind(source: str, target: str) -> None:
    """Mount a folder in another place too."""
    checked(libc.mount(source.encode(), target.encode(), None, _BIND, None), f"mount {target}")


def unmount(target: str) -> None:
    """Take away what was mounted last in a place, whoever still uses it."""
    checked(libc.umount2(target.encode(), _DETACHED | _NO_FOLLOW), f"umount {target}")


def make_mounts_private() -> None:
    """Keep what is mounted from now on out of every other namespace."""
    checked(libc.mount(None, b"/", None, _PRIVATE | _RECURSIVE, None), "mount /")


def set_dumpable(is_dumpable: bool) -> None:
    """Whether other processes of the same user may read this one's memory and environment."""
    checked(libc.prctl(_SET_DUMPABLE, int(is_dumpable), 0, 0, 0), "prctl dumpable")


def become_subreaper() -> None:
    """Become the parent of every descendant whose own parent ends."""
    checked(libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl subreaper")


def forbid_new_privileges() -> None:
    """No program that is started from now on gains anything by its set-user bit."""
    checked(libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl no_new_privs")


def drop_capabilities(*, keeps_mounting: bool) -> None:
    """Give up every capability for good, but that to mount if it is wanted and there."""
    libc.prctl(_CAP_AMBIENT, _CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    for capability in range(_LAST_CAPABILITY):
        if libc.prctl(_CAPBSET_DROP, capability, 0, 0, 0) < 0:  # it is not held, or there is none of that number
            break
    kept = 1 << _SYS_ADMIN if keeps_mounting else 0
    checked(libc.capset(_CAPABILITIES, (ctypes.c_uint32 * 6)(kept, kept)), "capset")


def give_up_capabilities() -> None:
    """Give up what `drop_capabilities` has kept."""
    checked(libc.capset(_CAPABILITIES, _NONE), "capset")


_CAPABILITIES = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
_NONE = (ctypes.c_uint32 * 6)()


class Filter(ctypes.Structure):
    """A program for seccomp, as the kernel takes it."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))

    def __init__(self, instructions: bytes) -> None:
        super().__init__(len(instructions) // 8, instructions)


def set_filter(program: Filter) -> None:
    """Filter this process' system calls from now on, and those of all that it starts."""
    checked(libc.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0), "prctl seccomp")


def syscall(number: int, *arguments: Any) -> int:
    """A system call that the C library has no function for."""
    return checked(libc.syscall(number, *arguments), f"system call {number}")

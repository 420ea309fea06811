"""The filter of a program's system calls, as instructions of classic BPF.

What a program may not do fails with EPERM, so that libraries that try it go on without; what would tell of itself by
that (`clone3`) is not there. Everything else is allowed: what a call may reach is up to the namespaces.
"""

import errno
import os
import struct

_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENT = 0, 4, 16  # places in the record of a call
_NEW_NAMESPACES = 0x7E020080  # every CLONE_NEW…, of time too
_X32 = 0x40000000
_LOCAL, _INTERNET = (1,), (2, 10)  # families of sockets: unix; inet and inet6

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_DENIED = {  # name: its number on x86_64 and on aarch64; -1 where it is not there
    "acct": (163, 89), "add_key": (248, 217), "bpf": (321, 280), "clock_adjtime": (305, 266),
    "clock_settime": (227, 112), "delete_module": (176, 106), "fanotify_init": (300, 262), "finit_module": (313, 273),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fsopen": (430, 430), "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "io_uring_setup": (425, 425), "ioperm": (173, -1),
    "iopl": (172, -1), "kcmp": (312, 272), "kexec_file_load": (320, 294), "kexec_load": (246, 104),
    "keyctl": (250, 219), "lookup_dcookie": (212, 18), "mbind": (237, 235), "migrate_pages": (256, 238),
    "modify_ldt": (154, -1), "mount": (165, 40), "mount_setattr": (442, 442), "move_mount": (429, 429),
    "move_pages": (279, 239), "mq_open": (240, 180), "msgget": (68, 186), "name_to_handle_at": (303, 264),
    "nfsservctl": (180, 42), "open_by_handle_at": (304, 265), "open_tree": (428, 428), "perf_event_open": (298, 241),
    "personality": (135, 92), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424), "pivot_root": (155, 41),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "ptrace": (101, 117), "quotactl": (179, 60), "reboot": (169, 142),
    "request_key": (249, 218), "semget": (64, 190), "set_mempolicy": (238, 237), "sethostname": (170, 161),
    "setdomainname": (171, 162), "setns": (308, 268), "settimeofday": (164, 170), "shmget": (29, 194),
    "swapoff": (168, 225), "swapon": (167, 224), "syslog": (103, 116), "umount2": (166, 39), "unshare": (272, 97),
    "uselib": (134, -1), "userfaultfd": (323, 282), "vhangup": (153, 58), "vmsplice": (278, 75), "chroot": (161, 51),
}  # fmt: skip
_MOUNTING = ("mount", "umount2")
_CLONE, _CLONE3, _SOCKET = (56, 220), (435, 435), (41, 198)
_OF_ANOTHER = {"prlimit64": (302, 261), "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
               "sched_setparam": (142, 118), "sched_setattr": (314, 274)}  # fmt: skip


def instructions(machine: str | None = None, *, has_network: bool = True, may_mount: bool = False) -> bytes:
    """The filter for a machine, by its name in `os.uname`; by default for this one.

    Args:
        has_network: whether sockets of the internet's families may be made.
        may_mount: whether file systems may be mounted and taken away, by an agent: its programs get `no_mounting` too.

    Raises:
        NotImplementedError: the numbers of that machine's system calls are not known here.
    """
    machine = machine or os.uname().machine
    place = _place(machine)
    rules = [_load(_ARCHITECTURE), _skip_if(_EQUAL, _ARCHITECTURES[machine], 1), _return(_KILL), _load(_NUMBER)]
    if machine == "x86_64":  # the other names of the same calls
        rules += [_skip_unless(_AT_LEAST, _X32, 1), _return(_FAIL | errno.ENOSYS)]
    rules += [_skip_unless(_EQUAL, _CLONE3[place], 1), _return(_FAIL | errno.ENOSYS)]
    for name, numbers in _DENIED.items():
        if numbers[place] >= 0 and not (may_mount and name in _MOUNTING):
            rules += [_skip_unless(_EQUAL, numbers[place], 1), _return(_FAIL | errno.EPERM)]
    rules += [  # new processes and threads, but in no new namespaces
        _skip_unless(_EQUAL, _CLONE[place], 4),
        _load(_ARGUMENT),
        _skip_unless(_ANY_BIT, _NEW_NAMESPACES, 1),
        _return(_FAIL | errno.EPERM),
        _return(_ALLOW),
    ]
    for numbers in _OF_ANOTHER.values():  # the limits and the schedule of this process alone
        rules += [
            _skip_unless(_EQUAL, numbers[place], 4),
            _load(_ARGUMENT),
            _skip_unless(_EQUAL, 0, 1),
            _return(_ALLOW),
            _return(_FAIL | errno.EPERM),
        ]
    families = _LOCAL + (_INTERNET if has_network else ())
    rules += [_skip_unless(_EQUAL, _SOCKET[place], len(families) * 2 + 2), _load(_ARGUMENT)]
    for family in families:
        rules += [_skip_unless(_EQUAL, family, 1), _return(_ALLOW)]
    return b"".join([*rules, _return(_FAIL | errno.EAFNOSUPPORT), _return(_ALLOW)])


def no_mounting(machine: str | None = None) -> bytes:
    """The filter that takes mounting from a process that has all of `instructions` else.

    Raises:
        NotImplementedError: the numbers of that machine's system calls are not known here.
    """
    place = _place(machine or os.uname().machine)
    rules = [_load(_NUMBER)]
    for name in _MOUNTING:
        rules += [_skip_unless(_EQUAL, _DENIED[name][place], 1), _return(_FAIL | errno.EPERM)]
    return b"".join([*rules, _return(_ALLOW)])


def _place(machine: str) -> int:
    """Where a machine's numbers are in the tables."""
    if machine not in _ARCHITECTURES:
        raise NotImplementedError(f"no seccomp filter for {machine}: known are {', '.join(_ARCHITECTURES)}")
    return list(_ARCHITECTURES).index(machine)


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _load(place: int) -> bytes:
    return _instruction(_LOAD, place)


def _return(value: int) -> bytes:
    return _instruction(_RETURN, value)


def _skip_if(test: int, value: int, count: int) -> bytes:
    return _instruction(test, value, if_true=count)


def _skip_unless(test: int, value: int, count: int) -> bytes:
    return _instruction(test, value, if_false=count)

"""How much processor time processes have used, as the agent can count it where no cgroup does."""

import os
import resource

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def cpu_s_below(process: int) -> float:
    """Seconds that the descendants of a process have used, with those that have ended and were waited for."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb", buffering=0) as file:
                    fields = file.read(4096).rpartition(b")")[2].split()
            except OSError:  # it has ended
                continue
            parents[int(name)] = int(fields[1])
            ticks[int(name)] = sum(int(field) for field in fields[11:15])
    return sum(used for each, used in ticks.items() if _is_below(each, process, parents)) / _TICKS_PER_S


def waited_for_s() -> float:
    """Seconds of the children of this process that it has waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _is_below(process: int, above: int, parents: dict[int, int]) -> bool:
    for _ in range(len(parents)):
        process = parents.get(process, 0)
        if process in (above, 0):
            break
    return process == above

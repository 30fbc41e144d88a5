"""A control group that limits the memory of a process, version 1 or 2, made by hand as root."""

import os

V1 = "/sys/fs/cgroup/memory"
V2 = ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")


class Unavailable(Exception):
    """Why there can be none."""


def _read(*path):
    with open(os.path.join(*path), encoding="ascii") as file:
        return file.read()


def _write(value, *path):
    with open(os.path.join(*path), "w", encoding="ascii") as file:
        file.write(str(value))


class Cgroup:
    """`add` a process, ask its `peak` and how often something was `killed`; `remove` when it is over."""

    def __init__(self, bytes_max):
        name = f"gjkd-soak-{os.getpid()}"
        try:
            v2 = next((root for root in V2 if os.path.exists(f"{root}/cgroup.controllers")
                       and "memory" in _read(root, "cgroup.controllers").split()), None)
            self.is_v2 = v2 is not None
            self.path = os.path.join(v2 or V1, name)
            if self.is_v2:
                _write("+memory", v2, "cgroup.subtree_control")
            elif not os.path.exists(f"{V1}/memory.limit_in_bytes"):
                raise Unavailable("no control group of memory is mounted")
            os.mkdir(self.path)
            limit = "memory.max" if self.is_v2 else "memory.limit_in_bytes"
            _write(bytes_max, self.path, limit)
            if self.is_v2 and os.path.exists(f"{self.path}/memory.swap.max"):
                _write(0, self.path, "memory.swap.max")
        except OSError as error:
            raise Unavailable(f"a control group cannot be made: {error}") from error

    def add(self, pid):
        _write(pid, self.path, "cgroup.procs")

    def peak(self):
        names = ("memory.peak", "memory.current") if self.is_v2 else ("memory.max_usage_in_bytes",)
        return int(next(_read(self.path, name) for name in names
                        if os.path.exists(f"{self.path}/{name}")))

    def killed(self):
        events = _read(self.path, "memory.events" if self.is_v2 else "memory.oom_control")
        return sum(int(line.split()[1]) for line in events.splitlines()
                   if line.startswith("oom_kill "))

    def remove(self):
        os.rmdir(self.path)

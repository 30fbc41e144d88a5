"""What the daemon can still do of what it needs no more. That all else goes on is what every other
test of this folder shows, for the sandbox is on in all of them."""

import ctypes
import errno
import os
import signal
import subprocess

import pytest

from test_tokens import bearer, line
from wire import eventually

pytestmark = pytest.mark.http

LANDLOCK_VERSION = 444, None, 0, 1  # landlock_create_ruleset: asks for the version


def status(daemon, name):
    with open(f"/proc/{daemon.process.pid}/status") as lines:
        return next(l.split()[1] for l in lines if l.startswith(name + ":"))


@pytest.fixture
def confined(start):
    return start()


def test_the_process_is_confined(confined):
    assert status(confined, "NoNewPrivs") == "1" and status(confined, "Seccomp") == "2"
    threads = os.listdir(f"/proc/{confined.process.pid}/task")
    assert len(threads) > 2
    for thread in threads:
        with open(f"/proc/{confined.process.pid}/task/{thread}/status") as lines:
            assert "Seccomp:\t2\n" in lines.readlines(), "every thread"
    if ctypes.CDLL(None).syscall(*LANDLOCK_VERSION) > 0:  # x86-64 and aarch64 alike
        assert b"Landlock" not in confined.stderr(), "no warning where the kernel has it"
    assert b"seccomp" not in confined.stderr()


def test_metrics_of_the_process_are_still_read(confined):
    text = confined.get("/metrics").text
    for name in ("resident_memory_bytes", "open_fds", "max_fds", "cpu_seconds_total",
                 "start_time_seconds"):
        assert f"\nprocess_{name} " in text


def test_it_can_be_left_out(start):
    daemon = start("--sandbox", "off")
    assert status(daemon, "Seccomp") == "0" and status(daemon, "NoNewPrivs") == "0"
    assert b"sandbox: left out, as --sandbox off says" in daemon.stderr()


@pytest.mark.parametrize("linked", [False, True], ids=["renamed", "linked"])
def test_files_of_tokens_are_read_again(start, tmp_path, linked):
    """Renamed over the old one; or, as Kubernetes does it, behind symbolic links that change."""
    def write(version, name):
        folder = tmp_path / version
        folder.mkdir()
        (folder / "tokens").write_text(line(name, "read"))
        (folder / "tokens").chmod(0o600)
        if linked:
            (tmp_path / "new").symlink_to(version)
            (tmp_path / "new").rename(tmp_path / "..data")
        else:
            (folder / "tokens").rename(tmp_path / "tokens")
    write("one", "red")
    if linked:
        (tmp_path / "tokens").symlink_to("..data/tokens")
    daemon = start("--token-file", str(tmp_path / "tokens"))
    assert daemon.get("/v1", headers=bearer("red")).status_code == 200
    write("two", "blue")
    daemon.process.send_signal(signal.SIGHUP)
    assert eventually(lambda: b"SIGHUP: 1 tokens" in daemon.stderr())
    assert daemon.get("/v1", headers=bearer("blue")).status_code == 200
    assert daemon.get("/v1", headers=bearer("red")).status_code == 401


INTRUDER = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <sys/syscall.h>
#include <unistd.h>
/* What an intruder would try, on a signal, after the daemon has started. */
static void intrude(int number) {
    static char text[512];
    struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = 9};
    int at = 0;
    (void)number;
#define TRY(call) errno = 0, (void)!(call), at += snprintf(text + at, sizeof text - at, " %d", errno)
    TRY(open("/etc/passwd", O_RDONLY));
    TRY(open("/tmp/gjkd-intruder", O_WRONLY | O_CREAT, 0600));
    TRY(open("/proc/1/environ", O_RDONLY));
    TRY(execl("/bin/true", "true", (char *)0));
    TRY(syscall(SYS_fork));
    TRY(connect(3, (struct sockaddr *)&peer, sizeof peer));
    TRY(ptrace(PTRACE_TRACEME, 0, 0, 0));
    TRY(mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == 0);
    TRY(socket(AF_NETLINK, SOCK_RAW, 0));
    TRY(syscall(425, 8, 0)); /* io_uring_setup */
    TRY(kill(1, 0));
    text[at++] = '\n';
    (void)!write(2, text, at);
}
__attribute__((constructor)) static void begin(void) { signal(SIGUSR2, intrude); }
"""


def test_an_intruder_gets_nowhere(confined, start, tmp_path):
    (tmp_path / "intruder.c").write_text(INTRUDER)
    library = tmp_path / "intruder.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "intruder.c"], check=True)
    denied, closed = errno.EACCES, errno.ENOSYS
    daemon = start(env={"LD_PRELOAD": str(library)})
    files_are_closed = b"Landlock" not in daemon.stderr()
    daemon.process.send_signal(signal.SIGUSR2)
    assert eventually(lambda: daemon.stderr().count(b"\n ") == 1)
    tried = [int(n) for n in daemon.stderr().split(b"\n ")[1].split(b"\n")[0].split()]
    assert tried[3:] == [closed] * 8
    if files_are_closed:
        assert tried[:3] == [denied] * 3
    assert daemon.get("/livez").status_code == 200

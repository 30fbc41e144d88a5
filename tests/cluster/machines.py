"""Three machines to run programs on: addresses of this one, or a network of their own that can be cut.

In the network each machine is a network namespace, and what they send each other goes through a fourth,
in which the calling thread lives until close(): it reaches all three, also those that are cut off from
each other."""

import ctypes
import os
import socket
import subprocess

CLONE_NEWNET = 0x40000000


class Loopback:
    hosts = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]

    def command(self, machine, words):
        return [*words]

    def free_port(self, machine):
        with socket.socket() as probe:
            probe.bind((self.hosts[machine], 0))
            return probe.getsockname()[1]

    def close(self):
        pass


class Unavailable(Exception):
    """Why there can be no network here."""


def run(*words):
    ended = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ended.returncode != 0:
        raise Unavailable(f"{' '.join(words)}: {ended.stdout.strip()}")


def enter(flag_or_file, call):
    if getattr(ctypes.CDLL(None, use_errno=True), call)(*flag_or_file) != 0:
        raise Unavailable(f"{call}: {os.strerror(ctypes.get_errno())}")


class Network:
    hosts = ["10.77.1.2", "10.77.2.2", "10.77.3.2"]

    def __init__(self):
        self.holders, self.port = [], 4000
        self.outside = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        enter((CLONE_NEWNET,), "unshare")
        try:
            run("ip", "link", "set", "lo", "up")
            with open("/proc/sys/net/ipv4/ip_forward", "w") as switch:
                switch.write("1")
            for machine in range(3):
                self.add(machine)
        except (Unavailable, OSError) as error:
            self.close()
            raise Unavailable(str(error)) from None

    def add(self, machine):
        """A namespace that lives as long as its holder, which reads from us, and a cable to it."""
        holder = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo ready; read end"], text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.holders.append(holder)
        if holder.stdout.readline() != "ready\n":
            raise Unavailable("no network namespace can be made")
        here, there = f"here{machine}", f"there{machine}"
        run("ip", "link", "add", here, "type", "veth", "peer", "name", there)
        run("ip", "link", "set", there, "netns", str(holder.pid))
        run("ip", "addr", "add", f"10.77.{machine + 1}.1/24", "dev", here)
        run("ip", "link", "set", here, "up")
        inside = self.command(machine, ["ip"])
        run(*inside, "link", "set", "lo", "up")
        run(*inside, "addr", "add", f"{self.hosts[machine]}/24", "dev", there)
        run(*inside, "link", "set", there, "up")
        run(*inside, "route", "add", "default", "via", f"10.77.{machine + 1}.1")

    def command(self, machine, words):
        return ["nsenter", "-t", str(self.holders[machine].pid), "-n", "--", *words]

    def free_port(self, machine):
        self.port += 1
        return self.port

    def cut(self, machine):
        """Nothing passes between this machine and the two others any more."""
        for side in ("-s", "-d"):
            run("iptables", "-A", "FORWARD", side, self.hosts[machine], "-j", "DROP")

    def cut_way(self, source, to):
        """Nothing passes from one machine to another any more; the other way it does."""
        run("iptables", "-A", "FORWARD", "-s", self.hosts[source], "-d", self.hosts[to], "-j", "DROP")

    def heal(self):
        run("iptables", "-F", "FORWARD")

    def close(self):
        for holder in self.holders:
            holder.stdin.close()
            holder.wait(10)
            holder.stdout.close()
        enter((self.outside, CLONE_NEWNET), "setns")
        os.close(self.outside)

"""A small disk for each server: a file system of its own, which can be full, slow, or stand still."""

import contextlib
import os
import subprocess
import threading

IMAGES = "/dev/shm"
SIZE = 64 << 20


class NoDisk(Exception):
    """Why there can be no disks here."""


class Disk:
    def __init__(self, folder):
        """Mounts it on the folder. Its image is in memory, so that its speed is what a test makes of it."""
        self.folder = folder
        folder.mkdir(parents=True)
        image = f"{IMAGES}/gjkd-{os.getpid()}-{folder.name}"
        with open(image, "wb") as file:
            file.truncate(SIZE)
        try:
            self.run("mkfs.ext4", "-q", "-F", "-m", "0", image)
            self.run("mount", "-o", "loop", image, folder)
        finally:
            os.unlink(image)  # the mount keeps it

    @staticmethod
    def run(*words):
        ended = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if ended.returncode:
            raise NoDisk(f"{words[0]}: {ended.stdout.strip()}")

    @contextlib.contextmanager
    def stand_still(self):
        """Whoever writes waits, even for SIGKILL."""
        self.run("fsfreeze", "-f", self.folder)
        try:
            yield
        finally:
            self.run("fsfreeze", "-u", self.folder)

    @contextlib.contextmanager
    def be_slow(self, pause_s):
        """It stands still so long each time, and takes what waits in between."""
        over = threading.Event()

        def hold():
            while not over.is_set():
                with self.stand_still():
                    over.wait(pause_s)
                over.wait(pause_s / 10)
        holder = threading.Thread(target=hold)
        holder.start()
        try:
            yield
        finally:
            over.set()
            holder.join()

    def close(self):
        self.run("umount", self.folder)

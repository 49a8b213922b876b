# SPDX-License-Identifier: LGPL-2.1-or-later
"""The programs that run at the ends of a weir-link, with what they print."""
import os
import subprocess
import time


class ProgramError(Exception):
    pass


class Programs:
    """What they print goes to files of `folder`, named after them."""

    started = []  # of all links

    def __init__(self, link, folder):
        self.link, self.folder, self.running = link, folder, {}

    def start(self, name, end, *words):
        with open(self.path(name, "out"), "w", encoding="utf-8") as out, \
                open(self.path(name, "err"), "w", encoding="utf-8") as err:
            self.running[name] = self.link.start(end, *words, stdout=out, stderr=err)
        self.started.append(self.running[name])

    def path(self, name, kind):
        return os.path.join(self.folder, f"{name}.{kind}")

    def read(self, name, kind="out"):
        with open(self.path(name, kind), encoding="utf-8") as file:
            return file.read()

    def wait_for_output(self, name, timeout_s=30):
        end = time.monotonic() + timeout_s
        while not self.read(name):
            if self.running[name].poll() is not None or time.monotonic() > end:
                raise ProgramError(f"{name} does not start: {self.read(name, 'err').strip()}")
            time.sleep(0.02)

    def check(self, may_end=()):
        """Nobody may have failed by now, and only these may have ended."""
        for name, process in self.running.items():
            if process.poll() is not None and (process.returncode != 0 or name not in may_end):
                said = (self.read(name, "err") or self.read(name)).strip().replace("\n", " ")
                raise ProgramError(f"{name} ended early, status {process.returncode}: {said[-300:]}")

    def stop(self):
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

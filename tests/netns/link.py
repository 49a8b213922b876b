# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-link as an object: two namespaces that exist while it does."""
import json
import subprocess


class LinkError(Exception):
    pass


class Link:
    """with Link(program, "--capacity", "4M") as link: ... Whatever was started inside ends with it."""

    started = []  # all of them, for those who look what was left behind

    def __init__(self, program, *options):
        self.process = subprocess.Popen([program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.last_words = ""  # what it printed and nobody read, from close() on
        self.started.append(self)
        line = self.process.stdout.readline()
        if not line:
            error = self.process.communicate()[1].strip()
            raise LinkError(error or f"weir-link: status {self.process.returncode}")
        self.ends = json.loads(line)["ready"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def address(self, end):
        return self.ends[end]["address"]

    def start(self, end, *words, **options):
        """Starts a program at end "a" or "b"."""
        return subprocess.Popen(["ip", "netns", "exec", self.ends[end]["netns"], *words], stdin=subprocess.DEVNULL,
                                text=True, **options)

    def order(self, text):
        """Changes the link: "capacity 800k"."""
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def lines(self):
        """The statistics as they come, until weir-link ends."""
        for line in self.process.stdout:
            yield json.loads(line)

    def close(self):
        """The end of its stdin is its end. Returns what it printed on stderr."""
        try:
            said, errors = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            said, errors = self.process.communicate()
        self.last_words = said
        return errors

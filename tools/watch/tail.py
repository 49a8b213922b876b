# SPDX-License-Identifier: LGPL-2.1-or-later
"""Follows a file that is being written, like `tail -F`: whole lines, over rotation and over a new beginning."""
import asyncio
import os

CHUNK_BYTES = 1 << 18
LONGEST_LINE_BYTES = 1 << 16
POLL_S = 0.2


class Tail:
    """Lines of one file. on_line gets bytes without the newline, on_begin is called before the first line of a file that
    is another one than before (`rotated`: it continues the one before)."""

    def __init__(self, path, on_line, on_begin=lambda rotated: None):
        self.path = path
        self.on_line = on_line
        self.on_begin = on_begin
        self.file = None
        self.rest = b""
        self.skipping = False  # within a line that is too long

    def close(self):
        if self.file:
            self.file.close()
        self.file = None

    def open(self, rotated):
        """False: there is no such file (yet). Raises OSError for any other reason."""
        try:
            file = open(self.path, "rb")
        except FileNotFoundError:
            return False
        self.close()
        self.file, self.rest, self.skipping = file, b"", False
        self.on_begin(rotated)
        return True

    def take(self, data):
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            if not self.skipping:
                self.on_line(line)
            self.skipping = False
        if len(self.rest) > LONGEST_LINE_BYTES:
            self.skipping = True
            self.rest = b""

    async def read_all(self):
        """To the present end of the open file, with room for others in between."""
        while data := self.file.read(CHUNK_BYTES):
            self.take(data)
            await asyncio.sleep(0)

    def has_moved(self):
        """The name stands for another file now: rotated."""
        try:
            now = os.stat(self.path)
        except OSError:
            return False
        here = os.fstat(self.file.fileno())
        return (now.st_dev, now.st_ino) != (here.st_dev, here.st_ino)

    async def poll(self):
        """Everything new, also of a file that has taken the name meanwhile."""
        if not self.file and not self.open(rotated=False):
            return
        await self.read_all()
        if os.fstat(self.file.fileno()).st_size < self.file.tell():  # written anew
            self.file.seek(0)
            self.rest, self.skipping = b"", False
            self.on_begin(False)
            await self.read_all()
        if self.has_moved():
            await self.read_all()  # what came between reading and renaming
            self.open(rotated=True)
            await self.read_all()

    async def follow(self):
        while True:
            await self.poll()
            await asyncio.sleep(POLL_S)

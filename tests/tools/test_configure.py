# SPDX-License-Identifier: LGPL-2.1-or-later
"""`meson setup` says what it will not build, why, and what to do; and whether the prefix can be written to."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import tap  # noqa: E402

# Root may write anywhere; a user of a namespace may not.
AS_USER = ["unshare", "-U", "--map-user=1000"]


class Configure(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="weir-configure-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def setup(self, *options, build="build", before=()):
        """Exit status and output of a setup that finds no library by pkg-config."""
        done = subprocess.run([*before, "meson", "setup", os.path.join(self.directory, build), ROOT, "-Dtests=false", *options],
                              env=dict(os.environ, PKG_CONFIG_LIBDIR=self.directory, CMAKE="false"),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def test_names_each_library_that_is_missing_and_how_to_get_it(self):
        status, said = self.setup()
        self.assertEqual(status, 0, said)
        for part, package in (("no GStreamer plugin:", "libgstreamer-plugins-base1.0-dev"), ("no srtp-key", "libsrtp2-dev"),
                              ("no weir-lab:", "libjansson-dev"), ("no weir-link:", "libglib2.0-dev")):
            self.assertRegex(said, rf"Message: {part} .*tools/setup build, or apt-get install .*{package}")

    def test_refuses_what_was_asked_for_and_lacks_a_library(self):
        status, said = self.setup("-Dlab=enabled")
        self.assertEqual(status, 1, said)
        self.assertRegex(said, r"(?s)no weir-lab: .*libjansson-dev.*ERROR: Dependency \"jansson\" not found")

    def test_says_that_the_prefix_may_not_be_written_to(self):
        if os.getuid() == 0 and subprocess.run([*AS_USER, "true"], check=False, capture_output=True).returncode != 0:
            self.skipTest("root, and no user namespaces")
        before = AS_USER if os.getuid() == 0 else []
        for mode, expected in ((0o555, 1), (0o755, 0)):
            prefix = os.path.join(self.directory, f"{mode:o}")
            os.mkdir(prefix, mode)
            status, said = self.setup("--auto-features=disabled", f"--prefix={prefix}/not/there/yet", build=f"build{mode:o}",
                                      before=before)
            self.assertEqual(status, 0, said)
            self.assertEqual(said.count(f"You may not write to {prefix}/not/there/yet: install as root"), expected, said)


if __name__ == "__main__":
    tap.main()

# SPDX-License-Identifier: LGPL-2.1-or-later
"""What `ninja install` puts below a prefix works there, and `ninja uninstall` leaves nothing."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import tap  # noqa: E402

BUILD = os.environ["WEIR_BUILD"]
PREFIX = os.environ["WEIR_PREFIX"]
LIBDIR = os.environ["WEIR_LIBDIR"]
PLUGINDIR = os.environ["WEIR_PLUGINDIR"]  # empty: the plugin is not built
MESON = os.environ["WEIR_MESON"].split()
LOG = os.path.join(BUILD, "meson-logs", "install-log.txt")
with open(os.path.join(ROOT, "VERSION"), encoding="utf-8") as text:
    VERSION = text.read().strip()
PROGRAM = os.path.join(ROOT, "examples", "program", "program.c")
OTHER_LIBRARY = """int weir_version_number(void) { return %d << 16; }
const char *weir_version(void) { return "%d.0.0"; }
"""


def run(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, **environment))


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The log that an uninstall reads is that of the user's own installation again afterwards."""
        cls.directory = tempfile.TemporaryDirectory(prefix="weir-install-")
        cls.addClassCleanup(cls.directory.cleanup)
        cls.root = os.path.join(cls.directory.name, "root")
        cls.own_log = os.path.join(cls.directory.name, "own-log")
        if os.path.exists(LOG):
            shutil.copy2(LOG, cls.own_log)
        cls.addClassCleanup(lambda: shutil.move(cls.own_log, LOG) if os.path.exists(cls.own_log) else os.remove(LOG))
        # Installing fetches nothing: where namespaces are allowed, there is no network to fetch from.
        alone = ["unshare", "-rn"] if run("unshare", "-rn", "true").returncode == 0 else []
        done = run(*alone, *MESON, "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", cls.root)
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)

    def installed(self, *parts):
        return os.path.join(self.root, PREFIX.lstrip("/"), *parts)

    def in_root(self, **more):
        """The environment of a machine on which the prefix is not below our root."""
        return {"LD_LIBRARY_PATH": self.installed(LIBDIR), "GST_PLUGIN_PATH": self.root + PLUGINDIR,
                "GST_REGISTRY": os.path.join(self.directory.name, "registry"), **more}

    def files(self):
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(self.root) for name in names)

    def test_a_program_finds_headers_and_library_by_pkg_config(self):
        path = os.path.join(self.directory.name, "program")
        flags = run("pkg-config", "--cflags", "--libs", "weir", PKG_CONFIG_SYSROOT_DIR=self.root,
                    PKG_CONFIG_PATH=self.installed(LIBDIR, "pkgconfig"))
        self.assertEqual(flags.returncode, 0, flags.stderr)
        made = run(*os.environ.get("CC", "cc").split(), PROGRAM, "-o", path, *flags.stdout.split())
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(run(path, **self.in_root()).stdout, VERSION + ": start at 300000 bit/s\n")

    def test_every_program_says_its_version_and_helps(self):
        programs = sorted(os.listdir(self.installed("bin")))
        self.assertLessEqual({"weir-report", "weir-reproduce", "weir-sweep", "weir-watch"}, set(programs))
        for name in programs:
            program = self.installed("bin", name)
            done = run(program, "--version", **self.in_root())
            if " is missing from " in done.stderr:
                continue  # a module of Python that this machine lacks
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{name} {VERSION}\n", ""))
            done = run(program, "--help", **self.in_root())
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(name, done.stdout)

    def test_a_missing_python_module_is_named(self):
        with open(os.path.join(self.directory.name, "numpy.py"), "w", encoding="utf-8") as file:
            file.write("raise ModuleNotFoundError(name='numpy')")
        done = run(self.installed("bin", "weir-report"), "--help", PYTHONPATH=self.directory.name)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^weir-report: numpy is missing from \S+: tools/setup demo, or apt-get install python3-numpy\n$")

    @unittest.skipUnless(os.access("/usr/bin/python3", os.X_OK), "no Python of the system")
    def test_the_environments_python_runs_a_program_if_it_has_what_that_needs(self):
        """Which one ran is seen in the error of a numpy that cannot be loaded."""
        environment = os.path.join(self.directory.name, "environment")
        python = os.path.join(environment, "bin", "python3")
        packages = os.path.join(environment, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages")
        os.makedirs(os.path.dirname(python))
        os.makedirs(packages)
        os.symlink(os.path.realpath(sys.executable), python)
        with open(os.path.join(environment, "pyvenv.cfg"), "w", encoding="utf-8") as file:
            file.write(f"home = {os.path.dirname(os.path.realpath(sys.executable))}\ninclude-system-site-packages = false\n")
        path = os.path.dirname(python) + os.pathsep + os.environ["PATH"]
        for name in ("matplotlib", "numpy", "pandas"):
            done = run(self.installed("bin", "weir-report"), "--version", PATH=path)
            self.assertRegex(done.stdout + done.stderr, rf"^weir-report(: \S+ is missing from /usr/bin/python3: | {re.escape(VERSION)}\n)")
            with open(os.path.join(packages, name + ".py"), "w", encoding="utf-8") as file:
                file.write(f"raise ModuleNotFoundError(name={name!r})\n")
        done = run(self.installed("bin", "weir-report"), "--version", PATH=path)
        self.assertIn(f" is missing from {python}: ", done.stderr)

    @unittest.skipUnless(PLUGINDIR and shutil.which("gst-inspect-1.0"), "no plugin, or no gst-inspect-1.0")
    def test_gstreamer_finds_the_plugin(self):
        done = run("gst-inspect-1.0", "weir", **self.in_root())
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, value in (("Filename", re.escape(self.root + PLUGINDIR) + r"/libgstweir\S+"), ("Version", re.escape(VERSION)),
                            ("License", "LGPL"), ("Binary package", r"\S.*"), ("Origin URL", r"\S.*")):
            self.assertRegex(done.stdout, rf"(?m)^ +{name} +{value}$")
        self.assertIn("weirsend:", done.stdout)

    @unittest.skipUnless(PLUGINDIR and shutil.which("gst-inspect-1.0"), "no plugin, or no gst-inspect-1.0")
    def test_a_plugin_beside_an_older_or_newer_libweir_says_so(self):
        own = tuple(int(part) for part in VERSION.split(".")[:2])
        for major in (0, 255):
            path = os.path.join(self.directory.name, f"libweir-{major}")
            with open(path + ".c", "w", encoding="utf-8") as file:
                file.write(OTHER_LIBRARY % (major, major))
            self.assertEqual(run("cc", "-shared", "-fPIC", path + ".c", "-o", path + ".so").returncode, 0)
            done = run("gst-inspect-1.0", "weirsend", **self.in_root(LD_PRELOAD=path + ".so", GST_REGISTRY=path + ".registry"))
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr, rf"was built for libweir {own[0]}\.{own[1]}, but libweir {major}\.0\.0 was loaded: install both")

    @unittest.skipUnless(PLUGINDIR and shutil.which("gst-inspect-1.0"), "no plugin, or no gst-inspect-1.0")
    def test_of_two_plugins_the_first_in_the_path_is_used_and_named(self):
        installed = self.root + PLUGINDIR
        beside = os.path.join(self.directory.name, "beside")
        shutil.copytree(installed, beside)
        for first, second in ((beside, installed), (installed, beside)):
            done = run("gst-inspect-1.0", "weir", **self.in_root(GST_PLUGIN_PATH=f"{first}:{second}", GST_REGISTRY=beside + ".registry"))
            self.assertRegex(done.stdout, rf"(?m)^ +Filename +{re.escape(first)}/libgstweir\S+$", done.stderr)

    def test_uninstalling_leaves_nothing(self):
        """By its name the last test: programs that ran before it have left nothing either."""
        self.assertIn(self.installed("include", "weir", "weir.h"), self.files())
        done = subprocess.run([*MESON, "--internal", "uninstall"], cwd=BUILD, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    tap.main()

# SPDX-License-Identifier: LGPL-2.1-or-later
"""One run of weir-lab. Nothing but the standard library, in one file: on the machines of a cluster its text is all
there is of weir-sweep. As a program it reads a batch of tasks on stdin and writes what came of them on stdout, both
JSON."""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

SERIES = ("flows.csv", "links.csv")
TASK = ("scenario", "seed", "series", "variables")


def library_beside(program):
    """Of its build folder, or installed with it; None when there is none."""
    folder = os.path.dirname(os.path.realpath(program))
    for place in ("../../lib", "../lib", "../lib/x86_64-linux-gnu", "../lib64"):
        path = os.path.join(folder, place, "libweir.so.0")
        if os.path.exists(path):
            return path
    return None


def plugins():
    """The files of WEIR_PLUGIN_PATH, in which weir-lab finds more algorithms."""
    found = []
    for place in os.environ.get("WEIR_PLUGIN_PATH", "").split(os.pathsep):
        inside = sorted(os.listdir(place)) if os.path.isdir(place) else []
        found += [os.path.join(place, name) for name in inside if name.endswith(".so")] or [place]
    return found


def identity(program):
    """Of the program, the library beside it and the plugins: another build may give other results."""
    digest = hashlib.sha256()
    for path in (os.path.realpath(program), library_beside(program), *plugins()):
        if path and os.path.isfile(path):
            with open(path, "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()


def simulate(program, task, running=None):
    """{"result": ..., "series": {name: text}}, or {"refused": why} or {"failed": why}. `running` is a set that
    holds the process while it runs, for whoever may want to end it."""
    with tempfile.TemporaryDirectory(prefix="weir-sweep-") as folder:
        scenario = os.path.join(folder, "scenario.json")
        with open(scenario, "w", encoding="utf-8") as file:
            file.write(task["scenario"])
        command = [program, "run", scenario, "--seed", str(task["seed"]), "--json", "--no-wall-time"]
        if task["series"]:
            command += ["--out", folder, *(f"--variable={name}" for name in task.get("variables", ()))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            if running is not None:
                running.add(process)
            out, errors = process.communicate()
            if running is not None:
                running.discard(process)
        if process.returncode != 0:
            lines = errors.strip().splitlines() or [f"exit status {process.returncode}"]
            why = lines[-1].removeprefix("weir-lab: ").removeprefix("scenario: ")
            return {"refused" if process.returncode == 2 else "failed": why}
        series = {}
        for name in SERIES if task["series"] else ():
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                series[name] = file.read()
    return {"result": json.loads(out), "series": series}


def version(program):
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return (done.stdout.split() or ["unknown"])[-1]


def fitting(build):
    """(program of this machine, None), or (None, why there is none)."""
    program = build["program"] if os.access(build["program"], os.X_OK) else shutil.which("weir-lab")
    if program is None:
        return None, f"{os.uname().nodename}: there is neither {build['program']} nor a weir-lab on the PATH"
    if identity(program) != build["identity"]:
        return None, (f"{os.uname().nodename}: {program} is another build ({version(program)}, and {build['version']} is "
                      "wanted); results would not compare")
    return program, None


def remote(batch):
    """The same for several tasks on another machine, with the same build, and how long they took."""
    began_s = time.monotonic()
    program, why = fitting(batch["build"])
    outcomes = [simulate(program, task) if program else {"failed": why} for task in batch["tasks"]]
    return {"outcomes": outcomes, "seconds": time.monotonic() - began_s}


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.stdout.write(fitting(json.load(sys.stdin))[1] or "")
    else:
        json.dump(remote(json.load(sys.stdin)), sys.stdout)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fuzzes Weir's parsers, sessions, controllers, tools and elements with what they may be given.

    tools/fuzz --minutes 10                      every target for its share of the time
    tools/fuzz --minutes 5 --target session      one of them
    tools/fuzz --target session --input 01020304 one input again, given in hex
    tools/fuzz --malformed 100000000             so many malformed RTCP packets to a sender and a receiver
    tools/fuzz --minimise                        puts what was found to cover more into tests/fuzz/corpora

What covers something new is kept in build/fuzz/work from run to run. Fails when something was found, and
prints the command that repeats it. Uses libFuzzer (clang), and AFL++ as well where it is installed.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import run_tests

ROOT = pathlib.Path(run_tests.ROOT)
FUZZ = ROOT / "tests/fuzz"
BUILD = ROOT / "build/fuzz"
AFL_BUILD = ROOT / "build/afl"
PYTHON_TARGETS = ("trace_readers",)
# Small inputs: they run fast, and are kept in the repository.
LONGEST_BYTES = {"scenario": 600, "trace": 2000}
LONGEST_OTHER_BYTES = 160
# One input may take this long; weir-lab reads whole scenarios.
TIMEOUT_S = 20


def targets():
    """Their names: fuzz_NAME.c or fuzz_NAME.py of tests/fuzz."""
    return sorted(path.stem.removeprefix("fuzz_") for path in FUZZ.glob("fuzz_*.*"))


def read_corpus(path):
    """{input: name or ""} of a text with a line "HEX NAME" for each."""
    lines = path.read_text().splitlines() if path.exists() else []
    pairs = [line.partition(" ") for line in lines]
    return {bytes.fromhex(text): name for text, _, name in pairs}


def write_corpus(path, inputs):
    """Those with a name first, which are known answers and former findings; then by size."""
    order = sorted(inputs, key=lambda data: (inputs[data] == "", inputs[data], len(data), data))
    path.write_text("".join(f"{data.hex()} {inputs[data]}".rstrip(" ") + "\n" for data in order))


def unpack(target):
    """The corpus as files, one for each input, beside what earlier runs found."""
    folder = BUILD / "work" / target
    folder.mkdir(parents=True, exist_ok=True)
    for i, data in enumerate(read_corpus(FUZZ / "corpora" / f"{target}.hex")):
        (folder / f"corpus_{i}").write_bytes(data)
    return folder


class Result:
    """What one target did."""

    def __init__(self, target):
        self.target = target
        self.executions = 0
        self.coverage = None  # edges before and after
        self.findings = []

    def row(self):
        new = f"{self.coverage[0]} + {self.coverage[1] - self.coverage[0]}" if self.coverage else "-"
        return f"{self.target:14} {self.executions:12} {new:>14} {len(self.findings):9}"


def read_log(result, text):
    """From what libFuzzer prints."""
    covered = [int(n) for n in re.findall(r"\bcov: (\d+)", text)]
    counted = [int(n) for n in re.findall(r"^#(\d+)\s", text, re.M)]
    done = re.search(r"^stat::number_of_executed_units:\s*(\d+)", text, re.M)
    start = re.search(r"\sINITED\s+cov: (\d+)", text)
    result.executions = int(done.group(1)) if done else max(counted, default=0)
    if covered:
        result.coverage = (int(start.group(1)) if start else covered[0], covered[-1])
    return result


def environment():
    return dict(run_tests.clean_environment(), WEIR_SCENARIOS=str(ROOT / "scenarios"), G_DEBUG="fatal-criticals",
                UBSAN_OPTIONS="print_stacktrace=1", LSAN_OPTIONS=run_tests.SANITIZERS["LSAN_OPTIONS"])


def build(directory, targets, env, options=()):
    if run_tests.build(directory.name, options, env, targets) is None:
        sys.exit(f"tools/fuzz: {directory} cannot be built")


def build_targets(directory, compiler, names, env):
    wanted = [f"tests/fuzz/fuzz_{name}" for name in names if name not in PYTHON_TARGETS]
    build(directory, wanted, dict(env, CC=compiler), ["-Dfuzz=true", "-Dbench=false"])


def environment_of(target, env):
    """Whole stacks show tests/lsan.supp what GStreamer leaves behind; they cost the others too much."""
    return dict(env, ASAN_OPTIONS="fast_unwind_on_malloc=0") if target == "elements" else env


def program(target, directory=BUILD):
    return str(directory / "tests/fuzz" / f"fuzz_{target}")


def fuzz(target, seconds, seed, env):
    """libFuzzer for that long, then what it says of it."""
    findings = BUILD / "findings" / target
    shutil.rmtree(findings, ignore_errors=True)
    findings.mkdir(parents=True)
    log = BUILD / "work" / f"{target}.log"
    command = [program(target), f"-max_total_time={seconds}", f"-seed={seed}", f"-timeout={TIMEOUT_S}",
               f"-max_len={LONGEST_BYTES.get(target, LONGEST_OTHER_BYTES)}", "-print_final_stats=1",
               "-use_value_profile=1", f"-artifact_prefix={findings}/", str(unpack(target))]
    with open(log, "wb") as out:
        status = subprocess.run(command, cwd=ROOT, env=environment_of(target, env), stdout=out, stderr=out).returncode
    result = read_log(Result(target), log.read_text(errors="replace"))
    result.findings = [path.read_bytes() for path in sorted(findings.iterdir())]
    if status != 0 and not result.findings:
        sys.exit(f"tools/fuzz: {target} ended with {status}; see {log}")
    return result


def fuzz_afl(target, seconds, seed, env):
    """The same with AFL++, which shares the working corpus."""
    out = AFL_BUILD / "out" / target
    shutil.rmtree(out, ignore_errors=True)
    out.parent.mkdir(exist_ok=True)
    # It sets the options of sanitizers by itself, and bears no others.
    env = {name: value for name, value in env.items() if not name.endswith("SAN_OPTIONS")}
    env.update(AFL_SKIP_CPUFREQ="1", AFL_NO_UI="1", AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES="1")
    subprocess.run(["afl-fuzz", "-V", str(seconds), "-s", str(seed), "-i", unpack(target), "-o", out, "--",
                    program(target, AFL_BUILD)], cwd=ROOT, stdout=subprocess.DEVNULL, check=True, env=env)
    result = Result(target + " (AFL++)")
    stats = (out / "default/fuzzer_stats").read_text()
    result.executions = int(re.search(r"^execs_done\s*: (\d+)", stats, re.M).group(1))
    result.findings = [path.read_bytes() for path in sorted((out / "default/crashes").glob("id:*"))]
    for path in (out / "default/queue").glob("id:*"):
        shutil.copy(path, BUILD / "work" / target / f"afl_{path.name[3:9]}")
    return result


def fuzz_python(target, seconds, seed, env):
    """A generator of ours, which prints how many inputs it tried and the seeds of those that fail."""
    done = subprocess.run([sys.executable, FUZZ / f"fuzz_{target}.py", "--seconds", str(seconds), "--seed", str(seed)],
                          cwd=ROOT, env=env, capture_output=True, text=True)
    result = Result(target)
    result.executions = sum(int(n) for n in re.findall(r"^(\d+) inputs", done.stdout, re.M))
    result.findings = re.findall(r"^failed: seed (\d+)", done.stdout, re.M)
    if done.returncode != 0 and not result.findings:
        sys.exit(f"tools/fuzz: {target}: {done.stderr}")
    return result


def repeat_command(target, finding):
    given = finding if isinstance(finding, str) else finding.hex()
    return f"tools/fuzz --target {target.split()[0]} --input {given or '-'}"


def repeat(target, given, env):
    if target in PYTHON_TARGETS:
        return subprocess.run([sys.executable, FUZZ / f"fuzz_{target}.py", "--input", given], env=env).returncode
    path = BUILD / "work" / "input"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes.fromhex(given.removeprefix("-")))
    return subprocess.run([program(target), path], cwd=ROOT, env=environment_of(target, env)).returncode


def minimise(target, env):
    """The fewest of the working inputs that cover as much, and all that have a name."""
    known = FUZZ / "corpora" / f"{target}.hex"
    merged = BUILD / "merged" / target
    shutil.rmtree(merged, ignore_errors=True)
    merged.mkdir(parents=True)
    # The codecs are small: that a comparison came closer is worth an input, too.
    profile = int(target.startswith("codec_"))
    subprocess.run([program(target), "-merge=1", f"-use_value_profile={profile}", str(merged), str(unpack(target))],
                   cwd=ROOT, env=environment_of(target, env), check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    named = {data: name for data, name in read_corpus(known).items() if name}
    small = {path.read_bytes(): "" for path in merged.iterdir()}
    write_corpus(known, {**small, **named})
    print(f"{target}: {len({**small, **named})} inputs, {known.stat().st_size} bytes")


def malformed(n, seed, env):
    plain, name = ROOT / "build/plain", "tests/fuzz/malformed_rtcp"
    build(plain, [name], env)
    return subprocess.run([plain / name, FUZZ / "corpora/codec_rtcp.hex", str(n), str(seed)], env=env).returncode


def run_all(names, minutes, seed, env):
    afl = [name for name in names if name not in PYTHON_TARGETS] if shutil.which("afl-clang-fast") else []
    seconds = max(1, round(60 * minutes / (len(names) + len(afl))))
    if afl:
        build_targets(AFL_BUILD, "afl-clang-fast", afl, env)
    results = []
    print(f"{'target':14} {'executions':>12} {'edges + new':>14} {'findings':>9}")
    for name in names:
        results.append((fuzz_python if name in PYTHON_TARGETS else fuzz)(name, seconds, seed, env))
        print(results[-1].row(), flush=True)
        if name in afl:
            results.append(fuzz_afl(name, seconds, seed, env))
            print(results[-1].row(), flush=True)
    for result in results:
        for finding in result.findings:
            print(f"FOUND, again with: {repeat_command(result.target, finding)}")
    return any(result.findings for result in results)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10, help="for all targets together (10)")
    parser.add_argument("--target", action="append", choices=targets(), help="only this one; may be repeated")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the generators (the time)")
    parser.add_argument("--input", metavar="HEX", help="run one input of one target again; - is the empty one")
    parser.add_argument("--minimise", action="store_true", help="rewrite the corpora")
    parser.add_argument("--malformed", type=int, metavar="N", help="this many malformed RTCP packets")
    given = parser.parse_args()
    env = environment()
    names = given.target or targets()
    if given.malformed is not None:
        return malformed(given.malformed, given.seed, env)
    if any(name not in PYTHON_TARGETS for name in names):
        build_targets(BUILD, "clang", names, env)
    if given.input is not None:
        return repeat(names[0], given.input, env) if len(names) == 1 else parser.error("--input needs one --target")
    if given.minimise:
        for name in names:
            if name not in PYTHON_TARGETS:
                minimise(name, env)
        return 0
    print(f"seed {given.seed}")
    return int(run_all(names, given.minutes, given.seed, env))


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())

# SPDX-License-Identifier: LGPL-2.1-or-later
"""What bash completes is what the programs' --help says. WEIR_LAB is the program."""
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import tap  # noqa: E402

PROGRAM = os.environ.get("WEIR_LAB", "weir-lab")
COMPLETIONS = os.path.join(ROOT, "tools", "completions")
# What the package bash-completion gives, as far as it is used; no names of files.
BASH = r"""
_init_completion() { words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}; }
_parse_help() { grep -Eo -- '--[a-z][a-z-]*=?'; }
_filedir() { :; }
. "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_weir_lab "$1"
printf '%s\n' "${COMPREPLY[@]}"
"""


def completed(*words):
    """What may stand in the place of the last word."""
    done = subprocess.run(["bash", "-c", BASH, "bash", os.path.join(COMPLETIONS, "weir-lab"), PROGRAM, *words], text=True, timeout=60,
                          capture_output=True, check=False, env=dict(os.environ, WEIR_SCENARIOS=os.path.join(ROOT, "scenarios")))
    return set(done.stdout.split())


def help_of(*words):
    return subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout


class Completions(unittest.TestCase):
    def commands(self):
        found = re.findall(r"(?m)^  ([a-z]+) ", help_of().split("Commands:")[1].split("\n\n")[0])
        self.assertLessEqual({"run", "list"}, set(found))
        return found

    def test_the_commands_are_those_of_help(self):
        self.assertEqual(completed(""), {"--help", "--version", *self.commands()})
        self.assertEqual(completed("ru"), {"run"})

    def test_each_command_has_the_options_of_its_help(self):
        for command in self.commands():
            options = set(re.findall(r"(?m)^  (?:-\w, |    )?(--[a-z-]+)", help_of(command)))
            self.assertIn("--help", options)
            self.assertEqual({option.rstrip("=") for option in completed(command, "-")}, options, command)

    def test_names_are_those_that_it_lists(self):
        topics = re.search(r"list \[OPTION…\] (\S+)", help_of("list"))[1].split("|")
        self.assertEqual(completed("list", ""), set(topics))
        for words in (("run", "-a", ""), ("replay", "--algorithm", ""), ("list", "params", "")):
            self.assertLessEqual({"gcc", "tfrc"}, completed(*words), words)
        for command in ("run", "show"):
            self.assertIn("call", completed(command, ""))

    def test_every_other_program_is_completed_from_its_help(self):
        with open(os.path.join(COMPLETIONS, "others"), encoding="utf-8") as file:
            named = re.search(r"(?m)^complete -F _longopt (.*)$", file.read())[1].split()
        launched = {name for name in os.listdir(os.path.join(ROOT, "tools")) if re.fullmatch(r"weir-\w+", name)}
        self.assertEqual(set(named), {"weir-link", *launched})


if __name__ == "__main__":
    tap.main()

"""Lets benchmark programs take turns at each figure; bench.h describes the protocol.

A program is stopped (SIGSTOP) while it is another one's turn, so that threads that still spin after
their work take no time from the program that is measured.
"""

import ctypes
import math
import os
import re
import signal
import subprocess
import sys
import time

# The programs that take turns, in the order of the table; the longest comes last.
PROGRAMS = ("vae_step adam_limit small_ops ops norms gemm linear conv pooling attention sequence models scaling json_state "
            "safetensors every_op").split()
# No further round of a line begins after this many seconds, but each line gets two rounds.
LINE_SECONDS = 2
# A turn counts if one of its batches waited for at most this share of its time: the time is then too
# long by at most a ninth.
MOST_WAITED = 0.1
# What time_line() says instead of a time if no turn counts: the time of threads that wait for each
# other is then up to 100 times too long.
WAITED = "waited for a core"
LIBC = ctypes.CDLL(None)


def builds(count, usage):
    """The build folders of the command line. They have programs, and results can be written to them."""
    if sys.argv[1:] in (["--help"], ["-h"]):
        print(usage)
        sys.exit(0)
    if len(sys.argv) != count + 1:
        sys.exit(usage)
    folders = [os.path.abspath(argument) for argument in sys.argv[1:]]
    for folder in folders:
        if not os.path.isdir(os.path.join(folder, "bin")):
            sys.exit(f"{folder} is no build folder: it has no bin")
        if not os.access(folder, os.W_OK):
            sys.exit(f"the folder cannot be written: {folder}")
    return folders


def numbers(variable, otherwise):
    """The whole numbers above 0 of a variable of the environment."""
    text = os.environ.get(variable) or otherwise
    if not all(word.isdecimal() and int(word) > 0 for word in text.split()):
        sys.exit(f"{variable} should be whole numbers above 0, got '{text}'")
    return [int(word) for word in text.split()]


def chosen():
    """The programs to run, the numbers of threads and the rounds, as the environment says."""
    programs = os.environ.get("PROGRAMS", "").split() or PROGRAMS
    return programs, numbers("THREADS", "1 2"), numbers("ROUNDS", "5")[0]


class Lines:
    """The lines to time: those in which the regular expression LINES of the environment is found,
    all without it."""

    def __init__(self):
        self.pattern = re.compile(os.environ.get("LINES", ""))

    def __contains__(self, line):
        return self.pattern.search(line) is not None


def die_with_driver():
    """Runs in a new process: kills it when the driver ends, lest it stay behind stopped."""
    pr_set_pdeathsig = 1
    LIBC.prctl(pr_set_pdeathsig, signal.SIGKILL)


def usable(nanoseconds):
    return isinstance(nanoseconds, float) and math.isfinite(nanoseconds) and nanoseconds > 0


def complain(message):
    print(message, file=sys.stderr, flush=True)


class Program:
    """A benchmark program that waits for its turn. `name` is the line that it will time next; None
    after the last one, and when the program failed."""

    def __init__(self, command, log=None):
        self.command, self.name, self.process = [str(part) for part in command], None, None
        try:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                env={**os.environ, "BENCH_TURNS": "1"}, preexec_fn=die_with_driver)
        except OSError as error:
            complain(f"{self.command[0]}: {error.strerror}")
            return
        self.name = self._read("line")
        self.process.send_signal(signal.SIGSTOP)

    def _read(self, word):
        line = self.process.stdout.readline().rstrip("\n")
        found, _, rest = line.partition("\t")
        if line and found == word:
            return rest
        if line:
            complain(f"{' '.join(self.command)}: expected \"{word}\", found \"{line}\" (a program "
                     "that cannot take turns?)")
            self.process.kill()
        code = self.process.wait()
        if code != 0 and not line:
            complain(f"{' '.join(self.command)}: failed with status {code}")
        self.name = None
        return None

    def _ask(self, command, answer):
        self.process.send_signal(signal.SIGCONT)
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except OSError:
            pass  # The program ended; reading its output reports the reason.
        result = self._read(answer)
        self.process.send_signal(signal.SIGSTOP)
        return result

    def time(self):
        """Nanoseconds of the line in one turn, None if the program cannot say, and the smallest share
        of the time of a batch that its threads waited for a core."""
        if self.name is None:
            return None, 0
        line, answer = self.name, self._ask("time", "time")
        try:
            # Older programs do not tell the share.
            result, waited = map(float, ((answer or "") + "\t0").split("\t")[:2])
        except ValueError:
            return None, 0
        if not usable(result):
            complain(f"{' '.join(self.command)}: {line}: {result} ns is no time")
        return result, waited

    def move(self, cpu):
        """Puts the main thread on one processor."""
        if self.name is not None:
            os.sched_setaffinity(self.process.pid, [cpu])

    def next(self):
        """Goes on to the next line."""
        if self.name is not None:
            self.name = self._ask("next", "line")

    def end(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def names_of(command, log):
    program, names = Program(command, log), []
    while program.name is not None:
        names.append(program.name)
        program.next()
    program.end()
    return names


def figure_of(turns):
    """The smallest time of a program's turns, which Program.time() returned. None if any turn failed,
    WAITED if the program waited in each of them."""
    if not all(usable(nanoseconds) for nanoseconds, _ in turns):
        return None
    if min(waited for _, waited in turns) > MOST_WAITED:
        return WAITED
    return min(nanoseconds for nanoseconds, _ in turns)


def time_line(programs, rounds, threads):
    """The figure of each program."""
    cpus = sorted(os.sched_getaffinity(0))[:2]
    times = [[] for _ in programs]
    start = time.monotonic()
    for round_ in range(rounds):
        if round_ >= 2 and time.monotonic() - start > LINE_SECONDS:
            break
        for program in programs if threads == 1 else ():
            # Programs on different processors would have different neighbours.
            program.move(cpus[round_ % len(cpus)])
        order = list(zip(programs, times))
        for program, found in order if round_ % 2 == 0 else reversed(order):
            if all(usable(nanoseconds) for nanoseconds, _ in found):
                found.append(program.time())
    return [figure_of(found) for found in times]


def take_turns(commands, threads, rounds, only=None, log=None):
    """Yields (line, times): the figure of each command, None where it has none. `threads` is the number
    that the commands ask for. A line that just one program has is timed alone. `only` holds the
    lines to time; all without. `rounds` is a function, asked before each line."""
    programs = [Program(command, log) for command in commands]
    names = None
    try:
        while any(program.name is not None for program in programs):
            waiting = [program for program in programs if program.name is not None]
            line = waiting[0].name
            if any(program.name != line for program in waiting):
                # The programs differ. A line that another program prints later waits for it.
                names = names or [names_of(command, log) for command in commands]
                later = [own[own.index(program.name) + 1:]
                         for program, own in zip(programs, names) if program.name is not None]
                line = next((program.name for program in waiting
                             if not any(program.name in rest for rest in later)), line)
            here = [program for program in waiting if program.name == line]
            if only is None or line in only:
                found = dict(zip(map(id, here), time_line(here, rounds(), threads)))
                yield line, [found.get(id(program)) for program in programs]
            for program in here:
                program.next()
    finally:
        for program in programs:
            program.end()

#!/usr/bin/env python3
"""Measures what luvus' client costs: repaints, keystrokes, idling, and how soon the finder finds.

    python3 bench/client.py [--quick] [--luvus PATH] [--json]

What the rows mean: docs/benchmarks.md. Linux only: processor time is read from /proc. Works in a temporary
folder with a LUVUS_HOME of its own, and ends what it started.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from latency import Failed, Luvus  # noqa: E402

SIZE = (200, 50)
PREFIX = b"\0"
ESCAPE = b"\x1b"
# What the two pages begin with: nothing of one is left on the screen of the other.
MARKS = ("oooooo", "######")

# Fills the screen with words in many colours, says that it did, and waits for ever. Other text for another number.
PAGE = r"""
import os, sys, tty
tty.setraw(0)
number = int(sys.argv[1])
cols, rows = os.get_terminal_size(0)
words = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do".split()
out = ["\x1b[2J\x1b[H"]
for row in range(rows):
    col = 0
    line = []
    while col + 12 < cols:
        word = words[(row * 7 + col + number) % len(words)]
        line.append("\x1b[38;5;%dm%s " % (17 + (row * 31 + col * 5 + number * 3) % 200, word))
        col += len(word) + 1
    out.append("".join(line) + ("\r\n" if row + 1 < rows else ""))
out.append("\x1b[0m\x1b[H" + ["", "oooooo", "######"][number])
os.write(1, "".join(out).encode())
while True:
    os.read(0, 1)
"""

# Answers each key with a character that moves on, as an editor at the end of its line does.
TYPED = r"""
import os, tty
tty.setraw(0)
os.write(1, b"\x1b[2J\x1b[20H" + b"typed-here")
col = 0
while True:
    for _ in os.read(0, 1):
        col += 1
        os.write(1, b"\x1b[3;%dH" % (1 + col % 150) + bytes([97 + col % 26]))
"""


def turns(pid):
    """How often each thread of a process was given a processor."""
    found = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat") as stat:
            found[task] = int(stat.read().split()[2])
    return found


def turned(before, after):
    """Turns of the threads that are there still, and of new ones."""
    return sum(count - before.get(task, 0) for task, count in after.items())


def cpu(pid):
    """Processor time of all threads of a process, in seconds."""
    used = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat") as stat:
            used += int(stat.read().split()[0])
    return used / 1e9


def repaint(folder, program, rounds):
    """Between two tabs full of other text: everything on the screen is drawn and sent anew each time."""
    luvus = Luvus(folder, program)
    try:
        client = luvus.ready(SIZE)
        page = os.path.join(folder, "page.py")
        with open(page, "w") as file:
            file.write(PAGE)
        for number in (1, 2):
            if number == 2:
                client.write(PREFIX + b"c")
                client.settle()
            client.write(f"exec {sys.executable} {page} {number}\r".encode())
            client.wait_for(MARKS[number - 1])
            client.settle()
        costs = []
        for turn in range(rounds):
            before = cpu(client.pid)
            client.write(PREFIX + b"n")
            client.wait_for(MARKS[turn % 2])
            client.settle()
            after = cpu(client.pid)
            costs.append((after - before) * 1000)
        # The prefix alone draws everything once, and sends what differs: the status bar.
        prefix = []
        for _ in range(rounds):
            before = cpu(client.pid)
            client.write(PREFIX)
            client.settle()
            after = cpu(client.pid)
            prefix.append((after - before) * 1000)
            client.write(ESCAPE)
            client.settle()
        return statistics.median(costs), statistics.median(prefix)
    finally:
        luvus.end()


def keystroke(folder, program, keys):
    """A key and the picture that answers it, one at a time."""
    luvus = Luvus(folder, program)
    try:
        client = luvus.ready(SIZE)
        typed = os.path.join(folder, "typed.py")
        with open(typed, "w") as file:
            file.write(TYPED)
        client.write(f"exec {sys.executable} {typed}\r".encode())
        client.wait_for("typed-here")
        client.settle()
        before = cpu(client.pid)
        for _ in range(keys):
            client.write(b"k")
            # its echo, whatever that is, and nothing after it
            if not client.read(5):
                raise Failed("a key was not answered")
            client.drain(0.004)
        after = cpu(client.pid)
        return (after - before) * 1000 / keys
    finally:
        luvus.end()


def idle(folder, program, seconds):
    """Turns of all threads of client and server while nothing happens."""
    luvus = Luvus(folder, program)
    try:
        client = luvus.ready(SIZE)
        client.write(PREFIX + b"v")
        client.settle()
        # Notices and threads that wait for more work have gone by then.
        client.drain(12)
        server = luvus.server_pid()
        before = turns(client.pid), turns(server)
        time.sleep(seconds)
        return turned(before[0], turns(client.pid)), turned(before[1], turns(server))
    finally:
        luvus.end()


def finder(folder, program, files):
    """From the keys of a whole query until a file that it finds is on the screen."""
    tree = os.path.join(folder, "tree")
    for number in range(files):
        name = os.path.join(tree, f"d{number % 40:02}", f"e{number // 40 % 50:02}")
        if number < 2_000:
            os.makedirs(name, exist_ok=True)
        with open(os.path.join(name, f"file{number:06}.txt"), "w"):
            pass
    luvus = Luvus(folder, program)
    luvus.folder = tree
    try:
        client = luvus.ready(SIZE)
        times = []
        for turn in range(7):
            client.write(PREFIX + b"/")
            client.wait_for("Navigate")
            client.settle()
            # to the scope of files
            client.write(b"\t\t")
            client.settle()
            wanted = f"file0{turn + 1}77"
            start = time.perf_counter()
            client.write(wanted.encode())
            times.append((client.wait_for(".txt") - start) * 1000)
            client.settle()
            client.write(ESCAPE)
            client.settle()
            client.write(ESCAPE)
            client.settle()
        return statistics.median(times), max(times)
    finally:
        luvus.end()


def measure(program, quick):
    rounds, keys, seconds, files = (5, 100, 5, 10_000) if quick else (40, 1_000, 20, 100_000)
    rows = {}
    steps = (
        (lambda at: zip(("switch between two full tabs, ms", "draw all, send a row, ms"), repaint(at, program, rounds))),
        (lambda at: [("a keystroke and its picture, ms", keystroke(at, program, keys))]),
        (lambda at: zip((f"turns of the idle client in {seconds} s", f"turns of the idle server in {seconds} s"), idle(at, program, seconds))),
        (lambda at: zip((f"finder over {files} files, first result, ms", "the slowest of seven, ms"), finder(at, program, files))),
    )
    for step in steps:
        folder = tempfile.mkdtemp(prefix="luvus-bench-")
        try:
            rows.update(step(folder))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few samples, to see that it works")
    parser.add_argument("--luvus", default="target/release/luvus", metavar="PATH")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    program = os.path.abspath(asked.luvus)
    if not os.path.exists(program):
        parser.error(f"{program} is not there: cargo build --release")
    if not os.path.isdir("/proc/self/task"):
        parser.error("processor time is read from /proc, which is not there")
    try:
        rows = measure(program, asked.quick)
    except (Failed, subprocess.SubprocessError) as error:
        sys.exit(f"client.py: {error}")
    if asked.json:
        print(json.dumps(rows, indent=2))
        return
    for name, value in rows.items():
        print(f"{name:50} {value:10.3f}")


if __name__ == "__main__":
    main()

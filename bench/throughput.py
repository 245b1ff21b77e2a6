#!/usr/bin/env python3
"""Measures luvus beside tmux: how long a pane takes for what a program prints.

    python3 bench/throughput.py [--quick] [--luvus PATH] [--only TEXT] [--json]

A program in a pane of 200x50 runs `cat` on a file and asks for the cursor's position behind it; the time
runs until the answer is there. Detached first, then with a client attached. Both multiplexers take turns,
the medians count. What the rows mean: docs/benchmarks.md. Works in a temporary folder with a LUVUS_HOME and
a tmux socket of its own, and ends what it started.
"""
import argparse
import fcntl
import json
import os
import re
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

from latency import LARGE, PATIENCE_S, Failed, Luvus, Tmux

MEGABYTE = 1_000_000
# A slow terminal takes its time for a file.
FILE_PATIENCE_S = 180

# Takes orders over a socket, a line each, and answers with a line: the name of a file that is to be shown, or
# the size of the pane. Keys come at once and are not echoed; what is printed goes the usual way.
DRIVER = """
import os, socket, subprocess, sys, time, tty
tty.setcbreak(0)
orders = socket.socket(socket.AF_UNIX)
orders.connect(sys.argv[1])
stream = orders.makefile("rw")
for order in stream:
    if order == "size\\n":
        answer = "%d %d" % tuple(os.get_terminal_size(0))
    else:
        began = time.perf_counter()
        subprocess.run(["cat", order.rstrip("\\n")], check=True)
        os.write(1, b"\\x1b[6n")
        while b"R" not in os.read(0, 1024):
            pass
        answer = str(time.perf_counter() - began)
    stream.write(answer + "\\n")
    stream.flush()
"""


def plain(number):
    return f"{number:8} the quick brown fox jumps over the lazy dog, and then over the next one, as lines do\n"


def colours(number):
    words = (f"\x1b[38;5;{(number * 7 + word * 13) % 256}mword{word:02} " for word in range(12))
    return "".join(words) + "\x1b[m\n"


def colour_cells(number):
    colors = ((number + cell) % 256 for cell in range(80))
    return "".join(f"\x1b[48;5;{color}m\x1b[38;5;{255 - color}mx" for color in colors) + "\x1b[m\n"


def wide(number):
    return f"{number} 漢字仮名交じり文は日本語の普通の書き方であり 🚀 한국어도 있다 ✨ 中文字符 🎉\n"


def redraw(number):
    rows = (
        f"\x1b[{row};1H\x1b[{31 + (number + row) % 7}m{row:4}\x1b[m  │ {'lorem ipsum dolor sit amet ' * 4}"
        f"\x1b[7m{number:8}\x1b[m\x1b[K"
        for row in range(1, 50)
    )
    return "\x1b[H" + "".join(rows)


STREAMS = (
    ("plain lines", plain, 40),
    ("256 colours, one per word", colours, 40),
    ("256 colours, two per cell", colour_cells, 40),
    ("CJK and emoji", wide, 40),
    ("full-screen redraws", redraw, 20),
)


def write_stream(path, unit, size):
    """A file of about `size` bytes: units numbered from 0 on, repeated from a piece of a megabyte."""
    piece, number, length = [], 0, 0
    while length < min(size, MEGABYTE):
        piece.append(unit(number).encode())
        length += len(piece[-1])
        number += 1
    block = b"".join(piece)
    with open(path, "wb") as file:
        for _ in range(max(1, round(size / len(block)))):
            file.write(block)


class Reader:
    """Reads all that a client draws, as fast as it comes."""

    def __init__(self, client):
        self.client = client
        self.drawn = 0
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            while not self.ending.is_set():
                self.drawn += len(self.client.read(0.2))
        except (Failed, OSError):
            pass

    def stop(self):
        self.ending.set()
        self.thread.join()


class Pane:
    """A multiplexer with one pane, in which the driver runs."""

    def __init__(self, mux):
        self.mux = mux
        self.reader = self.driver = None
        path = os.path.join(mux.folder, "orders")
        script = os.path.join(mux.folder, "driver.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(DRIVER)
        self.client = mux.ready(LARGE)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen()
            listener.settimeout(PATIENCE_S)
            self.client.write(f"{sys.executable} {script} {path}\r".encode())
            self.driver, _ = listener.accept()
        self.client.settle()
        self.fit(self.client)

    def fit(self, client):
        """Gives the client the size at which the pane has 200x50."""
        cols, rows = map(int, self.order("size", PATIENCE_S).split())
        cols, rows = 2 * LARGE[0] - cols, 2 * LARGE[1] - rows
        fcntl.ioctl(client.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        client.settle()
        size = self.order("size", PATIENCE_S)
        if size != f"{LARGE[0]} {LARGE[1]}":
            raise Failed(f"{self.mux.name}: the pane has the size {size}")

    def order(self, text, patience):
        self.driver.settimeout(patience)
        self.driver.sendall(text.encode() + b"\n")
        answer = self.driver.recv(1024)
        if not answer:
            raise Failed(f"{self.mux.name}: the program in the pane ended")
        return answer.decode().strip()

    def attach(self, attached):
        if attached:
            self.reader = Reader(self.client)
        else:
            # it stays where it is and draws nothing: its terminal is gone
            self.client.end()
            time.sleep(0.5)

    def show(self, path):
        return float(self.order(path, FILE_PATIENCE_S))

    def end(self):
        if self.reader:
            self.reader.stop()
        if self.driver:
            self.driver.close()
        self.mux.end()


def measure(makers, path, attached, rounds):
    """Seconds of each multiplexer, in turns; the first turn warms up."""
    panes, taken = [], {}
    try:
        for make, folder in makers:
            os.mkdir(folder)
            panes.append(Pane(make(folder)))
            panes[-1].attach(attached)
            taken[panes[-1].mux.name] = []
        for turn in range(rounds + 1):
            for pane in panes:
                seconds = pane.show(path)
                if turn > 0:
                    taken[pane.mux.name].append(seconds)
    finally:
        for pane in panes:
            pane.end()
    return taken


def resident(mux):
    """Mebibytes of the server in memory."""
    with open(f"/proc/{mux.server_pid()}/status", encoding="utf-8") as file:
        return int(re.search(r"^VmRSS:\s+(\d+) kB", file.read(), re.MULTILINE).group(1)) / 1024


def soak(makers, arguments, folder):
    """What the server holds before and after a pane of it has printed a gigabyte."""
    title = "server's memory, MiB: before, after 1 GB"
    if arguments.only not in title or not os.path.isdir("/proc/self"):
        return
    path = os.path.join(folder, "stream")
    write_stream(path, plain, 40 * MEGABYTE)
    row = {"what": title, "mebibytes": {}}
    for name, make in makers.items():
        home = os.path.join(folder, name)
        os.mkdir(home)
        mux = make(home)
        try:
            pane = Pane(mux)
            pane.attach(False)
            before = resident(mux)
            for _ in range(2 if arguments.quick else 25):
                pane.show(path)
            row["mebibytes"][name] = [round(before, 1), round(resident(mux), 1)]
        finally:
            mux.end()
        shutil.rmtree(home, ignore_errors=True)
    yield row


def rows(makers, arguments, folder):
    rounds, share = (2, 0.1) if arguments.quick else (arguments.rounds, 1)
    for attached in (False, True):
        for title, unit, megabytes in STREAMS:
            title = f"{title}, {'attached' if attached else 'detached'}"
            if arguments.only not in title:
                continue
            path = os.path.join(folder, "stream")
            write_stream(path, unit, int(megabytes * MEGABYTE * share))
            homes = [(make, os.path.join(folder, name)) for name, make in makers.items()]
            taken = measure(homes, path, attached, rounds)
            for _, home in homes:
                shutil.rmtree(home, ignore_errors=True)
            size = os.path.getsize(path) / MEGABYTE
            medians = {name: statistics.median(seconds) for name, seconds in taken.items()}
            row = {"what": title, "megabytes": round(size, 1), "seconds": taken, "median": medians}
            if "tmux" in medians:
                row["ratio"] = medians["luvus"] / medians["tmux"]
            yield row
    yield from soak(makers, arguments, folder)


def print_row(row, first):
    if "mebibytes" in row:
        columns = "".join(f"{before:8.1f} {after:6.1f}" for before, after in row["mebibytes"].values())
        print(f"{row['what']:40}{columns}", flush=True)
        return
    if first:
        print(f"{'seconds, median':40}{'MB':>6}{'luvus':>9}{'tmux':>9}{'ratio':>8}")
    tmux = row["median"].get("tmux")
    columns = f"{row['what']:40}{row['megabytes']:6.0f}{row['median']['luvus']:9.3f}"
    if tmux is not None:
        columns += f"{tmux:9.3f}{row['ratio']:8.2f}"
    print(columns, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--luvus", default="target/release/luvus", help="the program [target/release/luvus]")
    parser.add_argument("--quick", action="store_true", help="a tenth of each file, two rounds")
    parser.add_argument("--rounds", type=int, default=5, help="rounds after the one that warms up [5]")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the rows that contain TEXT")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.luvus)
    if not os.access(program, os.X_OK):
        sys.exit(f"{program} is missing: cargo build --release")
    # a stop signal takes the way of an interrupt, through all the clean-up
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    makers = {"luvus": lambda folder: Luvus(folder, program)}
    if shutil.which("tmux"):
        makers["tmux"] = Tmux
    else:
        print("tmux is not there and is left out", file=sys.stderr)
    done = []
    with tempfile.TemporaryDirectory(prefix="luvus-bench-") as folder:
        try:
            for row in rows(makers, arguments, os.path.realpath(folder)):
                done.append(row)
                if not arguments.json:
                    print_row(row, len(done) == 1)
        except (Failed, OSError, subprocess.TimeoutExpired) as error:
            sys.exit(f"failed: {error}")
    if arguments.json:
        print(json.dumps(done, indent=2))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)

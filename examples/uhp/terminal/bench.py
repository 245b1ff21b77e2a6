#!/usr/bin/env python3
"""The release benchmark of UHP: what direct calls cost, and what a server with idle panes costs.

    bench.py --luvus target/release/luvus --panes 1,10,50

Prints one JSON report. The figures are evidence of one machine and one build: compare matched release
binaries with the same workload, nothing else. Uses a LUVUS_HOME of its own below `target/`.
"""

import argparse
import json
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lab import Lab
from uhp_client import FRAME_BYTES, NAMESPACE

WARM_UP, IDLE_SETTLE_SECONDS = 20, 1.0
FLOOR_PEER = """
import socket
listener = socket.socket(fileno=0)
while True:
    connection, _ = listener.accept()
    connection.recv(4096)
    connection.sendall(b"y" * 64 + b"\\n")
    connection.close()
"""


def percentile(values, share):
    """The value that so many are not above."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def one_call(address, request, buffer):
    """Connection, request and reply; the bytes of the reply. Nothing is checked or parsed in here."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(address)
        connection.sendall(request)
        size = connection.recv_into(buffer)
        while size and buffer[size - 1] != 0x0A:
            size += connection.recv_into(memoryview(buffer)[size:])
        return size


def latency(client, method, params, rounds):
    """What one call takes, in microseconds. Part of it is this program: see `floor`."""
    request = json.dumps({"id": "bench", "method": method, "params": params}).encode() + b"\n"
    address, buffer, times, size = client.endpoint.address, bytearray(FRAME_BYTES), [], 0
    client.endpoint.connect(30).close()  # the endpoint is checked once
    for number in range(WARM_UP + rounds):
        started = time.perf_counter_ns()
        size = one_call(address, request, buffer)
        if number >= WARM_UP:
            times.append((time.perf_counter_ns() - started) / 1_000)
    reply = json.loads(buffer[:size])
    if "error" in reply:
        raise RuntimeError(f"{method}: {reply['error']['code']}")
    return {"response_bytes": size, **summary(times)}


def summary(times):
    return {
        "rounds": len(times), "median_us": round(percentile(times, 0.5), 1), "p95_us": round(percentile(times, 0.95), 1),
        "p99_us": round(percentile(times, 0.99), 1), "max_us": round(max(times), 1),
    }


def floor(rounds):
    """The same call to a peer in this host that only answers: what of a latency is not the server's."""
    folder = tempfile.mkdtemp(prefix="uhp-floor-")
    address, request, buffer, times = f"{folder}/s", b"x" * 64 + b"\n", bytearray(4_096), []
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(address)
    listener.listen()
    peer = subprocess.Popen([sys.executable, "-c", FLOOR_PEER], stdin=listener.fileno())
    try:
        for number in range(WARM_UP + rounds):
            started = time.perf_counter_ns()
            one_call(address, request, buffer)
            if number >= WARM_UP:
                times.append((time.perf_counter_ns() - started) / 1_000)
    finally:
        peer.kill()
        peer.wait()
        listener.close()
        shutil.rmtree(folder)
    return summary(times)


class LinuxProcess:
    """What `/proc` tells of a process."""

    def __init__(self, pid):
        self.folder = Path(f"/proc/{pid}")

    def cpu_seconds(self):
        fields = (self.folder / "stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wake_ups(self):
        """Voluntary switches by thread: each is a thread that woke up and slept again."""
        found = {}
        for status in self.folder.glob("task/*/status"):
            count = re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status.read_text(), re.M)
            found[status.parent.name] = int(count.group(1))
        return found

    def memory(self):
        found = {}
        for line in (self.folder / "smaps_rollup").read_text().splitlines():
            name, _, rest = line.partition(":")
            if name in ("Rss", "Pss", "Private_Dirty"):
                found[f"{name.lower()}_kib"] = int(rest.split()[0])
        return found

    def counts(self):
        return {"threads": len(list((self.folder / "task").iterdir())), "descriptors": len(list((self.folder / "fd").iterdir()))}


class MacProcess:
    """What the system's own tools tell of a process."""

    def __init__(self, pid):
        self.pid = str(pid)

    def _run(self, *command):
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout

    def cpu_seconds(self):
        minutes, seconds = self._run("ps", "-o", "cputime=", "-p", self.pid).strip().rsplit(":", 1)
        parts = [int(part) for part in minutes.split(":")]
        return (parts[-1] + 60 * sum(parts[:-1])) * 60 + float(seconds)

    def wake_ups(self):
        return None

    def memory(self):
        summary = self._run("vmmap", "-summary", self.pid)
        find = lambda pattern: (match.group(1) if (match := re.search(pattern, summary, re.M)) else None)
        return {
            "rss_kib": int(self._run("ps", "-o", "rss=", "-p", self.pid).strip() or 0),
            "physical_footprint": find(r"^Physical footprint:\s+(\S+)"),
            "physical_footprint_peak": find(r"^Physical footprint \(peak\):\s+(\S+)"),
            "live_malloc": find(r"^TOTAL\s+\S+\s+\S+\s+\S+\s+\S+\s+\S+\s+(\S+)"),
        }

    def counts(self):
        return {"threads": max(0, len(self._run("ps", "-M", self.pid).splitlines()) - 1),
                "descriptors": max(0, len(self._run("lsof", "-p", self.pid).splitlines()) - 1)}


def idle(process, seconds):
    """What the server does while nobody asks for anything."""
    time.sleep(IDLE_SETTLE_SECONDS)
    cpu, woken, started = process.cpu_seconds(), process.wake_ups(), time.monotonic()
    time.sleep(seconds)
    passed = time.monotonic() - started
    report = {"seconds": round(passed, 2), "cpu_percent": round(100 * (process.cpu_seconds() - cpu) / passed, 3)}
    if woken is not None:
        # A thread that ended meanwhile takes its count along, so each is compared with itself.
        since = sum(count - woken.get(thread, 0) for thread, count in process.wake_ups().items())
        report["wake_ups_per_second"] = round(since / passed, 2)
    return report


def measure(luvus, panes, rounds, seconds):
    """One server with so many idle shells."""
    lab = Lab(luvus)
    client = lab.start()
    lab.shell(client)
    for _ in range(panes - 1):
        client.call(NAMESPACE + "create", {"cwd": str(lab.work), "placement": {"kind": "workspace"}, "focus": False})
    entries = lab.terminals(client, panes)
    for entry in entries:
        locator = client.locator(entry)
        client.call(NAMESPACE + "submit_text", {**locator, "text": "seq 1 200; echo filled-$((1+1))"})
        client.call(NAMESPACE + "wait_output", {**locator, "after_revision": 0, "match": "filled-2", "timeout_ms": 60_000})
    locator = client.locator(entries[-1])
    calls = {
        "uhp.capabilities": {}, NAMESPACE + "inventory": {},
        NAMESPACE + "capture": {**locator, "mode": "visible", "lines": 100, "ansi": False},
    }
    process = (MacProcess if sys.platform == "darwin" else LinuxProcess)(lab.server.pid)
    report = {
        "panes": panes, "latency": {name: latency(client, name, params, rounds) for name, params in calls.items()},
        "idle": idle(process, seconds), "memory": process.memory(), **process.counts(),
    }
    lab.stop(client)
    return report


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--luvus", required=True, help="a release build")
    options.add_argument("--panes", default="1,10,50", help="numbers of panes [1,10,50]")
    options.add_argument("--rounds", type=int, default=500, help="calls of each method [500]")
    options.add_argument("--idle-seconds", type=float, default=10.0, help="how long idleness is watched [10]")
    options.add_argument("--output", help="write the report to this file, too")
    given = options.parse_args()
    version = subprocess.run([given.luvus, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    report = {
        "type": "uhp_benchmark", "version": 1, "program": version, "bytes": Path(given.luvus).stat().st_size,
        "host": {"system": platform.platform(), "processors": os.cpu_count(), "load": round(os.getloadavg()[0], 2)},
        "floor": floor(given.rounds),
        "runs": [measure(given.luvus, int(panes), given.rounds, given.idle_seconds) for panes in given.panes.split(",")],
    }
    text = json.dumps(report, indent=2)
    print(text)
    if given.output:
        Path(given.output).write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

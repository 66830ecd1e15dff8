#!/usr/bin/env python3
"""Runs the lab as its users do, several times, and records each process' time and its greatest resident memory.

    cargo build --release -p lab
    python benches/peers/processes.py --lab target/release/lab

Measured are `lab reproduce` with all its writing, on all cores, and one herd of a billion clients by cohorts, on one thread. The time is that
of the clock, from the start to the end. The memory is what the system says of the ended process; it counts from before the lab takes over from
the Python that starts it, so what Python has (`least_bytes`) is the least that can be measured. Needs Python 3.8 or later and a system with wait4.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from herd import scenario

BILLION = 1_000_000_000


def run(command):
    """The seconds and the bytes that a process took."""
    with tempfile.TemporaryFile() as said:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        process.returncode = status
        if status != 0:
            said.seek(0)
            sys.exit(f"{' '.join(command)} failed:\n{said.read().decode(errors='replace')}")
    # The unit is the system's own.
    unit = 1 if platform.system() == "Darwin" else 1024
    return seconds, usage.ru_maxrss * unit


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--lab", default="target/release/lab", help="the lab's binary (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="measured rounds, each of all processes (%(default)s)")
    parser.add_argument("--out", default="target/peers/processes.json", help="the JSON file (%(default)s)")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    measured = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "billion.toml"
        file.write_text(scenario(BILLION, 1, "pcg64", "cohort"))
        processes = {
            "reproduce": ["reproduce", "--out", str(Path(folder) / "reports")],
            f"cohort-{BILLION}": ["--jobs", "1", "run", str(file)],
        }
        for turn in range(arguments.rounds + 1):
            _, least = run(["true"])
            for name, options in processes.items():
                seconds, peak = run([arguments.lab, *options])
                if turn > 0:  # The first round warms up.
                    measured[name]["wall_s"].append(seconds)
                    measured[name]["peak_bytes"].append(peak)
    record = {
        "command": " ".join(["python benches/peers/processes.py", *sys.argv[1:]]),
        "least_bytes": least,
        "processes": measured,
    }
    out = Path(arguments.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(record, indent=2) + "\n")
    for name, numbers in measured.items():
        seconds, peak = max(numbers["wall_s"]), max(numbers["peak_bytes"])
        print(f"{name:18} at most {seconds:6.2f} s {peak / 1e6:6.1f} MB")
    print(f"written to {out}")


if __name__ == "__main__":
    main()

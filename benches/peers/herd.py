#!/usr/bin/env python3
"""Runs the published herd (full jitter) in plain CPython, in SimPy and in the lab, in turn, several times, and records the ratios.

    cargo build --release -p lab
    python -m pip install simpy
    python benches/peers/herd.py --lab target/release/lab

The three are one model with one stream of random numbers: before anything is measured, the outcome of every seed is compared, and a
difference ends the script with an error. What is measured is processor time, so that other work on the machine disturbs less; for the lab that
of the whole process, on one thread, from its start to the printed outcome. Needs Python 3.8 or later and a system with getrusage.
"""

import argparse
import json
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict, deque
from pathlib import Path
from random import Random

TICK = 0.01
BASE, CAP = 0.1, 10.0
DOWN_UNTIL, WINDOW, RESTART, GIVE_UP_AT = 100, 10, 100, 12_000  # in ticks


def wait_ticks(rng, failures):
    """The ticks of one full-jitter wait after so many failures."""
    return round(rng.uniform(0, min(CAP, BASE * 2**failures)) / TICK)


def first_tick(rng):
    """Spread 0, which draws too."""
    return int(rng.uniform(0, 0) / TICK)


class Server:
    """What both Python versions share: the window, the crashes, and which requests of a tick succeed."""

    def __init__(self, clients, rng):
        self.capacity = 5 * clients // 1000
        self.limit = 100 * clients // 1000
        self.rng = rng
        self.window = deque(maxlen=WINDOW)
        self.down_until = DOWN_UNTIL
        self.requests = 0
        self.crashes = 0

    def successes(self, tick, arrivals):
        """The positions of those that succeed among a tick's arrivals."""
        self.requests += arrivals
        self.window.append(arrivals)
        if tick >= self.down_until and sum(self.window) > self.limit:
            self.down_until = tick + RESTART
            self.crashes += 1
        if tick < self.down_until:
            return set()
        return set(self.rng.sample(range(arrivals), min(self.capacity, arrivals)))


def plain(clients, seed):
    """A loop over ticks: (finish in ticks or None, requests, crashes)."""
    rng = Random(seed)
    server = Server(clients, rng)
    due = defaultdict(list)
    for client in range(clients):
        due[first_tick(rng)].append(client)
    failures = [0] * clients
    left = clients
    for tick in range(GIVE_UP_AT):
        batch = due.pop(tick, [])
        succeed = server.successes(tick, len(batch))
        for position, client in enumerate(batch):
            if position in succeed:
                left -= 1
                continue
            failures[client] += 1
            due[tick + 1 + wait_ticks(rng, failures[client])].append(client)
        if left == 0:
            return tick + 1, server.requests, server.crashes
    return None, server.requests, server.crashes


def simpy_version(clients, seed):
    """The same in SimPy: each client a process, and one process that ends each tick half a tick after its sends."""
    import simpy

    rng = Random(seed)
    server = Server(clients, rng)
    env = simpy.Environment()
    answers = []
    done = env.event()
    left = clients

    def client(first):
        failures = 0
        yield env.timeout(first)
        while True:
            answer = env.event()
            answers.append(answer)
            if (yield answer):
                return
            failures += 1
            yield env.timeout(0.5 + wait_ticks(rng, failures))

    def ticks():
        nonlocal left
        yield env.timeout(0.5)
        for tick in range(GIVE_UP_AT):
            batch = answers.copy()
            answers.clear()
            succeed = server.successes(tick, len(batch))
            for position, answer in enumerate(batch):
                answer.succeed(position in succeed)
            left -= len(succeed)
            if left == 0:
                done.succeed(tick + 1)
                return
            yield env.timeout(1)
        done.succeed(None)

    for _ in range(clients):
        env.process(client(first_tick(rng)))
    env.process(ticks())
    return env.run(until=done), server.requests, server.crashes


def scenario(clients, seeds, rng, engine):
    """The same experiment for the lab."""
    return f"""
model = "herd"
question = "How fast is the lab?"
rng = "{rng}"
engine = "{engine}"
seeds = {{ first = 0, count = {seeds} }}

[herd]
clients = {clients}
spread = "0s"
tick = "10ms"
capacity_per_tick = {5 * clients // 1000}
down_until = "1s"
crash = {{ window = "100ms", limit = {100 * clients // 1000}, restart = "1s" }}
give_up_at = "120s"

[[strategy]]
name = "full jitter"
backoff = {{ kind = "full-jitter", base = "100ms", cap = "10s", exponent_from = 1 }}
"""


def processor_s(who):
    """The processor time that this process (RUSAGE_SELF) or its ended children (RUSAGE_CHILDREN) have used."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def lab(program, file):
    """The outcomes of all seeds, and the seconds that the process took."""
    command = [program, "--jobs", "1", "run", file, "--format", "json"]
    start = processor_s(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seconds = processor_s(resource.RUSAGE_CHILDREN) - start
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{ran.stderr}")
    runs = json.loads(ran.stdout)["strategies"][0]["runs"]
    return [(run["finish_ticks"], run["requests"], run["crashes"]) for run in runs], seconds


def timed(run, clients, seeds):
    """The outcomes of all seeds, and the seconds that they took."""
    start = processor_s(resource.RUSAGE_SELF)
    outcomes = [run(clients, seed) for seed in range(seeds)]
    return outcomes, processor_s(resource.RUSAGE_SELF) - start


def measure(arguments, folder):
    """Requests per second of processor time by implementation: one number for each round."""
    clients = arguments.clients
    few = max(1, 20_000 // clients)
    many = few * 100
    # The lab is so much faster that it gets a hundred times the seeds; the first of them are those of the others.
    implementations = {
        "cpython": lambda: timed(plain, clients, few),
        "simpy": lambda: timed(simpy_version, clients, few),
    }
    for name, rng, engine in [
        ("lab exact cpython", "cpython", "exact"),
        ("lab exact pcg64", "pcg64", "exact"),
        ("lab cohort", "pcg64", "cohort"),
    ]:
        file = Path(folder) / f"{name.replace(' ', '-')}.toml"
        file.write_text(scenario(clients, many, rng, engine))
        implementations[name] = lambda file=file: lab(arguments.lab, file)
    rates = defaultdict(list)
    for turn in range(arguments.rounds + 1):
        outcomes = {}
        for name, run in implementations.items():
            outcomes[name], seconds = run()
            if turn > 0:  # The first round warms up and compares.
                requests = sum(requests for _, requests, _ in outcomes[name])
                rates[name].append(requests / seconds)
        published = outcomes["cpython"]
        if outcomes["simpy"] != published or outcomes["lab exact cpython"][:few] != published:
            sys.exit("the implementations disagree: nothing was measured")
    return rates


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--lab", default="target/release/lab", help="the lab's binary (%(default)s)")
    parser.add_argument("--clients", type=int, default=1000, help="a multiple of 1000 (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="measured rounds, each of all implementations (%(default)s)")
    parser.add_argument("--out", help="the JSON file (target/peers/herd-CLIENTS.json)")
    arguments = parser.parse_args()
    if arguments.clients < 1000 or arguments.clients % 1000 != 0 or arguments.rounds < 1:
        parser.error("--clients must be a multiple of 1000, --rounds at least 1")
    try:
        import simpy
    except ImportError:
        sys.exit("SimPy is missing: python -m pip install simpy")
    with tempfile.TemporaryDirectory() as folder:
        rates = measure(arguments, folder)
    median = {name: statistics.median(values) for name, values in rates.items()}
    record = {
        "command": "python benches/peers/herd.py " + " ".join(sys.argv[1:]),
        "clients": arguments.clients,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "simpy": simpy.__version__,
        "requests_per_processor_s": dict(rates),
        "median_requests_per_processor_s": median,
        # Of the rounds' own ratios, so that what slows a whole round down cancels out.
        "times_cpython": {
            name: statistics.median(a / b for a, b in zip(values, rates["cpython"]))
            for name, values in rates.items()
        },
    }
    out = Path(arguments.out or f"target/peers/herd-{arguments.clients}.json")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(record, indent=2) + "\n")
    for name, rate in median.items():
        print(f"{name:18} {rate / 1e6:10.3f} M requests/s {record['times_cpython'][name]:9.2f} times CPython")
    print(f"written to {out}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The hold model in SimPy. Prints Google Benchmark's JSON, as far as bench/compare reads it."""
import gc
import json
import math
import random
import sys
import time

import simpy

MEAN_INCREMENT = 1e9
DRAWN = 1 << 16


def measure(n, events=100_000):
    """ns per event with n processes pending."""
    source = random.Random(12345)
    increments = [1 + int(-math.log(1 - source.random()) * MEAN_INCREMENT) for _ in range(DRAWN)]
    drawn = 0

    def timer(env):
        nonlocal drawn
        while True:
            drawn += 1
            yield env.timeout(increments[drawn & (DRAWN - 1)])

    env = simpy.Environment()
    for _ in range(n):
        env.process(timer(env))
    env.run(until=MEAN_INCREMENT / n * events)
    gc.collect()
    gc.freeze()  # or the collector walks the million generators again and again
    before, start = drawn, time.perf_counter()
    env.run(until=env.now + MEAN_INCREMENT / n * events)
    return (time.perf_counter() - start) * 1e9 / max(1, drawn - before)


def main():
    wanted = [int(n) for n in sys.argv[1:]] or [100, 10_000, 1_000_000]
    results = [{"name": f"hold/simpy/{n}", "ns_per_event": measure(n)} for n in wanted]
    json.dump({"benchmarks": results}, sys.stdout)


if __name__ == "__main__":
    main()

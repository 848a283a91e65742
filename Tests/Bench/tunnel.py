#!/usr/bin/env python3
"""A slow link in user space: carries IP packets between two network namespaces, each way late and at a limited rate.

    tunnel.py NEAR FAR MBIT DELAY QUEUE     seconds; makes the interface "slow" in both, says "ready", and ends when its
                                            standard input does

What waits longer than QUEUE for its turn on the wire is dropped, as a router does. What `tc netem` would do.
"""
import contextlib
import fcntl
import os
import select
import struct
import sys
import time
from collections import deque

from wire import enter

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
# An interface takes no packet longer than its MTU; this is more.
LONGEST = 65_536


class Way:
    """One direction: when each packet may arrive, and those that are under way."""

    def __init__(self, source, target, rate, delay, queue):
        self.source, self.target = source, target
        self.rate, self.delay, self.queue = rate, delay, queue
        self.free = 0.0
        self.packets = deque()

    def take(self, now):
        packet = os.read(self.source, LONGEST)
        start = max(self.free, now)
        if start - now > self.queue:
            return
        self.free = start + len(packet) / self.rate
        self.packets.append((self.free + self.delay, packet))

    def deliver(self, now):
        while self.packets and self.packets[0][0] <= now:
            packet = self.packets.popleft()[1]
            with contextlib.suppress(OSError):      # an end that is not up yet loses it
                os.write(self.target, packet)

    def due(self):
        return self.packets[0][0] if self.packets else None


def interface(namespace):
    """The interface belongs to the namespace in which the device is opened."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    enter(os.open(f"/run/netns/{namespace}", os.O_RDONLY))
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"slow", IFF_TUN | IFF_NO_PI))
    enter(home)
    return device


def main(near, far, mbit, delay, queue):
    ends = interface(near), interface(far)
    rate = float(mbit) * 1e6 / 8
    ways = {source: Way(source, target, rate, float(delay), float(queue)) for source, target in (ends, ends[::-1])}
    print("ready", flush=True)
    while True:
        now = time.monotonic()
        dues = [due for way in ways.values() if (due := way.due()) is not None]
        ready, _, _ = select.select([*ends, sys.stdin], [], [], max(0, min(dues) - now) if dues else None)
        if sys.stdin in ready:
            return
        now = time.monotonic()
        for end in ready:
            ways[end].take(now)
        for way in ways.values():
            way.deliver(now)


if __name__ == "__main__":
    main(*sys.argv[1:])

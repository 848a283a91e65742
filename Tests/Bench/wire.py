#!/usr/bin/env python3
"""A proxy between a client and the server that counts bytes and turns, and can add a delay. It does not touch TLS.

    with Tap(server_port, round_trip=0.04) as tap:      # tap.port is where the client goes
        ...
    tap.counts                                          # connections, up, down, turns

    wire.py --to PORT [--round-trip SECONDS] [--listen ADDRESS] [--namespace NAME]
        prints its port, and the counts when its standard input ends

A turn is a burst of the client that follows bytes of the server: how often the client waited before it went on. The
handshake of TLS and its farewell are no turns; they are alike for every client. Every byte is late by half a round trip
each way; the three packets that open a TCP connection are not.
"""
import argparse
import asyncio
import ctypes
import json
import os
import socket
import subprocess
import sys

CHUNK = 1 << 16
# Chunks under way each way: 64 MB, far more than any round trip holds; then the sender has to wait.
UNDER_WAY = 1024
CLONE_NEWNET = 0x40000000


class Tap:
    def __init__(self, to, round_trip=0.0, listen="127.0.0.1", namespace=None):
        self.command = [sys.executable, __file__, "--to", str(to), "--round-trip", str(round_trip), "--listen", listen,
                        *(["--namespace", namespace] if namespace else [])]
        self.counts = None

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        first = self.process.stdout.readline()
        if not first:
            raise RuntimeError("the tap did not start")
        self.port = int(first)
        return self

    def __exit__(self, kind, *_):
        self.process.stdin.close()
        answer = self.process.stdout.read()
        self.process.wait(30)
        if kind is None:
            self.counts = json.loads(answer)


class Records:
    """The client's side of TLS, by the heads of its records: is there application data in these bytes?

    In TLS 1.3 the client's Finished looks like application data, and so does the alert at the end, which is shorter
    than any command can be (RFC 8446, section 5.2). Bytes that are not TLS are application data.
    """

    LONGEST_ALERT = 19

    def __init__(self):
        self.head, self.left = b"", 0
        self.handshakes, self.finished, self.plain = 0, False, False

    def application(self, data):
        self.plain = self.plain or (not self.handshakes and not self.head and data[:1] != b"\x16")
        found, position = self.plain, 0
        while not self.plain and position < len(data):
            if self.left:
                step = min(self.left, len(data) - position)
                self.left -= step
            else:
                step = 5 - len(self.head)
                self.head += data[position:position + step]
                if len(self.head) == 5:
                    self.left = int.from_bytes(self.head[3:], "big")
                    found |= self._opens(self.head[0], self.left)
                    self.head = b""
            position += step
        return found

    def _opens(self, kind, length):
        if kind == 22:
            self.handshakes += 1
        if kind != 23 or length <= self.LONGEST_ALERT:
            return False
        is_command = self.finished or self.handshakes > 1
        self.finished = True
        return is_command


class Proxy:
    def __init__(self, to, delay):
        self.to, self.delay = to, delay
        self.counts = {"connections": 0, "up": 0, "down": 0, "turns": 0}

    async def connection(self, reader, writer):
        self.counts["connections"] += 1
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.to)
        except OSError:
            return writer.close()
        records, answered = Records(), [True]

        def up(data):
            self.counts["up"] += len(data)
            if records.application(data):
                self.counts["turns"] += answered[0]
                answered[0] = False

        def down(data):
            self.counts["down"] += len(data)
            answered[0] = True

        await asyncio.gather(self.carry(reader, far_writer, up), self.carry(far_reader, writer, down))

    async def carry(self, reader, writer, note):
        """One direction; its end is carried over too, after all that came before it."""
        loop, late = asyncio.get_running_loop(), asyncio.Queue(UNDER_WAY)

        async def deliver():
            while (item := await late.get()) is not None:
                due, data = item
                if (wait := due - loop.time()) > 0:
                    await asyncio.sleep(wait)
                if not writer.is_closing():
                    try:
                        writer.write(data)
                        await writer.drain()
                    except OSError:
                        writer.close()      # what still comes is read and dropped
            writer.close()

        delivery = asyncio.create_task(deliver())
        try:
            while data := await reader.read(CHUNK):
                note(data)
                await late.put((loop.time() + self.delay, data))
        except OSError:
            pass
        await late.put(None)
        await delivery


def listening(address, namespace):
    """A socket that belongs to a network namespace stays there, wherever the process goes afterwards."""
    if not namespace:
        return socket.create_server((address, 0))
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    enter(os.open(f"/run/netns/{namespace}", os.O_RDONLY))
    try:
        return socket.create_server((address, 0))
    finally:
        enter(home)


def enter(descriptor):
    """os.setns came with Python 3.12."""
    if ctypes.CDLL(None, use_errno=True).setns(descriptor, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")
    os.close(descriptor)


async def serve(options):
    proxy, loop = Proxy(options.to, options.round_trip / 2), asyncio.get_running_loop()
    listener = listening(options.listen, options.namespace)
    server = await asyncio.start_server(proxy.connection, sock=listener, limit=CHUNK)
    print(listener.getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()
    print(json.dumps(proxy.counts), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=int, required=True)
    parser.add_argument("--round-trip", type=float, default=0.0)
    parser.add_argument("--listen", default="127.0.0.1")
    parser.add_argument("--namespace")
    asyncio.run(serve(parser.parse_args()))

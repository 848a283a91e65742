#!/usr/bin/env python3
"""Runs a command as if its terminal were far away: keys arrive late and byte by byte, and so does what it prints.

    far.py SECONDS COMMAND ...      each direction takes that long
"""
import fcntl
import os
import pty
import queue
import re
import signal
import sys
import termios
import threading
import time
import tty

#: Between two pieces of one key. An escape byte comes with the next byte: alone for so long, it would be the key Esc.
GAP = 0.06
#: The most bytes of the program that arrive together.
PACKET = 48


def take_size(near, far):
    fcntl.ioctl(far, termios.TIOCSWINSZ, fcntl.ioctl(near, termios.TIOCGWINSZ, bytes(8)))


def single(data):
    return re.findall(rb"\x1b.|.", data, re.DOTALL)


def packets(data):
    return [data[start:start + PACKET] for start in range(0, len(data), PACKET)]


def carry(source, sink, seconds, pieces, gap):
    """What was read is written after `seconds`, in pieces; what is read meanwhile waits its own time."""
    waiting = queue.SimpleQueue()

    def write():
        while (entry := waiting.get()) is not None:
            at, data = entry
            time.sleep(max(0, at - time.monotonic()))
            for piece in pieces(data):
                os.write(sink, piece)
                time.sleep(gap)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        while data := os.read(source, 4096):
            waiting.put((time.monotonic() + seconds, data))
    except OSError:
        pass  # the program ended
    waiting.put(None)
    writer.join()


def main():
    seconds, command = float(sys.argv[1]), sys.argv[2:]
    child, far = pty.fork()
    if child == 0:
        os.execvp(command[0], command)
    take_size(0, far)
    signal.signal(signal.SIGWINCH, lambda *_: take_size(0, far))
    before = termios.tcgetattr(0)
    tty.setraw(0)
    try:
        threading.Thread(target=carry, args=(0, far, seconds, single, GAP), daemon=True).start()
        carry(far, 1, seconds, packets, 0)
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    main()

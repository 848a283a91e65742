"""Commands on a terminal, as a person runs them."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
import tty

#: The id of a plan that must be typed, or a question with yes and no.
QUESTION = re.compile(rb"Type (p:[0-9a-f]{6}) to|\[y/N\]")
PATIENCE = 60


def on_terminal(command, environment, folder, columns=100):
    """(exit code, output) of a command on a raw terminal, which passes every byte unchanged."""
    ours, process = start(command, environment, folder, columns, is_raw=True)
    output = b"".join(pieces(ours, process))
    os.close(ours)
    return process.wait(10), output.decode("utf-8", "surrogateescape")


def answered(place, words, answer):
    """(exit code, output) of a command that asks on a terminal.

    `answer` is what is typed at the first question: bytes, or a function that makes bytes of the id of the plan; None
    closes the terminal.
    """
    ours, process = start(place.command(*words), place.environment(TERM="dumb"), place.root)
    output, is_answered = b"", False
    for piece in pieces(ours, process):
        output += piece
        question = QUESTION.search(output)
        if question and not is_answered:
            is_answered = True
            typed = answer((question[1] or b"").decode()) if callable(answer) else answer
            if typed is None:
                break
            os.write(ours, typed)
    os.close(ours)
    return process.wait(30), output.decode("utf-8", "replace")


def start(command, environment, folder, columns=None, is_raw=False):
    """Our end of a new terminal, and the process on its other end."""
    ours, theirs = pty.openpty()
    if is_raw:
        tty.setraw(theirs)
    if columns:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=folder,
                               start_new_session=True)
    os.close(theirs)
    return ours, process


def pieces(ours, process):
    """The output as it comes, until the process closes the terminal or ends."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        ready, _, _ = select.select([ours], [], [], 0.05)
        if ready:
            try:
                data = os.read(ours, 65536)
            except OSError:
                return
            if not data:
                return
            yield data
        elif process.poll() is not None:
            return

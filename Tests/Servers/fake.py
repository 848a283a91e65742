"""A server that misbehaves on purpose: it follows a script and records every byte that it receives."""
import socket
import ssl
import threading
import time

from listener import Listener, server_context


class FakeServer(Listener):
    """Plays `script` to every client.

    A script is a list of steps:
        b"bytes"            sends them
        ("expect", b"x")    reads until x has arrived (or 10 s have passed, or the client has left)
        ("wait", seconds)   does nothing for a while
        ("drip", b"x", s)   sends it again and again, every s seconds, until the client leaves
        ("answer", f)       sends f(everything that was received so far)
        ("starttls",)       upgrades the connection (needs `certificate`)
        ("reset",)          closes with RST instead of FIN
        ("stall",)          stays silent until the client leaves or the server is stopped
    `version` is the only version of TLS that the server speaks.
    After the last step the connection is closed. `received` holds what all clients sent, in clear as well as
    under TLS; `clear` holds only what crossed the wire unencrypted, so that a test can look for a password in it.
    """

    CLOSES_AT_ONCE = []
    GARBAGE = [b"\x00\xff\x1b]0;owned\x07 not a mail server\r\n" * 4, ("wait", 0.2)]
    STALLS = [("stall",)]

    def __init__(self, script, certificate=None, tls=False, version=None):
        self._script, self._tls = list(script), tls
        self._context = server_context(certificate, version) if certificate else None
        self.received, self.clear = b"", b""
        self._lock = threading.Lock()
        super().__init__()

    def serve(self, client):
        client.settimeout(0.1)
        try:
            if self._tls:
                client = self._upgrade(client)
            for step in self._script:
                if isinstance(step, bytes):
                    client.sendall(step)
                elif step[0] == "expect":
                    self._read(client, until=step[1])
                elif step[0] == "answer":
                    client.sendall(step[1](self.received))
                elif step[0] == "wait":
                    self.stopped.wait(step[1])
                elif step[0] == "drip":
                    while not self.stopped.wait(step[2]):
                        client.sendall(step[1])
                elif step[0] == "starttls":
                    client = self._upgrade(client)
                elif step[0] == "reset":
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
                elif step[0] == "stall":
                    self._read(client, until=None, seconds=3600)
                else:
                    raise ValueError(f"unknown step {step!r}")
        finally:
            client.close()  # under TLS, this is another socket than the one that was accepted

    def _upgrade(self, client):
        client.settimeout(10)
        client = self._context.wrap_socket(client, server_side=True)
        client.settimeout(0.1)
        return client

    def _read(self, client, until, seconds=10):
        seen, end = b"", time.monotonic() + seconds
        while not self.stopped.is_set() and time.monotonic() < end:
            try:
                data = client.recv(65536)
            except TimeoutError:
                continue
            if not data:
                return
            seen += data
            with self._lock:
                self.received += data
                if not isinstance(client, ssl.SSLSocket):
                    self.clear += data
            if until is not None and until in seen:
                return

"""A proxy in front of a real submission server that breaks the connection at a chosen place of a submission."""
import socket
import ssl
import struct
import threading

from listener import Listener


class Trap(Listener):
    """Listens in the clear and forwards everything to `port`; with `ca_file` under TLS.

    `arm(place, effect, skipping)`: at the so-many-th time, `close`, `reset`, `garbage`, or `hang` (nothing more comes).
    Places: greeting, ehlo, auth, mail, rcpt, data (instead of 354), go (after 354), ("body", octets), dot (it has
    come and is not passed on), stored (the reply has come and is not passed on), reply (two octets of it), answered.
    """

    def __init__(self, port, ca_file=None):
        self._target, self._ca_file = port, ca_file
        self._armed, self.met = None, threading.Event()
        super().__init__()

    def arm(self, place, effect, skipping=0):
        self.met.clear()
        self._armed = [place, effect, skipping]

    def disarm(self):
        self._armed = None

    def yaml(self):
        return f"    smtp: {{ host: 127.0.0.1, port: {self.port}, security: none }}\n"

    def serve(self, client):
        server = socket.create_connection(("127.0.0.1", self._target))
        if self._ca_file:
            server = ssl.create_default_context(cafile=self._ca_file).wrap_socket(server, server_hostname="localhost")
        with server:
            try:
                Conversation(self, client, server).run()
            except Broken:
                pass

    def meet(self, place, client):
        """Breaks the connection, if this is where."""
        armed = self._armed
        if not armed or armed[0] != place:
            return
        if armed[2]:
            armed[2] -= 1
            return
        self._armed = None
        self.met.set()
        effect = armed[1]
        if effect == "garbage":
            client.sendall(b"\x00\xff%&\r\n")
        if effect == "hang":
            while client.recv(65536):
                pass
        if effect == "reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Broken


class Broken(Exception):
    pass


class Conversation:
    """One connection, line by line."""

    def __init__(self, trap, client, server):
        self.trap, self.client, self.server = trap, client, server
        self.said, self.answered = b"", b""

    def run(self):
        self.trap.meet("greeting", self.client)
        self.client.sendall(self._reply())
        while True:
            line = self._line()
            verb = line.split(b" ")[0].strip().lower().decode("ascii", "replace")
            self.trap.meet(verb, self.client)
            self.server.sendall(line)
            reply = self._reply()
            if verb == "ehlo":
                reply = self._plain(reply)
            self.client.sendall(reply)
            if verb == "data" and reply.startswith(b"354"):
                self.trap.meet("go", self.client)
                self._body()
            if verb == "quit":
                return

    def _body(self):
        body, passed = b"", set()
        while True:
            body, self.said = body + self.said, b""
            armed = self.trap._armed
            if armed and isinstance(armed[0], tuple) and armed[0][1] <= len(body) and armed[0] not in passed:
                passed.add(armed[0])
                self.trap.meet(armed[0], self.client)
            if body.startswith(b".\r\n") or b"\r\n.\r\n" in body:
                break
            self._hear()
        self.trap.meet("dot", self.client)
        self.server.sendall(body)
        reply = self._reply()
        self.trap.meet("stored", self.client)
        if self.trap._armed and self.trap._armed[0] == "reply" and not self.trap._armed[2]:
            self.client.sendall(reply[:2])
        self.trap.meet("reply", self.client)
        self.client.sendall(reply)
        self.trap.meet("answered", self.client)

    @staticmethod
    def _plain(reply):
        """Without CHUNKING: the places are those of DATA and its final dot."""
        lines = [line for line in reply.split(b"\r\n")[:-1] if line[4:].strip().upper() != b"CHUNKING"]
        return b"".join(line[:3] + b"-" + line[4:] + b"\r\n" for line in lines[:-1]) \
            + lines[-1][:3] + b" " + lines[-1][4:] + b"\r\n"

    def _hear(self):
        data = self.client.recv(65536)
        if not data:
            raise Broken
        self.said += data

    def _line(self):
        while b"\r\n" not in self.said:
            self._hear()
        line, _, self.said = self.said.partition(b"\r\n")
        return line + b"\r\n"

    def _reply(self):
        """A whole reply, of any number of lines."""
        while True:
            lines = self.answered.split(b"\r\n")
            for number, line in enumerate(lines[:-1]):
                if line[3:4] != b"-":
                    whole = b"\r\n".join(lines[:number + 1]) + b"\r\n"
                    self.answered = self.answered[len(whole):]
                    return whole
            data = self.server.recv(65536)
            if not data:
                raise Broken
            self.answered += data

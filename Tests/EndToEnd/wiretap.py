"""A proxy between the program and a server, in the clear on 127.0.0.1, that counts, answers, hides or cuts."""
import re
import selectors
import socket

from listener import Listener


class Wiretap(Listener):
    """Forwards every byte to the port `target` and back.

    `turns` counts how often the client spoke after the server had; `up` and `down` count octets. `commands` has the
    client's lines without their tags; `text` has everything that the client said. `reset()` starts the counts again,
    `cut()` ends all connections. With `patience`, a connection without traffic for that many seconds is cut; with
    `keep`, a connection is cut after that many octets of the server.

    `refuse(pattern, answer, times)`: the next `times` commands (without their tag) that match get `answer`, such as
    "NO [NOPERM] not yours", and the server never sees them; "" is no answer at all. `before` is called first, with the
    match. `open()` ends that. `hide(*words)` removes words from every CAPABILITY of the server. `edit`, if it is not
    None, gets the bytes of the server and returns those that the client gets.
    """

    def __init__(self, target, patience=None, keep=None):
        self._target, self._patience, self._keep = target, patience, keep
        self._ends, self._rules, self._hidden = set(), [], []
        self.edit = None
        self.reset()
        super().__init__()

    def stop(self):
        self.cut()
        super().stop()

    def reset(self):
        self.turns, self.up, self.down, self._said = 0, 0, 0, b""

    @property
    def commands(self):
        lines = [line.decode(errors="replace") for line in self._said.split(b"\r\n") if line]
        return [line.partition(" ")[2] for line in lines]

    @property
    def text(self):
        return self._said.decode(errors="replace")

    def refuse(self, pattern, answer, times=1_000_000, before=lambda match: None):
        """`pattern` is a regular expression, or anything with a method `search`."""
        self._rules.append([re.compile(pattern) if isinstance(pattern, str) else pattern, answer, times, before])

    def open(self):
        self._rules.clear()

    def hide(self, *words):
        self._hidden = [word.encode() for word in words]

    def cut(self):
        for end in list(self._ends):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it was ending by itself

    def serve(self, client):
        server = socket.create_connection(("127.0.0.1", self._target))
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._ends.add(client)
        try:
            with selectors.DefaultSelector() as ready, server:
                ready.register(client, selectors.EVENT_READ)
                ready.register(server, selectors.EVENT_READ)
                self._forward(ready, client, server)
        finally:
            self._ends.discard(client)

    def _forward(self, ready, client, server):
        """Forwards until one of the two ends, or nothing passes for too long."""
        is_servers_turn, kept, lines = False, self._keep, Lines()
        while events := ready.select(self._patience):
            for key, _ in events:
                data = key.fileobj.recv(65536 if kept is None or key.fileobj is client else kept)
                if not data:
                    return
                is_clients = key.fileobj is client
                if is_clients:
                    self.turns += not is_servers_turn
                    self.up += len(data)
                    self._said += data
                    self._to_server(data, lines, client, server)
                else:
                    self.down += len(data)
                    client.sendall(self._without_hidden(data))
                    if kept is not None and (kept := kept - len(data)) <= 0:
                        return
                is_servers_turn = is_clients

    def _to_server(self, data, lines, client, server):
        if not self._rules and not lines.rest:
            server.sendall(data)
            return
        for line in lines.of(data):
            tag, _, command = line.decode(errors="replace").partition(" ")
            answer = self._answer(command.rstrip())
            if answer is None:
                server.sendall(line)
            elif answer:
                client.sendall(f"{tag} {answer}\r\n".encode())

    def _answer(self, command):
        for rule in self._rules:
            match = rule[0].search(command)
            if match and rule[2] > 0:
                rule[2] -= 1
                rule[3](match)
                return rule[1]
        return None

    def _without_hidden(self, data):
        for word in self._hidden:
            data = re.sub(rb"(CAPABILITY[^\r\n\]]*) " + re.escape(word) + rb"(?=[ \r\]])", rb"\1", data)
        return self.edit(data) if self.edit else data


class Lines:
    """Cuts the bytes of an IMAP client into lines. The bytes of a non-synchronising literal belong to their line."""

    def __init__(self):
        self.rest = b""

    def of(self, data):
        self.rest += data
        while match := re.match(rb"[^\n]*\n", self.rest):
            end = match.end()
            literal = re.search(rb"\{(\d+)\+\}\r\n$", match[0])
            if literal:
                end += int(literal[1])
                if len(self.rest) < end:
                    return
            yield self.rest[:end]
            self.rest = self.rest[end:]

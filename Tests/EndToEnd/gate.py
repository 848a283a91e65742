"""A gate between the program and an IMAP server, in clear on 127.0.0.1: it answers some commands itself."""
import re
import socket
import threading


class Gate:
    """Passes each line of the client on to `target`, unless a rule answers it.

    `refuse(pattern, answer, times)`: the next `times` commands (without their tag) that match get `answer`, as
    "NO [NOPERM] not yours", and the server never sees them; `before` is called first with the match. `hide(*words)` takes words out of every
    CAPABILITY that the server sends. `commands` are the client's lines, without their tags.
    """

    def __init__(self, target):
        self._target, self._rules, self._hidden = target, [], []
        self.commands, self._ends = [], set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()
        self.cut()

    def refuse(self, pattern, answer, times=1_000_000, before=lambda match: None):
        self._rules.append([re.compile(pattern), answer, times, before])

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

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._target))
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._ends |= {client, server}
            threading.Thread(target=self._up, args=(client, server), daemon=True).start()
            threading.Thread(target=self._down, args=(client, server), daemon=True).start()

    def _up(self, client, server):
        try:
            lines = client.makefile("rb")
            while line := lines.readline():
                tag, _, command = line.decode(errors="replace").strip().partition(" ")
                self.commands.append(command)
                answer = self._answer(command)
                if answer:
                    client.sendall(f"{tag} {answer}\r\n".encode())
                    continue
                server.sendall(line)
                # A literal that does not wait goes on behind its line.
                literal = re.search(r"\{(\d+)\+?\}$", command)
                if literal:
                    server.sendall(lines.read(int(literal[1])))
        except OSError:
            pass
        self._end(client, server)

    def _answer(self, command):
        for rule in self._rules:
            match = rule[0].search(command)
            if match and rule[2] > 0:
                rule[2] -= 1
                rule[3](match)
                return rule[1]
        return None

    def _down(self, client, server):
        try:
            while data := server.recv(65536):
                for word in self._hidden:
                    data = re.sub(rb"(CAPABILITY[^\r\n\]]*) " + re.escape(word) + rb"(?=[ \r\]])", rb"\1", data)
                client.sendall(data)
        except OSError:
            pass
        self._end(client, server)

    def _end(self, *ends):
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self._ends -= set(ends)

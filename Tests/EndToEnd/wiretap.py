"""A wire between the program and a server, in clear on 127.0.0.1, that counts what passes."""
import contextlib
import selectors
import socket
import threading


class Wiretap:
    """Listens on a port of its own and passes every byte on to `target`.

    `turns`: how often the client spoke after the server had. `up`, `down`: octets. `commands`: the client's lines,
    without their tags; `text`: all that the client said. `reset()` begins to count anew, `cut()` ends what is connected.
    `patience`: a connection on which nothing passes for so many seconds is cut. `connections` are counted.
    """

    def __init__(self, target, patience=None):
        self._target, self._ends, self._patience, self.connections = target, set(), patience, 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.reset()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()

    def reset(self):
        self.turns, self.up, self.down, self._said = 0, 0, 0, b""

    @property
    def commands(self):
        lines = [line.decode(errors="replace") for line in self._said.split(b"\r\n") if line]
        return [line.partition(" ")[2] for line in lines]

    @property
    def text(self):
        return self._said.decode(errors="replace")

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
            self.connections += 1
            threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _pass(self, client):
        server = socket.create_connection(("127.0.0.1", self._target))
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with selectors.DefaultSelector() as ready, client, server, contextlib.ExitStack() as stack:
            self._ends.add(client)
            stack.callback(self._ends.discard, client)
            ready.register(client, selectors.EVENT_READ, server)
            ready.register(server, selectors.EVENT_READ, client)
            is_servers_turn = False
            while True:
                events = ready.select(self._patience)
                if not events:
                    return
                for key, _ in events:
                    try:
                        data = key.fileobj.recv(65536)
                        key.data.sendall(data)
                    except OSError:
                        return
                    if not data:
                        return
                    if key.fileobj is client:
                        self.turns += not is_servers_turn
                        self.up += len(data)
                        self._said += data
                    else:
                        self.down += len(data)
                    is_servers_turn = key.fileobj is client

"""What every server and proxy of the tests has: a port on 127.0.0.1, and a thread for each client."""
import socket
import ssl
import threading


class Listener:
    """A context manager that listens on a free port. Each client gets a thread, which calls `serve(client)`.

    `port` is the port, `connections` counts the clients, and `stopped` is set when the listener ends. An OSError in
    `serve` ends only that connection: clients that leave, and servers that break off, are what these tests are about.
    """

    def __init__(self):
        self.connections = 0
        self.stopped = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.1)
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.stopped.set()
        for thread in list(self._threads):
            thread.join(5)
        self._listener.close()

    def serve(self, client):
        """Talks to one client; the socket is closed afterwards."""
        raise NotImplementedError

    def _accept(self):
        while not self.stopped.is_set():
            try:
                client, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            self.connections += 1
            thread = threading.Thread(target=self._serve, args=(client,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, client):
        try:
            with client:
                client.setblocking(True)
                self.serve(client)
        except OSError:
            pass


def server_context(certificate, version=None):
    """TLS for a server. With `version`, it speaks only that version, with the ciphers that such an old server has."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*map(str, certificate))
    if version:
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = version
    return context

"""Two network namespaces with a cable between them: the program is in the near one, the door of the server in the far one.

    with Road(server_port) as road:
        road.port, road.prefix      # where the door is, and what a command begins with to be in the near namespace

`Road(server_port, version=6)` has addresses of IPv6.

Namespaces with names of this process, made and removed again; the machine's own interfaces are not touched. Needs root.
"""
import contextlib
import ctypes
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
from pathlib import Path

#: The far end, the near end, another address of the near end, and the length of their prefix.
ADDRESSES = {4: ("192.0.2.1", "192.0.2.2", "192.0.2.3", "/24", "/32"),
             6: ("2001:db8::1", "2001:db8::2", "2001:db8::3", "/64", "/128")}
CLONE_NEWNET = 0x40000000
TOOLS = os.environ["PATH"] + ":/usr/sbin:/sbin"


def missing():
    """Why there can be no namespaces here, or None."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not shutil.which("ip", path=TOOLS):
        return "ip is not installed"
    try:
        with Road(0):
            return None
    except (RuntimeError, OSError) as error:
        return f"no network namespaces here: {error}"


def ip(*words, may_fail=False):
    done = subprocess.run(["ip", *words], capture_output=True, text=True, env={**os.environ, "PATH": TOOLS})
    if done.returncode and not may_fail:
        raise RuntimeError(f"ip {' '.join(words)}: {done.stderr.strip()}")


class Road:
    def __init__(self, target, version=4):
        self.target = target
        self.far_end, self.near_end, self.other, self.prefix_length, self.host_length = ADDRESSES[version]
        # An address of IPv6 is else held back until no other machine claims it.
        self.at_once = ["nodad"] if version == 6 else []
        self.near, self.far = f"opus-n{os.getpid()}", f"opus-f{os.getpid()}"
        self.address, self.port, self.door = self.near_end, 0, None

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="opus-road-"))
        try:
            for name in (self.near, self.far):
                ip("netns", "add", name)
                ip("-n", name, "link", "set", "lo", "up")
            ip("link", "add", "road0", "netns", self.near, "type", "veth", "peer", "name", "road0", "netns", self.far)
            for name, own in ((self.near, self.near_end), (self.far, self.far_end)):
                self.add(own, name)
                ip("-n", name, "link", "set", "road0", "up")
            # The certificate is for localhost, and in the near namespace that is the far end.
            (self.folder / "hosts").write_text(f"{self.far_end} localhost\n")
            self.open()
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        self.close()
        for name in (self.near, self.far):
            ip("netns", "del", name, may_fail=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def prefix(self):
        """`ip netns exec` gives the command mounts of its own."""
        return ["ip", "netns", "exec", self.near, "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"',
                str(self.folder / "hosts")]

    # The door

    def open(self):
        """The server is behind it."""
        self._replace(Door(self.far, self.far_end, self.port, self.target))

    def close(self):
        """Connections end, and new ones are refused."""
        self._replace(None)

    def portal(self, certificate):
        """Another machine answers in place of the server, with a certificate of its own."""
        self._replace(Door(self.far, self.far_end, self.port, None, certificate))

    def halt(self, after):
        """The server's answers stop after this many octets more, and no connection ends."""
        self.door.left = after

    @property
    def is_halted(self):
        return not self.door.passage.is_set()

    def proceed(self):
        self.door.left = None
        self.door.passage.set()

    def forget(self):
        """The connections that are halted stay so; new ones are not."""
        self.door.left = None
        self.door.passage = set_event()

    def _replace(self, door):
        if self.door:
            self.door.close()
        self.door = door
        if door:
            door.open()
            self.port = door.port

    # The road

    def drop(self):
        """Nothing comes back, and no end is told."""
        for own in (self.near_end, self.other):
            ip("-n", self.far, "route", "add", "blackhole", own + self.host_length)

    def heal(self):
        for own in (self.near_end, self.other):
            ip("-n", self.far, "route", "del", "blackhole", own + self.host_length, may_fail=True)

    def unroute(self, kind):
        """The near end knows that there is no way: `blackhole` or `unreachable`."""
        ip("-n", self.near, "route", "add", kind, self.far_end + self.host_length)

    def reroute(self, kind):
        ip("-n", self.near, "route", "del", kind, self.far_end + self.host_length)

    def move(self):
        """The near end gets another address, and its connections have none any more."""
        new = self.other if self.address == self.near_end else self.near_end
        self.remove(self.address)
        self.add(new)
        self.address = new

    def add(self, address, name=None):
        """One more address, of the near end unless another name is given."""
        ip("-n", name or self.near, "address", "add", address + self.prefix_length, "dev", "road0", *self.at_once)

    def remove(self, address):
        ip("-n", self.near, "address", "del", address + self.prefix_length, "dev", "road0")


def enter(descriptor):
    if ctypes.CDLL(None, use_errno=True).setns(descriptor, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


class Door:
    """Listens in the far namespace and forwards to a port of this one; or says with another certificate that it is a portal."""

    def __init__(self, namespace, address, port, target, certificate=None):
        self.namespace, self.address, self.port = namespace, address, port
        self.target, self.certificate = target, certificate
        self.ends = set()
        #: Octets of the server until nothing more goes through; None: no limit.
        self.left = None
        #: Connections that begin now wait for it.
        self.passage = set_event()

    def open(self):
        made, home = threading.Event(), os.open("/proc/self/ns/net", os.O_RDONLY)

        def listen():
            # A namespace belongs to a thread: only the socket that listens is made in the far one.
            far = os.open(f"/run/netns/{self.namespace}", os.O_RDONLY)
            enter(far)
            family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
            self.listener = socket.create_server((self.address, self.port), family=family, backlog=16, reuse_port=True)
            self.port = self.listener.getsockname()[1]
            enter(home)
            os.close(far)
            os.close(home)
            made.set()
            with contextlib.suppress(OSError):
                while True:
                    client, _ = self.listener.accept()
                    threading.Thread(target=self.serve, args=(client,), daemon=True).start()

        threading.Thread(target=listen, daemon=True).start()
        if not made.wait(5):
            raise RuntimeError("the door did not open")

    def close(self):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for end in list(self.ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def serve(self, client):
        self.ends.add(client)
        with contextlib.suppress(OSError), client:
            if self.certificate:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(*self.certificate)
                with context.wrap_socket(client, server_side=True) as wrapped:
                    wrapped.recv(4096)
                    wrapped.sendall(b"HTTP/1.0 302 Found\r\nLocation: http://portal.example/\r\n\r\n")
                return
            with socket.create_connection(("127.0.0.1", self.target)) as server:
                self.ends.add(server)
                passage = self.passage
                back = threading.Thread(target=carry, args=(server, client, lambda data: self.let(data, passage)), daemon=True)
                back.start()
                carry(client, server)
                back.join()
                self.ends.discard(server)
        self.ends.discard(client)

    def let(self, data, passage):
        """Returns when these octets of the server may go on."""
        if self.left is not None:
            self.left -= len(data)
            if self.left < 0:
                passage.clear()
        passage.wait()


def set_event():
    event = threading.Event()
    event.set()
    return event


def carry(source, target, let=lambda data: None):
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            let(data)
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)

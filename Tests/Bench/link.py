"""A slow link between two network namespaces: the client in the near one, a tap to the private server in the far one.

    with Link(server_port) as link:
        link.port, link.command(["mbsync", ...])

Two namespaces with names of this process are made and removed again; the machine's own interfaces are not touched. The
link is a veth pair with `tc netem` at both ends; where the kernel has no netem, a pair of tun interfaces with the same
rate, delay and queue between them (tunnel.py). Both need root.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from wire import Tap

MBIT, ROUND_TRIP = 20, 0.050
# What a router holds back before it drops: 100 ms at 20 Mbit/s.
QUEUE = 0.100
PACKET = 1500
FAR_ADDRESS, NEAR_ADDRESS = "192.0.2.1", "192.0.2.2"


def missing():
    """Why there can be no link here, or None."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    lacking = [name for name in ("ip", "tc") if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    return f"{' and '.join(lacking)} is not installed" if lacking else None


class Link:
    def __init__(self, server_port):
        self.server_port = server_port
        self.near, self.far = f"opus-near-{os.getpid()}", f"opus-far-{os.getpid()}"
        self.tunnel = self.tap = None

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="opus-link-"))
        try:
            for name in (self.near, self.far):
                ip("netns", "add", name)
                ip("-n", name, "link", "set", "lo", "up")
            self.kind = self._netem() or self._tun()
            # The certificate is for localhost, and in the near namespace that is the far end.
            (self.folder / "hosts").write_text(f"{FAR_ADDRESS} localhost\n")
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        if self.tunnel:
            self.tunnel.stdin.close()
            self.tunnel.wait(10)
        for name in (self.near, self.far):
            ip("netns", "del", name, may_fail=True)
        shutil.rmtree(self.folder)

    def tapped(self):
        """Counts bytes and turns; its port is where the server is, for who is in the near namespace."""
        return Tap(self.server_port, listen=FAR_ADDRESS, namespace=self.far)

    def command(self, command):
        """The same command in the near namespace. `ip netns exec` gives it mounts of its own."""
        enter = 'mount --bind "$0" /etc/hosts && exec "$@"'
        return ["ip", "netns", "exec", self.near, "sh", "-c", enter, self.folder / "hosts", *command]

    def _netem(self):
        ip("link", "add", "slow", "netns", self.near, "type", "veth", "peer", "name", "slow", "netns", self.far)
        self._addresses()
        packets = int((QUEUE + ROUND_TRIP / 2) * MBIT * 1e6 / 8 / PACKET)
        for name in (self.near, self.far):
            # Packets as long as those of a real link, not the long ones that a kernel hands to itself.
            ip("-n", name, "link", "set", "slow", "gso_max_segs", "1")
            done = subprocess.run(["tc", "-n", name, "qdisc", "add", "dev", "slow", "root", "netem",
                                   "delay", f"{ROUND_TRIP * 500:.0f}ms", "rate", f"{MBIT}mbit", "limit", str(packets)],
                                  capture_output=True, text=True)
            if done.returncode:
                ip("-n", name, "link", "del", "slow", may_fail=True)
                return None
        return "tc netem"

    def _tun(self):
        program = Path(__file__).with_name("tunnel.py")
        self.tunnel = subprocess.Popen(
            [sys.executable, program, self.near, self.far, str(MBIT), str(ROUND_TRIP / 2), str(QUEUE)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.tunnel.stdout.readline() != "ready\n":
            raise RuntimeError("the tunnel did not start")
        self._addresses()
        return "a tun pair, this kernel has no netem"

    def _addresses(self):
        for name, own, other in ((self.near, NEAR_ADDRESS, FAR_ADDRESS), (self.far, FAR_ADDRESS, NEAR_ADDRESS)):
            ip("-n", name, "address", "add", own, "peer", other, "dev", "slow")
            ip("-n", name, "link", "set", "slow", "mtu", str(PACKET), "up")


def ip(*arguments, may_fail=False):
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    if done.returncode and not may_fail:
        raise RuntimeError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")

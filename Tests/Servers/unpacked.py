"""Mail servers that are not installed but unpacked (.ci/servers): Cyrus and Courier, each in a folder of its own.

    with Cyrus() as s:                           # or Courier(); the same life as MailServers
        s.add_user("ana")
        s.imap("ana").select("INBOX")

They need root, because a server gives up its rights, and Courier lives in a root folder of its own.
`Cyrus.missing()` says why the server cannot run here, or None.
"""
import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from certificates import Authority
from servers import IMAPAccess, PortTaken, free_ports

REPOSITORY = Path(__file__).resolve().parents[2]
UNPACKED = Path(os.environ.get("OPUS_SERVERS", REPOSITORY / ".build" / "servers"))


class UnpackedServer(IMAPAccess):
    """What both servers share: folder, certificates, ports, and processes that are ended by their ids."""

    name = ""
    program = ""

    def __init__(self):
        self.source = UNPACKED / self.name
        self.folder = Path(tempfile.mkdtemp(prefix=f"opus-{self.name}-")).resolve()
        self.folder.chmod(0o755)
        self.ports, self._processes = {}, []

    imap_port = property(lambda self: self.ports["imap"], doc="STARTTLS")
    imaps_port = property(lambda self: self.ports["imaps"], doc="TLS from the first byte")
    ca_file = property(lambda self: str(self.authority.ca_file))
    log = property(lambda self: self.folder / "log")

    @classmethod
    def missing(cls):
        if os.geteuid() != 0:
            return f"{cls.name} needs root"
        if not (UNPACKED / cls.name / cls.program).exists():
            return f"{cls.name} is not in {UNPACKED}; run .ci/servers"
        return None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def start(self):
        try:
            self.authority = Authority(self.folder / "ca", "test authority")
            self.certificate = self.authority.issue("server")
            self._lay_out()
            for attempt in range(3):
                self.ports = dict(zip(("imap", "imaps"), free_ports(2)))
                try:
                    self._run()
                    return self
                except PortTaken:
                    self._end()
                    if attempt == 2:
                        raise
        except BaseException:
            self.stop()
            raise

    def stop(self):
        self._end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _lay_out(self):
        """Everything that does not depend on the ports."""
        raise NotImplementedError

    def _run(self):
        """Starts the processes, and waits until both ports answer."""
        raise NotImplementedError

    # A root folder of its own, where paths are compiled in

    _root = property(lambda self: self.folder / "root")

    def _bring(self, program):
        """Copies a program and every library that it names into the root folder, to the same paths."""
        source = self.source / program
        self._copy(source.resolve(), self._root / program)
        libraries = [str(path) for pattern in ("usr/lib", "usr/lib/*-linux-gnu*", "lib/*-linux-gnu*")
                     for path in sorted(self.source.glob(pattern))]
        done = subprocess.run(["ldd", source], env={"LD_LIBRARY_PATH": ":".join(libraries)}, capture_output=True,
                              text=True, check=True, timeout=30)
        if "not found" in done.stdout:
            raise RuntimeError(f"{program} lacks libraries; remove {self.source} and run .ci/servers:\n{done.stdout}")
        for path in re.findall(r"(/\S+) \(0x", done.stdout):
            inside = path.removeprefix(str(self.source)) if path.startswith(str(self.source)) else path
            self._copy(Path(path).resolve(), self._root / inside.lstrip("/"))

    @staticmethod
    def _copy(source, target):
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)

    # Processes

    def _spawn(self, command, more=None, **options):
        """A process in a group of its own: its children end with it. `more` is added to its environment."""
        with self.log.open("ab") as log:
            process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       env={**self._environment(), **(more or {})}, start_new_session=True, **options)
        self._processes.append(process)
        return process

    def _environment(self):
        return {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}

    def _end(self):
        for process in reversed(self._processes):
            _signal(process, signal.SIGTERM)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                pass
            _signal(process, signal.SIGKILL)
            process.wait(5)
        self._processes.clear()


def _signal(process, number):
    """To the group that `_spawn` made; its leader has not been reaped when this is the first signal."""
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        pass

"""A real `systemd --user` for one test, started by hand: in a mount namespace of its own, with its own /run and cgroup.

    with UserManager(home) as manager:
        manager.run("systemctl", "--user", "status")

It never talks to the manager of the machine. Its processes are in a cgroup of this name, which is emptied and removed.
"""
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

SYSTEMD = next((path for path in ("/usr/lib/systemd/systemd", "/lib/systemd/systemd") if os.path.exists(path)), None)
#: Runs in the new mount namespace: nothing that it mounts is seen outside.
START = r"""
set -e
mount --make-rprivate /
umount -l /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 none /sys/fs/cgroup
mkdir -p "/sys/fs/cgroup/$GROUP/init"
echo $$ > "/sys/fs/cgroup/$GROUP/init/cgroup.procs"
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system /run/systemd/journal
echo $$ > "$READY"
exec "$SYSTEMD" --user --log-target=console --log-level=notice
"""


def missing():
    """Why there can be no manager here, or None."""
    if os.geteuid() != 0:
        return "a private mount namespace and cgroup need root"
    for program in ("unshare", "nsenter", "systemctl", "dbus-daemon"):
        if not shutil.which(program):
            return f"{program} is not installed"
    if SYSTEMD is None:
        return "systemd is not installed"
    with tempfile.TemporaryDirectory() as home:
        try:
            with UserManager(Path(home)):
                return None
        except (RuntimeError, OSError) as error:
            return f"systemd --user does not start here: {error}"


class UserManager:
    def __init__(self, home):
        self.home, self.group = Path(home), f"opus-test-{os.getpid()}"
        self.runtime = Path(tempfile.mkdtemp(prefix="opus-user-"))
        self.runtime.chmod(0o700)
        self.log = self.runtime / "log"
        self.process = None

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.runtime), "LANG": "C.UTF-8",
                **more}

    def __enter__(self):
        ready = self.runtime / "ready"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["unshare", "--mount", "sh", "-c", START], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment(GROUP=self.group, READY=str(ready), SYSTEMD=SYSTEMD), start_new_session=True)
        end = time.monotonic() + 20
        try:
            while not ready.exists() or self.run("systemctl", "--user", "is-system-running").stdout.strip() not in (
                    "running", "degraded"):
                if self.process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(self.log.read_text().strip()[-500:] or "it says nothing")
                time.sleep(0.1)
            return self
        except BaseException:
            self.__exit__()
            raise

    def run(self, *words, timeout=60, **more):
        """Runs a program beside the manager, in its namespace."""
        if self.process.poll() is not None:
            raise RuntimeError("systemd --user has ended: " + self.log.read_text()[-500:])
        return subprocess.run(["nsenter", "--target", str(self.process.pid), "--mount", "--wd=" + os.getcwd(), *map(str, words)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
                              env=self.environment(**more))

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                pass
        # What is left in the cgroup was started by this manager.
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["unshare", "--mount", "sh", "-c", f"""
                mount --make-rprivate / && mount -t cgroup2 none '{folder}' || exit 0
                group='{folder}/{self.group}'
                [ -d "$group" ] || exit 0
                echo 1 > "$group/cgroup.kill" 2>/dev/null
                for turn in 1 2 3 4 5 6 7 8 9 10; do
                    find "$group" -depth -type d -exec rmdir {{}} + 2>/dev/null
                    [ -d "$group" ] || exit 0
                    sleep 0.3
                done"""], stdin=subprocess.DEVNULL, capture_output=True)
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.runtime, ignore_errors=True)

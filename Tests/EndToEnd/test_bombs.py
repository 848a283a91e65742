"""Messages written to break parsers: each is listed, says which limit it hit, and costs little time and memory.

`make test` runs the program as it is built for tests, unoptimised and beside other tests, on bombs of one megabyte
where people get fifty: only a hang fails there. With OPUS_BOMBS=release $OPUS is the program as people have it, the
large bombs are of 50 MB, and each must end within two seconds; of three runs the fastest counts, since a machine has
other things to do. OPUS_BOMBS_SHOW=1 prints what each took.
"""
import os
from concurrent.futures import ThreadPoolExecutor

from bombs import bombs
from workplace import Case, Workplace

IS_RELEASE = os.environ.get("OPUS_BOMBS") == "release"
MEGABYTES = 50 if IS_RELEASE else 1
SECONDS = 2 if IS_RELEASE else 60
RUNS = 3 if IS_RELEASE else 1
MEMORY = 256 * 1024


class Bombs(Case):
    maxDiff = None

    def test_each_bomb_is_listed_in_bounded_time_and_memory(self):
        place = Workplace(self.folder / "work", "  []\n")
        every = list(bombs(MEGABYTES))
        self.assertGreaterEqual(len(every), 60)
        # What is measured runs alone.
        with ThreadPoolExecutor(1 if IS_RELEASE else 2) as pool:
            for bomb, ends in zip(every, pool.map(lambda bomb: self.explode(bomb, place), every)):
                with self.subTest(bomb.name):
                    self.judge(bomb, *ends)

    def explode(self, bomb, place):
        """What the fastest run said, and how the message begins."""
        file = self.folder / f"{bomb.name}.eml"
        data = bomb.make()
        file.write_bytes(data)
        head, data = data[:1_000], None
        fastest = None
        for _ in range(RUNS):
            done = place.opus("inspect", "message", file, "--json", timeout=10 * SECONDS, measured=True)
            if fastest is None or done.seconds < fastest.seconds:
                fastest = done
            if done.seconds < SECONDS:
                break
        file.unlink()
        return fastest, head

    def judge(self, bomb, done, head):
        if os.environ.get("OPUS_BOMBS_SHOW"):
            print(f"{bomb.name:48} {done.seconds:6.2f} s {done.peak / 1024:7.1f} MiB", flush=True)
        document = self.check(done).json
        if b"\nSubject: bomb" in head:
            self.assertTrue(document["subject"].startswith("bomb"), document["subject"][:80])
        if bomb.defects:
            self.assertLessEqual(bomb.defects, {defect["name"] for defect in document["defects"]})
            self.assertTrue(document["beyondLimits"])
        self.assertLess(done.peak, MEMORY, "KiB at most")
        self.assertLess(done.seconds, SECONDS)

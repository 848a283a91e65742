#!/usr/bin/env python3
"""Takes one safety away at a time (Tests/seeds.py) and checks that a suite notices.

    seeded.py                       every seed
    seeded.py resendAfterDot …      only these
    seeded.py --check               whether every seed still applies to the sources; builds nothing

Builds a copy of the project in .build/seeded with all seeds in it, each behind the environment variable OPUS_SEEDED_BUG; the
project itself is not changed. The copy starts from the build folder of $OPUS (else .build), so that only what the seeds
touch is built again; SWIFT_FLAGS should be those of that build. Ends with 1 when a bug was not caught.
"""
import argparse
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent
REPOSITORY = TESTS.parent
sys.path.insert(0, str(TESTS / "Kill"))
from figures import note  # noqa: E402
from seeds import OTHERS, SEEDS, plant, problems  # noqa: E402

COPY = REPOSITORY / ".build" / "seeded"
#: What the build and the suites need of the project.
PARTS = ("Package.swift", "Package.resolved", "Sources", "Tests", "docs", "rules", "tasks", "opus.yaml", "README.md",
         "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", ".ci")
LIMIT = 300


def build_folder():
    """The build folder of $OPUS, else of the project."""
    opus = Path(os.environ.get("OPUS", REPOSITORY / ".build" / "debug" / "opus")).resolve()
    return next((folder for folder in opus.parents if (folder / "workspace-state.json").exists()), REPOSITORY / ".build")


def copy():
    """The project and its build folder, with the seeds planted, at COPY. File times stay: what is the same is not built again."""
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    for part in PARTS:
        if (REPOSITORY / part).exists():
            subprocess.run(["cp", "-a", REPOSITORY / part, COPY / part], check=True)
    build, target = build_folder(), COPY / ".build"
    target.mkdir()
    for entry in build.iterdir() if build.exists() else ():
        if entry.name not in ("seeded", "e2e"):
            subprocess.run(["cp", "-a", "--reflink=auto", entry, target / entry.name], check=True)
    plant(COPY / "Sources")


def build():
    """Builds the copy where the build folder expects the project: bind-mounted over it, if the system lets us."""
    flags = shlex.split(os.environ.get("SWIFT_FLAGS", ""))
    swift = shlex.join(["swift", "build", *flags, "--scratch-path", ".build"])
    script = f"{swift} --build-tests && {swift} --product opus"
    mounted = f'mount --bind "$1" "$2" && cd "$2" && {script}'
    alone = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    if subprocess.run([*alone, 'mount --bind "$1" "$2"', "sh", COPY, REPOSITORY], stderr=subprocess.DEVNULL).returncode == 0:
        return subprocess.run([*alone, mounted, "sh", COPY, REPOSITORY]).returncode == 0
    return subprocess.run(["sh", "-c", script], cwd=COPY).returncode == 0


def command(suite):
    runner, chosen = suite
    if runner == "run.py":
        return [sys.executable, str(COPY / "Tests" / "run.py"), chosen]
    bundle = COPY / ".build" / "debug" / "magnum-opusPackageTests.xctest"
    return [str(bundle), "--testing-library", "swift-testing", "--experimental-maximum-parallelization-width", "4",
            "--filter", chosen]


def notices(suite, seed):
    """Whether the suite fails with the seed. One that hangs or crashes has noticed too."""
    environment = {**os.environ, "OPUS_SEEDED_BUG": seed, "OPUS": str(COPY / ".build" / "debug" / "opus"), "OPUS_MATRIX": "12",
                   "OPUS_SEND_FAULTS": "64", "OPUS_PROCESS_ROUNDS": "2", "OPUS_FIGURES": ""}
    try:
        done = subprocess.run(command(suite), env=environment, cwd=COPY, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def play(seeds):
    """Runs the suites for each seed, and without one; 1 when a seed was missed or a suite fails without any."""
    healthy = True
    for suite in dict.fromkeys(seed.suite for seed in seeds):
        if notices(suite, ""):
            healthy = False
            print(f"seeded: {suite[1]} fails without a seed", file=sys.stderr)
    missed = 0
    for seed in seeds:
        start = time.monotonic()
        suites = [seed.suite, *(suite for suite in OTHERS if suite != seed.suite)]
        caught = next((suite[1] for suite in suites if notices(suite, seed.name)), None)
        missed += caught is None
        print(f"{seed.name:26} {'caught by ' + caught if caught else 'NOT CAUGHT':45} {time.monotonic() - start:6.1f} s",
              flush=True)
    note("seeded", "caught", len(seeds) - missed, missed)
    return 1 if missed or not healthy else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.names) - {seed.name for seed in SEEDS}:
        parser.error(f"unknown seeds: {', '.join(sorted(unknown))}")
    if found := problems():
        print("seeded: these seeds no longer apply; change their text in Tests/seeds.py to match the sources",
              *found, sep="\n", file=sys.stderr)
        return 1
    if options.check:
        return 0
    copy()
    if not build():
        print("seeded: the copy with the seeds does not build", file=sys.stderr)
        return 1
    return play([seed for seed in SEEDS if not options.names or seed.name in options.names])


if __name__ == "__main__":
    sys.exit(main())

"""Normalizes archives on a Spark cluster: plans on the driver, processes one split in each task, and commits on the driver.

    spark-submit contrib/spark/normalize.py archive.mbox -o clean.mbox
    spark-submit contrib/spark/normalize.py Maildir takeout.zip -o clean --split-size 64M --report report.json -- --headers raw-utf8

Output and ledger are those of `mailglot normalize`, byte for byte. Spark may repeat a task or run it twice at once. If the job fails, the
finished parts stay in OUTPUT.parts, and the same command continues with them. The exit code is 1 if a split fails, and otherwise that of
`mailglot plan` or `mailglot commit`.

# Limits
Driver and executors run on Linux. They see inputs and output under the same paths, and have the same mailglot. Paths after `--` are
absolute. Spark Connect has no tasks of this kind: the driver is a classic one.
"""

import argparse
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark import TaskContext
from pyspark.sql import SparkSession

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def arguments():
    parser = argparse.ArgumentParser(description="Normalize archives on a Spark cluster.")
    parser.add_argument("inputs", nargs="+", metavar="IN", type=os.path.abspath, help="archives, as for `mailglot plan`")
    parser.add_argument("-o", "--output", required=True, type=os.path.abspath, help="the file or folder to create")
    parser.add_argument("--split-size", default="128M", metavar="SIZE", help="size of a split (default: 128M)")
    parser.add_argument("--mailglot", default="mailglot", metavar="PROGRAM", type=on_path, help="the program on driver and executors")
    parser.add_argument("--report", metavar="FILE.json", help="write a JSON report to this file")
    parser.add_argument("--fail-on", metavar="WHAT", help="exit with code 3 if the job found this")
    parser.add_argument("--force", action="store_true", help="replace an existing output, ledger and report")
    parser.usage = "%(prog)s IN... -o OUTPUT [options] [-- options of `mailglot plan`]"
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    args = parser.parse_args(words[:end])
    if os.path.lexists(args.output) and not args.force and not os.path.isdir(args.output + ".parts"):
        sys.exit(f"{args.output} exists. Use --force to replace it, or choose another name with -o.")
    return args, words[end + 1 :]


def on_path(program):
    """Returns the absolute path of a program that is given by a path. Each machine looks up a name."""
    if shutil.which(program) is None:
        raise argparse.ArgumentTypeError(f"{program} is not a program. Install mailglot on driver and executors.")
    return os.path.abspath(program) if os.sep in program else program


def main():
    args, plan_options = arguments()
    plan, size = args.output + ".plan.json", ["--split-size", args.split_size]
    planned = subprocess.run([args.mailglot, "-q", "plan", *args.inputs, "-o", plan, *size, *plan_options])
    if planned.returncode != 0:
        sys.exit(planned.returncode)
    with tempfile.TemporaryDirectory() as folder:
        own_plan = shutil.copy(plan, folder)
        try:
            run_splits(plan, args.output, args.mailglot, args.force)
        finally:
            # An attempt that starts during the commit or later finds no plan, so it leaves no part.
            os.remove(plan)
        commit = [args.mailglot, "commit", own_plan, "-o", args.output]
        commit += ["--report", args.report] if args.report else []
        commit += ["--fail-on", args.fail_on] if args.fail_on else []
        commit += ["--force"] if args.force else []
        sys.exit(subprocess.run(commit).returncode)


def run_splits(plan, output, program, force):
    """Processes all splits in tasks. When it returns, each split has a part that the driver sees, and no task runs."""
    with open(plan, encoding="utf-8") as text:
        described = json.load(text)
    job, splits = described["job"], len(described["splits"])
    # Without --force, a split is not processed where there is an output already.
    command = [program, "-q", "run", plan, *(["--force"] if force else []), "-o", output]
    spark = SparkSession.builder.appName(f"mailglot {os.path.basename(output)}").getOrCreate()
    try:
        numbers = spark.sparkContext.parallelize(range(splits), max(splits, 1))
        manifests = numbers.map(lambda split: run_split(command, output, job, split)).collect()
    except Py4JJavaError as error:
        sys.exit(f"{error.java_exception.getMessage()}\nThe finished parts stay in {output}.parts. Repeat the command to continue.")
    finally:
        # Ends the executors, and with them every attempt.
        spark.stop()
    for split, manifest in enumerate(manifests):
        if manifest is None or manifest != read_manifest(output, job, split):
            sys.exit(f"Driver and executors see different parts of split {split}. Is {output}.parts on a shared file system?")


def run_split(command, output, job, split):
    """Processes one split in a task. Each attempt returns the same manifest."""
    command = [*command, "--split", str(split), "--threads", str(TaskContext.get().cpus())]
    libc, task = ctypes.CDLL(None), os.getpid()

    def end_with_task():
        # Spark kills the Python process of a task, not its children.
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != task:
            os._exit(1)

    done = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=end_with_task)
    if done.returncode != 0:
        raise RuntimeError(f"split {split}: exit code {done.returncode}: {done.stderr.decode(errors='replace')}")
    return read_manifest(output, job, split)


def read_manifest(output, job, split):
    """Returns what identifies the part of a split, or None if it has none."""
    place = Path(output + ".parts", f"{split:06}.{job[:16]}", "manifest.json")
    if not place.exists():
        return None
    manifest = json.loads(place.read_bytes())
    return {key: manifest[key] for key in ("job", "split", "part_bytes", "part_blake3")}


if __name__ == "__main__":
    main()

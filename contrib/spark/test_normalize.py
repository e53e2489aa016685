"""Tests normalize.py with real Spark on this machine, with processes killed and stopped in the middle of splits.

    python3 contrib/spark/test_normalize.py --mailglot target/release/mailglot

- `local-cluster[2,1,1024]`: mailglot, the Java process of an executor, and the Python process of a task are killed, each in the middle of a
  split. The task's mailglot is stopped before, and must end with the task.
- A cluster of two workers with speculation: mailglot is stopped in the middle of a split, so Spark starts a second attempt elsewhere.
- `local[2]`: a split fails, so the job fails. When the split no longer fails, the same command continues.

Each job must give the output and ledger of one pass, and leave nothing else. Prints what it checked. The exit code is 1 if a check fails.

# Limits
Needs Linux, Java 17 or later, and PySpark 4 in this Python. Takes two to four minutes, most of it the start of Spark. The executors of
`local-cluster` leave their logs in the folder `work` of PySpark.
"""

import argparse
import base64
import filecmp
import os
import quopri
import random
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DRIVER = Path(__file__).resolve().with_name("normalize.py")
SPLIT_SIZE = 8 << 20
SPLITS = 6
# The faults of each job: the split whose first attempt they strike.
FAULTS = {
    "killed": {1: "program is killed", 3: "executor is killed", 5: "task is killed with its program"},
    "stopped": {4: "program is stopped"},
    "failed": {},
}
# The split that fails while the file `broken` exists.
BROKEN = 2
SPECULATION = [
    "spark.speculation=true",
    "spark.speculation.interval=200ms",
    "spark.speculation.quantile=0.5",
    "spark.speculation.minTaskRuntime=1s",
]
TEXTS = {
    "koi8-r": "Привет, мир",
    "iso-8859-1": "Grüße aus Köln",
    "iso-2022-jp": "日本語のメール",
    "gb18030": "中文邮件",
    "windows-1252": "“Café” €",
}


def main():
    parser = argparse.ArgumentParser(description="Test normalize.py on this machine.")
    parser.add_argument("--mailglot", required=True, type=os.path.abspath, metavar="PROGRAM", help="the program to test")
    program = parser.parse_args().mailglot
    with tempfile.TemporaryDirectory(prefix="mailglot-spark-") as folder:
        test = Test(Path(folder), program)
        test.attempts_are_killed()
        test.attempt_is_stopped()
        test.failed_job_continues()
    print("all checks passed" if not test.failures else f"{test.failures} checks FAILED")
    sys.exit(min(test.failures, 1))


class Test:
    """A mailbox, what one pass makes of it, and a program that is mailglot with faults."""

    def __init__(self, folder, program):
        self.folder, self.program, self.failures = folder, program, 0
        self.mailbox, self.whole = folder / "in.mbox", folder / "whole.mbox"
        write_mailbox(self.mailbox, SPLITS * SPLIT_SIZE - (1 << 20))
        subprocess.run([program, "-q", "normalize", self.mailbox, "-o", self.whole], check=True)

    def attempts_are_killed(self):
        self.run_with_faults("killed", "local-cluster[2,1,1024]", [])

    def attempt_is_stopped(self):
        # Spark starts a second attempt on another host only.
        with Cluster(self.folder / "cluster", ["127.0.0.2", "127.0.0.3"]) as master:
            self.run_with_faults("stopped", master, SPECULATION)

    def run_with_faults(self, name, master, settings):
        notes = self.folder / name
        self.run(notes, master, settings)
        for split, fault in FAULTS[name].items():
            struck = notes / f"struck.{split}"
            self.check(f"{fault} in the middle of split {split}", struck.exists())
            self.check(f"split {split} has a second attempt", len(attempts(notes, split)) >= 2)
        self.has_output_of_one_pass(notes)

    def failed_job_continues(self):
        notes = self.folder / "failed"
        notes.mkdir()
        (notes / "broken").touch()
        errors = self.run(notes, "local[2]", [], expected=1)
        self.check("the error names the broken split", f"split {BROKEN}: exit code 2" in errors)
        self.check("it has no output", not list(self.folder.glob("failed.mbox*.ledger")) and not (self.folder / "failed.mbox").exists())
        self.check("it leaves no plan", not (self.folder / "failed.mbox.plan.json").exists())
        self.check("its finished parts stay", (self.folder / "failed.mbox.parts").is_dir())
        (notes / "broken").unlink()
        self.run(notes, "local[2]", [])
        self.has_output_of_one_pass(notes)

    def has_output_of_one_pass(self, notes):
        output = self.folder / f"{notes.name}.mbox"
        for name in ["", ".ledger"]:
            ours, one_pass = f"{output}{name}", f"{self.whole}{name}"
            same = os.path.exists(ours) and filecmp.cmp(ours, one_pass, shallow=False)
            self.check(f"{os.path.basename(ours)} has the bytes of one pass", same)
        restored = self.folder / "restored.mbox"
        subprocess.run([self.program, "-q", "restore", output, "-o", restored])
        same = restored.exists() and filecmp.cmp(restored, self.mailbox, shallow=False)
        self.check("restore gives the mailbox back", same)
        restored.unlink(missing_ok=True)
        left = {path.name for path in self.folder.glob(f"{notes.name}.*")}
        self.check("nothing else is left", left == {output.name, f"{output.name}.ledger"})
        alive = [process for process in attempts(notes) if is_alive(process)]
        self.check("no attempt runs", not alive)

    def run(self, notes, master, settings, expected=0):
        """Runs normalize.py with the faulty program, and checks its exit code. Returns its standard error."""
        notes.mkdir(exist_ok=True)
        faulty, scratch = self.folder / "faulty", self.folder / "scratch"
        words = [sys.executable, os.path.abspath(__file__), "--as-mailglot", str(notes), self.program]
        faulty.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        faulty.chmod(0o755)
        submit = [spark_home() / "bin" / "spark-submit", "--master", master]
        for setting in ["spark.ui.enabled=false", f"spark.local.dir={scratch}", *settings]:
            submit += ["--conf", setting]
        output = self.folder / f"{notes.name}.mbox"
        job = [DRIVER, self.mailbox, "-o", output, "--split-size", str(SPLIT_SIZE), "--mailglot", faulty]
        environment = dict(os.environ, PYSPARK_PYTHON=sys.executable)
        start = time.monotonic()
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        done = subprocess.run([*submit, *job], env=environment, **pipes, text=True, errors="replace", timeout=600)
        print(f"{notes.name} on {master}: {time.monotonic() - start:.0f} s, exit code {done.returncode}", flush=True)
        self.check(f"exit code {expected}", done.returncode == expected)
        if done.returncode != expected:
            print(done.stderr[-5000:])
        return done.stderr

    def check(self, what, holds):
        print(f"{'ok    ' if holds else 'FAILED'} {what}", flush=True)
        self.failures += not holds


class Cluster:
    """A master, and a worker on each address of the loopback network, which count as different hosts."""

    def __init__(self, folder, hosts):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.master = f"spark://127.0.0.1:{self.port}"
        web = ["--webui-port", "0"]
        self.servers = [["master.Master", "--host", "127.0.0.1", "--port", str(self.port), *web]]
        for host in hosts:
            size = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder / host)]
            self.servers.append(["worker.Worker", "--host", host, *size, *web, self.master])

    def __enter__(self):
        self.processes = []
        for server, *words in self.servers:
            command = [spark_home() / "bin" / "spark-class", f"org.apache.spark.deploy.{server}", *words]
            log = subprocess.DEVNULL
            self.processes.append(subprocess.Popen(command, stdout=log, stderr=log, stdin=log))
        return self.master

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
            process.wait()


def spark_home():
    import pyspark

    return Path(pyspark.__file__).parent


def write_mailbox(path, size):
    """Writes a mailbox of messages in several charsets, with attachments and lines that begin with `From`."""
    dice = random.Random(20)
    with open(path, "wb") as mailbox:
        number = 0
        while mailbox.tell() < size:
            charset, text = list(TEXTS.items())[number % len(TEXTS)]
            body = "\n".join([text] * dice.randrange(1, 80) + [">From here on", text, ""]).encode(charset)
            coding = ["8bit", "base64", "quoted-printable"][number % 3]
            body = {"8bit": bytes, "base64": base64.encodebytes, "quoted-printable": quopri.encodestring}[coding](body)
            head = f"Subject: {text} {number}\nMessage-ID: <{number}@example.org>\nMIME-Version: 1.0\n".encode(charset)
            part = f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {coding}\n\n".encode() + body
            if number % 7 == 0:
                attached = base64.encodebytes(dice.randbytes(dice.randrange(100, 60_000)))
                kind = b"Content-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n\n"
                part = b'Content-Type: multipart/mixed; boundary="b"\n\n--b\n' + part + b"\n--b\n" + kind + attached + b"\n--b--\n"
            mailbox.write(b"From a@example.org Thu Jan  1 00:00:00 2004\n" + head + part + b"\n")
            number += 1


def attempts(notes, split="*"):
    """The process ids of the attempts at a split."""
    return [int(path.suffix[1:]) for path in notes.glob(f"attempt.{split}.*")]


def is_alive(process):
    """Whether an attempt runs. A process id may belong to another program by now."""
    try:
        return b"--split" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def as_mailglot(notes, program, *words):
    """Becomes mailglot. A process beside it strikes in the middle of the first attempt at the splits of FAULTS."""
    if "run" in words:
        split, output = int(words[words.index("--split") + 1]), words[words.index("-o") + 1]
        is_first = not attempts(notes, split)
        (notes / f"attempt.{split}.{os.getpid()}").touch()
        if split == BROKEN and (notes / "broken").exists():
            sys.exit(2)
        if split in FAULTS[notes.name] and is_first:
            process, (ready, is_ready) = os.getpid(), os.pipe()
            if os.fork() == 0:
                strike(notes, split, output, process, is_ready)
                os._exit(0)
            os.close(is_ready)
            os.read(ready, 1)
            os.nice(19)  # A slow program: the strike must not come too late.
    os.execv(program, [program, *words])


def strike(notes, split, output, process, is_ready):
    fault, executor = FAULTS[notes.name][split], executor_of(process)
    parts = Path(f"{output}.parts")
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDWR), 2)
    os.close(is_ready)
    while not is_in_the_middle(parts, split):
        if has_part(parts, split):
            return
        time.sleep(0.0005)
    if fault == "executor is killed":
        os.kill(executor, signal.SIGKILL)
    elif fault == "program is killed":
        os.kill(process, signal.SIGKILL)
    else:
        os.kill(process, signal.SIGSTOP)
    struck = not has_part(parts, split)
    if fault.startswith("task is killed"):
        os.kill(parent_of(process), signal.SIGKILL)
        time.sleep(1)
        if is_alive(process):
            os.kill(process, signal.SIGKILL)
            struck = False
    if struck:
        (notes / f"struck.{split}").touch()


def is_in_the_middle(parts, split):
    """Whether an attempt has written data."""
    try:
        return any(path.stat().st_size for path in parts.glob(f"{split:06}.*.tmp/*"))
    except FileNotFoundError:
        return False


def has_part(parts, split):
    return any(parts.glob(f"{split:06}.*[0-9a-f]/manifest.json"))


def executor_of(process):
    """The process id of the executor in which an attempt runs."""
    while b"CoarseGrainedExecutorBackend" not in Path(f"/proc/{process}/cmdline").read_bytes():
        process = parent_of(process)
    return process


def parent_of(process):
    return int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as-mailglot"]:
        as_mailglot(Path(sys.argv[2]), *sys.argv[3:])
    main()

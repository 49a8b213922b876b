# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where runs happen: processes of this machine, or a Dask cluster. Both are functions of tasks, which they take as they
need them, that yield (task, outcome) as runs end, in any order, and stop what is under way when they are closed."""
import concurrent.futures
import itertools
import json
import os
import subprocess

from . import worker

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
SCHEDULER_TIMEOUT_S = 10
UNDER_WAY_PER_JOB = 4
# On a cluster, of whatever size. The scheduler and we keep the texts of so many runs:
UNDER_WAY = 5000
UNDER_WAY_AT_FIRST = 16  # until it is known how long one takes
# A worker gets as many runs at once as take so long, because a Python of its own costs as much as some short runs; a
# worker that dies loses no more.
BATCH_S = 2.0
BATCH_RUNS = 25  # so that UNDER_WAY keeps 200 workers busy


class Unavailable(Exception):
    """One line for the user."""


class Lost(Exception):
    """What ran the tasks is gone. One line for the user."""


def local(program, tasks, jobs):
    executor, running = concurrent.futures.ThreadPoolExecutor(jobs), set()
    tasks, futures = iter(tasks), {}
    try:
        while True:
            for task in itertools.islice(tasks, UNDER_WAY_PER_JOB * jobs - len(futures)):
                futures[executor.submit(worker.simulate, program, task, running)] = task
            if not futures:
                break
            for future in concurrent.futures.wait(futures, return_when=concurrent.futures.FIRST_COMPLETED).done:
                yield futures.pop(future), future.result()
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        for process in list(running):
            process.terminate()
        executor.shutdown(wait=True)


def dask():
    try:
        import distributed
    except ImportError:
        raise Unavailable("--cluster needs Dask, which is missing: apt install python3-distributed") from None
    return distributed


def ssh_cluster(hosts):
    """The scheduler runs on the first host, a worker on each."""
    return dask().SSHCluster([hosts[0], *hosts])


def slurm_cluster(jobs):
    """Queue, cores, memory and time of a job are Dask's own settings (jobqueue.yaml)."""
    dask()
    try:
        from dask_jobqueue import SLURMCluster
    except ImportError:
        raise Unavailable("--cluster slurm needs dask-jobqueue, which is missing: apt install "
                          "python3-dask-jobqueue, or pip install dask-jobqueue") from None
    cluster = SLURMCluster()
    cluster.scale(jobs=jobs)
    return cluster


def connect(where, jobs):
    """(client, the cluster if we started it, else None)"""
    kind, _, rest = where.partition(":")
    hosts = [host for host in rest.split(",") if host] if kind == "ssh" else []
    if not (hosts or where == "slurm" or where.startswith(("tcp://", "tls://"))):
        raise Unavailable(f"--cluster {where}: must be tcp://ADDRESS of a Dask scheduler, ssh:HOST,HOST,... or slurm")
    distributed, cluster = dask(), None
    try:
        if kind == "ssh":
            cluster = ssh_cluster(hosts)
        elif kind == "slurm":
            cluster = slurm_cluster(jobs)
        return distributed.Client(cluster or where, timeout=SCHEDULER_TIMEOUT_S), cluster
    except (OSError, RuntimeError, ValueError) as error:  # TimeoutError is an OSError
        raise Unavailable(f"--cluster {where}: {error or 'no scheduler answers'}") from None


GONE = ("the scheduler of the cluster is gone, and with it the runs under way; all that ended before is kept: "
        "start the same again for what is missing")


def answer_of(future):
    """Of worker.py to a batch, or {"failed": why}. Waits where its worker went away and another does it again."""
    error = future.exception()
    if future.status == "cancelled":
        raise Lost(GONE)
    if error is not None:
        return {"failed": str(error)}
    try:
        done = future.result()
    except (OSError, concurrent.futures.CancelledError):  # the connection ended while it was on its way
        raise Lost(GONE) from None
    if done.returncode != 0:
        return {"failed": (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]}
    return json.loads(done.stdout)


class Batches:
    """What is under way on a cluster. `submit` is a function of a batch, a list of tasks, that gives its future."""

    def __init__(self, tasks, submit):
        self.tasks, self.submit = iter(tasks), submit
        self.futures, self.runs, self.most = {}, 1, UNDER_WAY_AT_FIRST  # batches; runs of the next; runs of all
        self.ended, self.took_s = 0, 0.0

    def begin(self, batch):
        future = self.submit(batch)
        self.futures[future] = batch
        return future

    def fill(self):
        """Yields the futures of new batches."""
        n_runs = sum(map(len, self.futures.values()))
        while n_runs < self.most and (batch := list(itertools.islice(self.tasks, self.runs))):
            n_runs += len(batch)
            yield self.begin(batch)

    def end(self, future):
        """(outcomes, with the task of each; futures of batches that take the place of this one)"""
        batch, answer = self.futures.pop(future), answer_of(future)
        if "failed" not in answer:
            self.ended += len(batch)
            self.took_s += answer["seconds"]
            self.runs, self.most = max(1, int(min(BATCH_S * self.ended / self.took_s, BATCH_RUNS))), UNDER_WAY
            return list(zip(batch, answer["outcomes"])), []
        if len(batch) == 1:
            return [(batch[0], answer)], []
        return [], [self.begin([task]) for task in batch]  # one of them ended its worker: each for itself


def check_workers(client, command, build):
    """Those that are there already. One that comes later with another build fails its runs, by name."""
    try:
        answers = client.run(subprocess.run, [*command, "--check"], input=json.dumps(build), capture_output=True, text=True)
    except OSError as error:
        raise Unavailable(f"a worker of the cluster went away before the first run ({error}): start again") from None
    wrong = [f"{address}: {done.stdout or done.stderr.strip()}" for address, done in sorted(answers.items())
             if done.returncode != 0 or done.stdout]
    if wrong:
        raise Unavailable("; ".join(wrong))


def cluster(where, program, tasks, jobs):
    """A batch is Python's own subprocess.run with the text of worker.py: nothing is installed on the workers but
    Dask and weir-lab."""
    client, started = connect(where, jobs)
    try:
        with open(WORKER, encoding="utf-8") as file:
            command = ["python3", "-c", file.read()]
        build = {"program": os.path.realpath(program), "identity": worker.identity(program),
                 "version": worker.version(program)}
        check_workers(client, command, build)

        def submit(batch):
            sent = {"build": build, "tasks": [{name: task[name] for name in worker.TASK if name in task} for task in batch]}
            return client.submit(subprocess.run, command, input=json.dumps(sent), capture_output=True, text=True, pure=False)

        batches = Batches(tasks, submit)
        ended = dask().as_completed(batches.fill())
        for future in ended:
            outcomes, again = batches.end(future)
            yield from outcomes
            future.release()
            ended.update([*again, *batches.fill()])
    finally:
        client.close()
        if started is not None:
            started.close()

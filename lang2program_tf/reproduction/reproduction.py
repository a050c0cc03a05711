"""The whole job: the runs of a table that are still to be trained, and the table after each."""

from __future__ import annotations

import functools
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lang2program_tf.errors import UserError
from lang2program_tf.files import write_atomically
from lang2program_tf.learning.run_folder import RunFolder
from lang2program_tf.reproduction.cells import Run, Table
from lang2program_tf.reproduction.engines import open_engine
from lang2program_tf.reproduction.figure import draw_figure, speeds
from lang2program_tf.reproduction.live_table import open_view
from lang2program_tf.reproduction.queue import Job, Queue, State
from lang2program_tf.reproduction.readme import update_readme
from lang2program_tf.reproduction.report import markdown, summarize
from lang2program_tf.reproduction.results import (
    Record,
    Records,
    finished_runs,
    merge,
    read_records,
    records_of,
)
from lang2program_tf.reproduction.settings import Settings, bindings, read_settings
from lang2program_tf.reproduction.tables import RESULT_NAMES

# What follows `python` to train a run, and to evaluate runs in another way than they are.
TRAIN = ("-m", "lang2program_tf.cli.main", "train")
EVALUATE = ("-m", "lang2program_tf.reproduction.evaluate_runs")


class Outcome(NamedTuple):
    """How a queue ended.

    Attributes:
        signal: what stopped it, if anything did.
        jobs: what was to be trained.
    """

    signal: signal.Signals | None
    jobs: Sequence[Job]

    def failed(self) -> list[Job]:
        """The jobs that ended in an error."""
        return [job for job in self.jobs if job.state is State.FAILED]


class Reproduction:
    """A table, the folder of its runs and the folder of its results.

    Attributes:
        table: the table.
        json: the results file.
        markdown: the table for people.
        figure: the picture, for the table that has one.
    """

    def __init__(
        self, table: Table, *, root_dir: Path, results: Path, params: Sequence[str] = ()
    ) -> None:
        """Binds the folders.

        Args:
            table: the table.
            root_dir: the folder of all runs.
            results: the folder of results; it is made if it is not there.
            params: gin bindings that override those of the files.
        """
        self.table = table
        self.json = results / f"{table.name}.json"
        self.markdown = results / f"{table.name}.md"
        self.figure = results / f"{table.name}.png" if table.draws_curves else None
        self._root_dir = root_dir
        self._params = params
        self._cells = {cell.key: cell for cell in table.cells}
        self._settings = functools.cache(self._read_settings)
        try:
            results.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot make the folder {results}: {error.strerror}") from error

    def records(self) -> Records:
        """What is finished, by the folders and by the results files, of other tables too."""
        found = finished_runs(self.table, self._root_dir)
        others = (
            self.json.with_name(f"{name}.json") for name in RESULT_NAMES if name != self.table.name
        )
        elsewhere = [records_of(self.table, read_records(path)) for path in others]
        return merge([found, read_records(self.json), *elsewhere], fits=self._fits)

    def write(self) -> str:
        """Writes the results so far; the table for people."""
        records = self.records()
        text = markdown(self.table, records, fits=self._fits)
        if self.table.draws_curves:
            text += f"\n{speeds(self.table, records)}"
        whole = {
            "table": self.table.name,
            "reading": self.table.reading,
            "caption": self.table.caption,
            "rows": summarize(self.table, records),
            "runs": [records[key] for key in sorted(records)],
        }
        write_atomically(self.json, json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
        write_atomically(self.markdown, text)
        update_readme(self.json.parent)
        return text

    def draw(self) -> bool:
        """Draws the table's picture; whether it has one, and runs to draw."""
        return self.figure is not None and draw_figure(self.table, self.records(), self.figure)

    def train(self, runs: Sequence[Run], *, engine: str, limit: int) -> Outcome:
        """Trains the runs that are not done, and writes the results whenever one is.

        Runs that evaluate others in another way come last, when those are trained.

        Args:
            runs: in the order in which they begin.
            engine: `local` or `ray`.
            limit: how many run at a time.
        """
        jobs = [self._job(run) for run in self.not_done(runs)]
        print(
            f"{self.table.name}: {len(runs)} runs, {len(runs) - len(jobs)} of them done before",
            file=sys.stderr,
        )
        if not jobs:
            return Outcome(None, jobs)
        view = open_view(jobs, sys.stderr)

        def changed(job: Job) -> None:
            view.changed(job)
            if job.state is State.DONE:
                self.write()

        opened = open_engine(engine, jobs=limit)
        trained = [job for job in jobs if not job.run.sources()]
        evaluated = [job for job in jobs if job.run.sources()]
        stopped_by = None
        try:
            for part in (trained, evaluated):
                queue = Queue(part, engine=opened, limit=limit)
                stopped_by = stopped_by or queue.run(changed=changed, tick=view.tick)
        finally:
            opened.close()
        view.close()
        return Outcome(stopped_by, jobs)

    def not_done(self, runs: Sequence[Run]) -> list[Run]:
        """The runs that are not finished with the settings of now."""
        for run in runs:
            self._settings(run)  # a mistake in them must come out before anything is trained
        records = self.records()
        done = {key for key, record in records.items() if self._fits(record)}
        return [run for run in runs if (run.cell.key, run.seed) not in done]

    def _job(self, run: Run) -> Job:
        folder = run.folder(self._root_dir)
        params = [f"--gin_param={binding}" for binding in bindings(run, self._params)]
        files = [f"--gin_file={name}" for name in run.cell.gin_files]
        sources = [f"--source={source.folder(self._root_dir)}" for source in run.sources()]
        command = [*EVALUATE, *sources] if sources else TRAIN
        arguments = [*command, *files, *params, f"--root_dir={folder}"]
        return Job(run, RunFolder(folder), arguments, self._settings(run).max_steps)

    def _fits(self, record: Record) -> bool:
        """Whether a record's settings are those that its run would be trained with now."""
        cell = self._cells.get(record["gin_file"])
        if cell is None:
            return False
        config: str = self._settings(Run(cell, record["seed"])).config
        return config == record["config"]

    def _read_settings(self, run: Run) -> Settings:
        return read_settings(run, self._params)

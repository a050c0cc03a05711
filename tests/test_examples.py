"""The notebook of examples/ runs as it stands, and says nothing of the machine it was run on."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

TOUR = Path(__file__).parents[1] / "examples" / "tour.ipynb"


def output_of(cell) -> str:
    """What a cell printed, without progress bars."""
    printed = [out.text for out in cell.outputs if out.get("name") == "stdout"]
    return "".join(printed)


@pytest.mark.slow
def test_the_tour_runs():
    tour = nbformat.read(TOUR, as_version=4)
    (parameters,) = [c for c in tour.cells if "parameters" in c.metadata.get("tags", ())]
    parameters.source = "steps = 100"  # with less it finds no programs
    resources = {"metadata": {"path": str(TOUR.parent)}}
    NotebookClient(tour, timeout=None, resources=resources).execute()
    printed = "\n".join(output_of(cell) for cell in tour.cells if cell.cell_type == "code")
    assert "leave(hasShirt(red))" in printed
    assert "unknown: flurble" in printed
    assert re.search(r"5 utterances: \d+% of the worlds are right", printed)
    assert printed.count("  wrong  ") + printed.count("  right  ") == 8
    shown = [out.get("data", {}) for cell in tour.cells for out in cell.get("outputs", ())]
    pictures = [data for data in shown if "image/png" in data]
    assert len(pictures) == 2


def test_the_tour_shows_outputs_and_no_paths():
    tour = nbformat.read(TOUR, as_version=4)
    cells = [cell for cell in tour.cells if cell.cell_type == "code"]
    assert any(cell.outputs for cell in cells)
    assert not re.search(r"/(home|root|work|tmp|usr)/", TOUR.read_text(encoding="utf-8"))

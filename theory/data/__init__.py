"""Plain data without SymPy: notation, published laws, bibliography, tables typed in from papers.

The data stand in files beside the modules that read them: laws.toml, works.bib, runs.csv and
krajewski2025.toml.
"""

from __future__ import annotations

from pathlib import Path


def text_of(name: str) -> str:
    """The text of a data file of this folder."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")

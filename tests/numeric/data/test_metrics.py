"""What a table holds, told from its columns."""

import pytest

from isoflop.numeric.data.metrics import kind_of
from isoflop.numeric.data.table import table_of


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        ("model problem n c", "counts"),
        ("prompt_idx num_samples num_correct params", "counts"),
        ("model task_id passed", "counts"),
        ("model k pass_at_k", "pass@k"),
        ("model k pass@k n c", "counts"),
        ("N D loss", "runs"),
        ("N D val_loss train_loss", "runs"),
        ("N D accuracy", "runs"),
        ("N D loss acc_piqa", "runs"),
        ("run task acc metric", "evaluations"),
        ("N D acc_piqa acc_sciq", "evaluations"),
        ("N D hellaswag arc:easy", "evaluations"),
        ("N D width", None),
    ],
)
def test_kinds(names: str, kind: str | None) -> None:
    assert kind_of(table_of({name: [1.0] for name in names.split()})) == kind


def test_what_the_user_says_goes_first() -> None:
    table = table_of({name: [1.0] for name in ("tried", "solved", "loss")})
    assert kind_of(table) == "runs"
    assert kind_of(table, {"n": "tried", "n_correct": "solved"}) == "counts"
    assert kind_of(table, {"loss": None}) is None

"""isoflop fit COUNTS: the scaling laws of -log pass@k at every k, and what follows from them."""

from __future__ import annotations

import sys
from math import log10

from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, INTERRUPTED, NO_VERDICT, UsageError, shown
from .render import TABLES, WIDTH, csv_text, json_text, plain, tables_text
from .run_options import check_figure, is_terminal, say_interrupted, share, target, whole
from .selection import loss_law
from .tables import TableOptions, declare_counts, draws_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..numeric.data.counts import Counts
    from ..numeric.passk.allocation import AllocationMatrix
    from ..numeric.passk.study import PassStudy
    from .arguments import Options

FORMATS = ("text", "json", "csv", *TABLES)
LAWS = ("compute", "params-tokens", "gold")
METHODS = ("likelihood", "least-squares-log")
#: What models are drawn together by: "auto" leaves it to the models, "none" draws them one by one.
AUTO, ALONE = "auto", "none"
CLUSTERS = ("params", "tokens", ALONE)
LISTS = ("--k", "--ratio", "--compute")
RESAMPLES, LEVEL = 200, 0.9


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop fit",
        [
            "COUNTS --models TABLE [--gold TABLE] [--law LAW,...] [--k K ...]",
            "COUNTS ... [--bootstrap N] [--ratio RATIO ...] [--compute C ...]",
        ],
        "COUNTS has a row for each model and problem: how many samples were drawn, and how many "
        "were correct.\n"
        "The models' params, tokens or compute are in COUNTS or in --models, the -log probability "
        "that each\n"
        "gives to the gold solutions in --gold. For every k, with intervals:\n"
        "  compute        -log pass@k = E0(k) + C0(k) C^-alpha(k)\n"
        "  params-tokens  -log pass@k = E0(k) + N0(k) N^-beta(k) + D0(k) D^-gamma(k)\n"
        "  gold           -log pass@k = xi0(k) + K0(k) g^kappa(k)\n"
        "then how the coefficients move with k, below which compute the laws contradict each "
        "other, and\n"
        "the envelope of the second law beside the first.\n"
        "Exit status 3: a coefficient is left open, a minimum is not certified, or a prediction is "
        "refused.",
        [
            "isoflop fit counts.csv --models models.csv",
            "isoflop fit counts.csv --models models.csv --law compute --k 1 10 100 --format csv",
            "isoflop fit counts.csv --models models.csv --gold gold.csv --plot laws.png",
            "isoflop fit counts.csv --models models.csv --k 1 10 --ratio 0.1 10 --compute 1e22",
            "isoflop fit counts.csv --models models.csv --loss-law besiroglu2024 --compute 1e22",
        ],
    )
    declare_counts(built)
    asked = built.add_argument_group("laws")
    takes_one(
        asked,
        "--of",
        "pass@k",
        "what the law is of; default: pass@k, as the table holds counts of samples",
    )
    takes_one(
        asked,
        "--law",
        "LAW,...",
        f"{', '.join(LAWS)}; default: all for which the models' covariates are there",
    )
    takes_several(
        asked,
        "--k",
        "K",
        "default: 1, 2, 5, 10, ... up to 10,000, or to the fewest samples of any problem (least "
        "squares)",
    )
    takes_one(
        asked,
        "--method",
        "|".join(METHODS),
        "likelihood of the counts with models scattered about the law (default; any k, models "
        "without a success, adaptive "
        "sampling), or least squares on the unbiased estimates",
    )
    sure = built.add_argument_group("uncertainty and what follows")
    takes_one(sure, "--bootstrap", "N", f"resamples of models; 0 for none; default: {RESAMPLES}")
    takes_one(sure, "--seed", "S", "of the resamples; default: 0")
    takes_one(
        sure,
        "--cluster",
        "|".join(CLUSTERS),
        "draw models with the same params (or tokens) together, as checkpoints of one run should "
        "be, or one by one; default: "
        "params, where sizes repeat and there are at least four",
    )
    takes_one(sure, "--level", "SHARE", f"of intervals; default: {LEVEL}")
    takes_several(
        sure,
        "--ratio",
        "RATIO",
        "add the penalty and the effective compute at overtraining ratios, for every k",
    )
    takes_several(
        sure,
        "--compute",
        "C",
        "add predictions of the compute law at each compute in FLOP, refused where the laws at "
        "different k contradict each "
        "other, and what the allocation that is optimal for one k costs at another",
    )
    takes_one(
        sure,
        "--loss-law",
        "LAW",
        "a published law of loss or a JSON law file: with --compute, also what its allocation "
        "costs at every k",
    )
    declare_output(built, *FORMATS, plot="draw models, laws and coefficients against k")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where something is left open, 130 where Ctrl-C left a
    part undone.
    """
    form = options.chosen("--format", FORMATS)
    asked = _Asked(options)
    counts = asked.table.counts()
    study = asked.study(counts)
    ahead = _Ahead(study, asked)
    if asked.plot is not None:
        _draw(study, asked.plot)
    if form == "json":
        text = json_text(plain(study.as_dict() | ahead.as_dict()))
    elif form == "csv":
        text = csv_text(
            [
                {"law": name, **row, "undetermined": " ".join(row["undetermined"])}
                for name, laws in study.laws.items()
                for row in laws.rows(study.level)
            ]
        )
    elif form in TABLES:
        text = tables_text(study.tables(), form)
    else:
        text = "\n\n".join(map(str, [study, *ahead.texts(), *_notes(counts)]))
    if study.interrupted:
        say_interrupted(
            f"{study.done} of {study.planned} fits are made; laws and k that were not reached are "
            f"left out"
        )
        return text, INTERRUPTED
    return text, DONE if study.sound and not ahead.refused else NO_VERDICT


class _Asked:
    """The options of the command, each checked before any work is done."""

    def __init__(self, options: Options) -> None:
        self.table = TableOptions(options, "counts", LISTS)
        self.laws = options.several("--law")
        for name in self.laws or ():
            if name not in LAWS:
                raise UsageError(f"--law {shown(name)}: must be one of {', '.join(LAWS)}")
        self.k = draws_of(options)
        self.method = options.chosen("--method", METHODS)
        resamples = whole(options, "--bootstrap", least=0)
        if resamples == 1:
            raise UsageError("--bootstrap '1': must be 0, or at least 2 for intervals")
        self.resamples = RESAMPLES if resamples is None else resamples
        self.seed = whole(options, "--seed", least=0) or 0
        word = options.one("--cluster")
        if word is not None and word not in CLUSTERS:
            raise UsageError(f"--cluster {shown(word)}: must be one of {', '.join(CLUSTERS)}")
        self.cluster = AUTO if word is None else None if word == ALONE else word
        self.level = share(options, "--level") or LEVEL
        self.ratios, self.compute = (
            [value for _, value in options.positives(option) or []]
            for option in ("--ratio", "--compute")
        )
        if self.ratios and self.laws is not None and "params-tokens" not in self.laws:
            raise UsageError(
                f"--ratio {shown(' '.join(options.words('--ratio') or ()))}: is for the law "
                f"params-tokens"
            )
        word = options.one("--loss-law")
        if word is not None and not self.compute:
            raise UsageError(
                f"--loss-law {shown(word)}: needs --compute, at which its allocation is judged"
            )
        if word is not None and self.laws is not None and "params-tokens" not in self.laws:
            raise UsageError(f"--loss-law {shown(word)}: is for the law params-tokens")
        self.loss_law = None if word is None else loss_law(word)
        self.plot = target(options, "--plot")
        target(options, "--output")
        if self.plot is not None:
            check_figure(self.plot)

    def study(self, counts: Counts) -> PassStudy:
        from ..numeric.passk.study import study_passk

        return study_passk(
            counts,
            laws=self.laws,
            k=self.k,
            method=self.method,
            resamples=self.resamples,
            seed=self.seed,
            cluster=self.cluster,
            level=self.level,
            ratios=self.ratios,
            progress=is_terminal(sys.stderr),
        )


class _Ahead:
    """Predictions and allocations at the computes that were asked for."""

    def __init__(self, study: PassStudy, asked: _Asked) -> None:
        self.study, self.compute, self.loss_law = study, asked.compute, asked.loss_law
        self.predictions: list[dict[str, Any]] = []
        self.refused: list[dict[str, Any]] = []
        self.matrix: AllocationMatrix | None = None
        self.notes: list[str] = []
        if not asked.compute:
            return
        if not {"compute", "params-tokens"} & set(study.laws):
            raise UsageError(
                f"--compute {asked.compute[0]:g}: is for the laws compute and params-tokens"
            )
        if asked.loss_law is not None and "params-tokens" not in study.laws:
            raise UsageError(
                f"--loss-law {shown(asked.loss_law.name)}: is for the law params-tokens, which the "
                f"models do not allow"
            )
        if "compute" in study.laws:
            self._predict()
        else:
            self.notes.append("no predictions: they are of the compute law, which was not fitted")
        if "params-tokens" in study.laws:
            self._allocate()
        self._extrapolate()

    def _predict(self) -> None:
        from ..numeric.passk.validity import predict

        laws, level = self.study.laws["compute"], self.study.level
        for compute in self.compute:
            try:
                rows = predict(laws, {"compute": compute}, level=level)
            except ValueError as error:
                self._refuse("prediction", compute, str(error))
            else:
                self.predictions += [{"compute": compute, **row} for row in rows]

    def _allocate(self) -> None:
        from ..numeric.passk.allocation import LOSS, allocation_matrix

        laws: dict[Any, Any] = {} if self.loss_law is None else {LOSS: self.loss_law}
        for fit in self.study.laws["params-tokens"].fits:
            if fit.undetermined:
                names = ", ".join(fit.undetermined)
                self.notes.append(f"k = {fit.k}: no allocation: the models leave {names} open")
            else:
                laws[fit.k] = fit
        if len(laws) < 2:
            return
        refused = allocation_matrix(laws, self.compute).refusals()
        for compute, reason in refused.items():
            self._refuse("allocation", compute, reason)
        if held := [compute for compute in self.compute if compute not in refused]:
            self.matrix = allocation_matrix(laws, held, level=self.study.level)

    def _refuse(self, what: str, compute: float, reason: str) -> None:
        self.refused.append({"what": what, "compute": compute, "reason": reason})

    def _extrapolate(self) -> None:
        """Say which of the computes lie beyond all models."""
        covariates = [laws.covariates for laws in self.study.laws.values()]
        known = next(held["compute"] for held in covariates if "compute" in held)
        for compute in self.compute:
            for end, what, beyond in (
                (known.max(), "above the greatest", log10(compute / known.max())),
                (known.min(), "below the least", log10(known.min() / compute)),
            ):
                if beyond > 0.0:
                    self.notes.append(
                        f"compute={compute:g}: {beyond:.2g} orders of magnitude {what} compute of "
                        f"the models, {end:.4g}"
                    )

    def as_dict(self) -> dict[str, Any]:
        named = {} if self.loss_law is None else {"loss_law": self.loss_law.name}
        found: dict[str, Any] = {
            "predictions": self.predictions,
            "refused": self.refused,
            "allocations": [] if self.matrix is None else [self.matrix.as_dict() | named],
            "notes": self.notes,
        }
        return {name: rows for name, rows in found.items() if rows}

    def texts(self) -> list[str]:
        from textwrap import wrap

        from ..numeric.passk.study_text import predictions_table

        found = []
        if self.predictions:
            table = predictions_table(self.predictions, self.study.level)
            found.append(str(table).replace("\n", "\n\n", 1))
        refused = [wrap(f"no {row['what']}: {row['reason']}", WIDTH) for row in self.refused]
        found.append("\n".join(line for lines in refused for line in lines))
        if self.matrix is not None:
            taken = "" if self.matrix.low is None else ", which the intervals take as it is"
            loss = "" if self.loss_law is None else f"\nloss: {self.loss_law.name}{taken}"
            found.append(f"{self.matrix}{loss}")
        notes = [wrap(f"note: {note}", WIDTH) for note in self.notes]
        found.append("\n".join(line for lines in notes for line in lines))
        return [text for text in found if text]


def _notes(counts: Counts) -> list[str]:
    from ..numeric.data.rows import those_dropped

    dropped = [f"rows {those_dropped(counts.dropped)}"] if counts.dropped else []
    said = "\n".join(f"note: {text}" for text in [*counts.warnings, *dropped])
    return [said] if said else []


def _draw(study: PassStudy, path: str) -> None:
    from ..numeric.plot.panels import save
    from ..numeric.plot.passk_laws import plot_study

    save(plot_study(study)[0], path)

r"""Published scaling laws: coefficients as the exact decimals of their source.

Two kinds of law:

* ``params-tokens``: ``y = E + A N^-beta + B D^-gamma``;
* ``compute``: ``y = E + C0 C^-alpha``.

``y`` is a loss in nats per token, or the negative logarithm of a normalised accuracy. All names are
canonical (:mod:`isoflop.theory.data.notation`); ``printed`` keeps the names and digits of the
source. No value is a float: convert the strings where the numbers are needed, to the precision
needed there.

In a published law ``E`` is None if the form has no irreducible term at all: ``y`` is then the
reducible part.

Plain data and plain Python: importing this module costs next to nothing.
"""

from __future__ import annotations

from .bibliography import PAPERS_OF_LAWS, Work
from .notation import KINDS, Record, close_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "DERIVED_DIGITS",
    "KRAJEWSKI_RUNS",
    "LAWS",
    "SOURCES",
    "PublishedLaw",
    "RunsOnARay",
    "bibtex",
    "compute_counterparts",
    "decode_table_11",
    "families",
    "names",
    "published",
]

#: Significant digits of a coefficient that is not printed but computed from printed digits.
DERIVED_DIGITS = 36


class PublishedLaw(Record):
    """A law with the coefficients that its source gives.

    Attributes
    ----------
    name : str
        Key of :func:`published`.
    title : str
        One line for a table.
    family : str
        The laws of one table share a family.
    label : str or None
        The benchmark, as the table prints it.
    kind : {"params-tokens", "compute"}
    form : str
        The law in the letters of the source.
    notation : {"hoffmann", "schaeffer"}
        The notation that gives the exponents the letters of the source.
    digits : tuple of (str, str or None)
        Canonical names and decimals of a ``params-tokens`` law; empty for a ``compute`` law, which
        is decoded from ``printed_digits``. Read :attr:`coefficients` instead.
    printed_digits : tuple of (str, str)
        Names and digits as the source prints them; empty if it prints none.
    metric, unit : str
        What the law predicts, and in which unit ("1": dimensionless).
    metric_type : str or None
        How a benchmark is scored: acc_norm, acc, exact_match, pass@1.
    random_baseline : str or None
        Accuracy of guessing Q_random. The law is for Q' = (Q - Q_random)/(1 - Q_random).
    budget : str
        Compute in terms of params N and tokens D.
    sources : tuple of Work
        First the source of the coefficients, then that of the runs.
    locus : str
        Table or equation, "refit" if the digits are in no paper.
    verified : str
        What was compared with what; "unverified" where nothing was.
    note : str
        What a user of the numbers should know.
    """

    name: str
    title: str
    family: str
    label: str | None
    kind: str
    form: str
    notation: str
    digits: tuple[tuple[str, str | None], ...]
    printed_digits: tuple[tuple[str, str], ...]
    metric: str
    unit: str
    metric_type: str | None
    random_baseline: str | None
    budget: str
    sources: tuple[Work, ...]
    locus: str
    verified: str
    note: str

    def __repr__(self) -> str:
        return f"published({self.name!r})"

    @property
    def coefficients(self) -> dict[str, str | None]:
        """Canonical name -> decimal: E, A, B, beta, gamma; or E, C0, alpha for a compute law.

        E is None where the form has no irreducible term.
        """
        if self.kind != "compute":
            return dict(self.digits)
        decoded = self._decoded
        return {"E": None, "C0": decoded["C0"], "alpha": decoded["alpha"]}

    @property
    def log_C0(self) -> str:
        """Natural logarithm of the coefficient of a compute law, as printed.

        Raises
        ------
        ValueError
            For a law of another kind.
        """
        if self.kind != "compute":
            raise ValueError(
                f"law={self.name!r} is a {self.kind} law: only a compute law has a log_C0"
            )
        return self._decoded["log_C0"]

    @property
    def _decoded(self) -> dict[str, str]:
        return decode_table_11(**{f"column_{name}": digits for name, digits in self.printed_digits})

    @property
    def printed(self) -> dict[str, str]:
        """Name in the source -> digits in the source."""
        return dict(self.printed_digits)

    @property
    def source(self) -> Work:
        """The source of the coefficients."""
        return self.sources[0]

    @property
    def bibtex(self) -> str:
        """BibTeX of every source of this law."""
        return "\n\n".join(source.bibtex() for source in self.sources)

    def as_dict(self) -> dict[str, Any]:
        """Everything in plain types, ready for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "family": self.family,
            "label": self.label,
            "kind": self.kind,
            "coefficients": self.coefficients,
            "form": self.form,
            "notation": self.notation,
            "printed": self.printed,
            "metric": self.metric,
            "unit": self.unit,
            "metric_type": self.metric_type,
            "random_baseline": self.random_baseline,
            "budget": self.budget,
            "source": self.source.citation,
            "locus": self.locus,
            "url": self.source.link,
            "verified": self.verified,
            "note": self.note,
        }


class RunsOnARay(Record):
    """Runs at one nominal ratio of tokens to params, and the budgets that they span.

    Attributes
    ----------
    tokens_per_param : str
        Nominal D/N.
    compute_lo, compute_hi : str
        Smallest and largest training budget of these runs, in FLOP.
    fit_lo, fit_hi : str
        The budgets to which the source restricts its fits when it tests extrapolation, in FLOP.
    source : Work
    locus, note : str
    """

    tokens_per_param: str
    compute_lo: str
    compute_hi: str
    fit_lo: str
    fit_hi: str
    source: Work
    locus: str
    note: str


def decode_table_11(column_A: str, column_alpha: str) -> dict[str, str]:
    r"""The compute law behind a row of Table 11 of Krajewski et al. (arXiv 2512.08894).

    The table is headed "A, alpha" for the law -log Q' = A/C^alpha, but its columns are e^-alpha and
    ln A::

        alpha  = -ln(column A)
        ln C0  = column alpha          (C0 is the A of the printed law)

    Why: the published code regresses log(-log Q') on the columns [ln C, 1], in this order. Its
    coefficient vector is (slope, intercept) = (-alpha, ln A). Exp of the first and the second as it
    is, under the heading "A, alpha", give what the table shows. That this is what happened is an
    inference from the numbers, not a statement of the authors. Read as printed, every row is an
    accuracy of one to a hundred digits at every budget of the paper, with exponents from 6 to 19;
    decoded, the exponents lie between 0.12 and 0.38.

    Parameters
    ----------
    column_A, column_alpha : str
        The digits of the two columns.

    Returns
    -------
    dict
        ``alpha``, ``log_C0``, ``C0`` as decimals: ``log_C0`` with the printed digits, the two
        others computed from them to ``DERIVED_DIGITS`` significant digits.

    Raises
    ------
    ValueError
        If column_A is not between 0 and 1 (an exponent that is not positive), or a column is no
        decimal.

    Examples
    --------
    >>> decode_table_11("0.8320", "8.4951")["alpha"][:6]
    '0.1839'
    """
    from decimal import Context, Decimal  # 3 ms that only a compute law pays for

    context = Context(prec=DERIVED_DIGITS)
    digits = {"column_A": column_A, "column_alpha": column_alpha}
    for name, text in digits.items():
        if not isinstance(text, str):
            raise ValueError(
                f"{name}={text!r} is not a string of digits: a float has lost the printed ones"
            )
    try:
        slope, intercept = Decimal(column_A), Decimal(column_alpha)
        C0 = context.exp(intercept)
    except ArithmeticError:
        given = ", ".join(f"{name}={text!r}" for name, text in digits.items())
        raise ValueError(
            f"{given}: two decimals expected, the second with an exponential in range"
        ) from None
    if not (slope.is_finite() and 0 < slope < 1):
        raise ValueError(
            f"column_A={column_A!r} is outside (0, 1): it is exp(-alpha) with alpha > 0"
        )
    if not intercept.is_finite():
        raise ValueError(f"column_alpha={column_alpha!r} is not finite: it is ln C0")
    return {"alpha": str(context.ln(slope).copy_negate()), "log_C0": column_alpha, "C0": str(C0)}


#: What laws are called by those who do not name the paper.
ALIASES = {"chinchilla": "hoffmann2022", "chinchilla-replication": "besiroglu2024"}


def published(name: str) -> PublishedLaw:
    """Look a published law up by name, or by an alias: chinchilla, chinchilla-replication.

    Raises
    ------
    ValueError
        If there is no law of that name.

    Examples
    --------
    >>> published("besiroglu2024").coefficients["gamma"]
    '0.3658'
    >>> published("chinchilla").name
    'hoffmann2022'
    """
    law = find(name)
    if law is None:
        raise ValueError(f"law={name!r}: {unknown(name)}")
    return law


def find(name: object) -> PublishedLaw | None:
    """The published law of that name or alias; None where there is none."""
    return LAWS.get(ALIASES.get(name.lower(), name)) if isinstance(name, str) else None


def unknown(name: object) -> str:
    """What is wrong with a name that no published law has, with the names that it may stand for."""
    labelled = [
        law.name for law in LAWS.values() if law.label and law.label.lower() == str(name).lower()
    ]
    meant = f" (did you mean {' or '.join(labelled)}?)" if labelled else close_matches(name, LAWS)
    return f"is no published law{meant}; `isoflop laws` lists them"


def names(kind: str | None = None) -> tuple[str, ...]:
    """Names of the published laws, all or of one kind ("params-tokens" or "compute").

    Raises
    ------
    ValueError
        If there is no such kind.
    """
    if kind is not None and kind not in KINDS:
        raise ValueError(
            f"unknown kind={kind!r}; choose from {', '.join(KINDS)}{close_matches(kind, KINDS)}"
        )
    return tuple(law.name for law in LAWS.values() if kind in (None, law.kind))


def families() -> dict[str, tuple[str, ...]]:
    """Family -> names of its laws, in the order of the source."""
    found: dict[str, tuple[str, ...]] = {}
    for law in LAWS.values():
        found[law.family] = (*found.get(law.family, ()), law.name)
    return found


def compute_counterparts() -> tuple[tuple[PublishedLaw, PublishedLaw], ...]:
    """Each law of Krajewski et al. Table 12 with the compute law of Table 11 for the same
    benchmark.

    In the order of Table 12. The rows are matched by label.
    """
    laws = [law for law in LAWS.values() if law.family == "krajewski2025"]
    partners = {law.label: law for law in LAWS.values() if law.family == "krajewski2025-compute"}
    return tuple((law, partners[law.label]) for law in laws)


def bibtex() -> str:
    """BibTeX entries of every source."""
    return "\n\n".join(source.bibtex() for source in SOURCES.values())


#: Every source by BibTeX key. ``schaeffer2025`` is that of the theory; its coefficients are in no
#: public file found.
SOURCES = {work.key: work for work in PAPERS_OF_LAWS}


#: The runs behind Tables 11 and 12 of Krajewski et al. that lie near D/N = 20.
KRAJEWSKI_RUNS = RunsOnARay(
    tokens_per_param="20",
    compute_lo="1.00e18",
    compute_hi="3.77e22",
    fit_lo="3e18",
    fit_hi="6e21",
    source=SOURCES["krajewski2025"],
    locus="Tables 7-9 (runs), Section 4.1 (budgets of the extrapolation test)",
    note=(
        "The ratio is nominal: with N = C/(6D), the 56 rows near 20 have D/N from 17.8 to 22.6. "
        "Appendix H "
        "says that Tables 10 to 13 are fitted to all runs, not only to those between fit_lo and "
        "fit_hi."
    ),
)


_HOFFMANN_FORM = "L = E + A/N^alpha + B/D^beta"

_LOSS: dict[str, Any] = {
    "label": None,
    "kind": "params-tokens",
    "form": _HOFFMANN_FORM,
    "notation": "hoffmann",
    "metric": "loss",
    "unit": "nats/token",
    "metric_type": None,
    "random_baseline": None,
    "budget": "6*N*D",
}


def _canonical(
    E: str | None, A: str, B: str, alpha: str, beta: str
) -> tuple[tuple[str, str | None], ...]:
    """Names of the hoffmann notation in, canonical digits out."""
    return (("E", E), ("A", A), ("B", B), ("beta", alpha), ("gamma", beta))


def _as_printed(*, E: str, A: str, B: str, alpha: str, beta: str) -> dict[str, Any]:
    """The digits of a law that its source prints in the hoffmann notation."""
    return {
        "digits": _canonical(E, A, B, alpha, beta),
        "printed_digits": (("E", E), ("A", A), ("B", B), ("alpha", alpha), ("beta", beta)),
    }


def _losses() -> tuple[PublishedLaw, ...]:
    hoffmann, besiroglu, muennighoff = (
        SOURCES[key] for key in ("hoffmann2022", "besiroglu2024", "muennighoff2023")
    )
    recipe = (
        "240 runs read off Figure 4 of Hoffmann et al. by Besiroglu et al. (the five largest of "
        "245 losses "
        "dropped), D = C/(6N), residuals of log loss"
    )
    return (
        PublishedLaw(
            **_LOSS,
            name="hoffmann2022",
            title="Chinchilla, Approach 3, digits of the paper's source",
            family="hoffmann2022",
            digits=_canonical(
                E="1.69337368099895269708618779642987816",
                A="406.401017519473603281001939968676922",
                B="410.722826945039894518343596434065847",
                alpha="0.33917084",
                beta="0.2849083",
            ),
            printed_digits=(
                ("log E", "0.5267228"),
                ("log A", "6.0073404"),
                ("log B", "6.0179186"),
                ("alpha", "0.33917084"),
                ("beta", "0.2849083"),
            ),
            sources=(hoffmann,),
            locus="comment in the TeX source of arXiv v1 at the fit of Approach 3, Appendix D",
            verified=(
                "The five digits agree in two public codes derived from the notebook of Besiroglu "
                "et al. and "
                "in a third, independent one that quotes the comment; the TeX itself was not "
                "opened. A test "
                "recomputes E, A, B from their logarithms, and that they round to the printed law."
            ),
            note=(
                f"The source has the logarithms of E, A, B: the three are exp of them to "
                f"{DERIVED_DIGITS} digits."
            ),
        ),
        PublishedLaw(
            **_LOSS,
            name="hoffmann2022-rounded",
            title="Chinchilla, Approach 3, rounded as printed: prefer hoffmann2022",
            family="hoffmann2022",
            **_as_printed(E="1.69", A="406.4", B="410.7", alpha="0.34", beta="0.28"),
            sources=(hoffmann,),
            locus="Appendix D, the fit of Approach 3",
            verified=(
                "The five numbers agree in several independent quotations; the paper itself was "
                "not opened."
            ),
            note=(
                "ROUNDED: two digits of the exponents are not enough. At C = 5.76e23 FLOP the "
                "optimal size "
                "is 32.2e9 params at these digits and 40.4e9 at those of hoffmann2022, tokens per "
                "param 92.6 "
                "and 58.9."
            ),
        ),
        PublishedLaw(
            **_LOSS,
            name="besiroglu2024",
            title="Chinchilla replication, as printed",
            family="besiroglu2024",
            **_as_printed(E="1.8172", A="482.01", B="2085.43", alpha="0.3478", beta="0.3658"),
            sources=(besiroglu, hoffmann),
            locus="the estimates of the text and of its first table",
            verified=(
                "The five numbers agree in several independent quotations; the page that prints "
                "them was not "
                "opened. A test compares them with the two refits on the runs, where these are at "
                "hand."
            ),
            note=(
                "The five numbers are no minimum of one objective: A, B, alpha, beta are those of "
                "besiroglu2024-lad, E is that of besiroglu2024-huber. Use one of the two for "
                "comparisons of "
                "fits."
            ),
        ),
        PublishedLaw(
            **_LOSS,
            name="besiroglu2024-huber",
            title="Chinchilla replication, Huber refit of its 240 runs",
            family="besiroglu2024",
            digits=_canonical(
                E="1.81722", A="477.826", B="2143.417", alpha="0.34731", beta="0.36717"
            ),
            printed_digits=(),
            sources=(besiroglu, hoffmann),
            locus="refit",
            verified=(
                "A test finds the minimum, a sum of Huber losses of 0.001018274, at these digits "
                "where the runs are at hand."
            ),
            note=(
                f"Refit, printed in no paper: {recipe}, minimum of the sum of Huber losses with "
                f"delta = 1e-3."
            ),
        ),
        PublishedLaw(
            **_LOSS,
            name="besiroglu2024-lad",
            title="Chinchilla replication, least-absolute-deviation refit of its 240 runs",
            family="besiroglu2024",
            digits=_canonical(
                E="1.81686", A="482.006", B="2085.434", alpha="0.34781", beta="0.36585"
            ),
            printed_digits=(),
            sources=(besiroglu, hoffmann),
            locus="refit",
            verified=(
                "A test finds the minimum, a mean absolute residual of 0.00470623, at these digits "
                "where the runs are at hand."
            ),
            note=f"Refit, printed in no paper: {recipe}, minimum of the sum of their absolute "
            f"values.",
        ),
        PublishedLaw(
            **_LOSS,
            name="muennighoff2023",
            title="C4, unique tokens, equal exponents",
            family="muennighoff2023",
            digits=_canonical(
                E="1.86914367840548564231415776520491606",
                A="520.82495165991866222818002357899613",
                B="1487.71609378286031915862153052372688",
                alpha="0.3526596",
                beta="0.3526596",
            ),
            printed_digits=(
                ("e", "0.6254804"),
                ("a", "6.255414"),
                ("b", "7.3049974"),
                ("alpha", "0.3526596"),
                ("beta", "0.3526596"),
            ),
            sources=(muennighoff,),
            locus="README of the authors' repository huggingface/datablations, section Parametric "
            "Fit",
            verified=(
                "The digits were read in the README of the authors' repository; a test recomputes "
                "E, A, B "
                "from their logarithms. The appendix of the paper was not opened."
            ),
            note=(
                "The base of the data-constrained law: it holds while no token is repeated and N "
                "is at most "
                f"compute-optimal. The exponents were tied. E, A, B are exp of e, a, b to "
                f"{DERIVED_DIGITS} "
                "digits."
            ),
        ),
    )


# Benchmark, metric type, A, alpha, B, beta, Q_random: Table 12 of Krajewski et al.
_TABLE_12 = (
    ("ARC-E", "acc_norm", "1533.4592", "0.3749", "2923.3999", "0.3812", "0.2918"),
    ("ARC-C", "acc_norm", "19299.0332", "0.4600", "1485.5598", "0.3075", "0.2150"),
    ("SciQ", "acc_norm", "8337.3408", "0.5125", "40321.4180", "0.5396", "0.3039"),
    ("PIQA", "acc_norm", "7089.8726", "0.4722", "55.5856", "0.1908", "0.5286"),
    ("HellaSwag", "acc_norm", "1428930.3750", "0.7129", "23078.4102", "0.4476", "0.2518"),
    ("Winogrande", "acc", "22017.3926", "0.4690", "22097.4961", "0.4240", "0.5000"),
    ("WebQS", "exact_match", "1639.4487", "0.3363", "100.6403", "0.1855", "0.0000"),
    ("TriviaQA", "exact_match", "11691.8994", "0.4424", "10492.5020", "0.3853", "0.0000"),
    ("LAMBADA", "acc", "11417.5391", "0.5088", "90.9843", "0.2349", "0.0000"),
    ("GSM8K", "exact_match", "51693336.0000", "0.8205", "9641845.0000", "0.6506", "0.0000"),
    ("HumanEval", "pass@1", "2985.0347", "0.3745", "1341.2744", "0.3002", "0.0000"),
    ("LBPP", "pass@1", "3306785.0000", "0.7146", "150.6138", "0.1617", "0.0000"),
)

# Benchmark, metric type, column "A", column "alpha", Q_random: Table 11 of Krajewski et al.
_TABLE_11 = (
    ("ARC-E", "acc_norm", "0.8320", "8.4951", "0.2918"),
    ("ARC-C", "acc_norm", "0.8300", "9.4817", "0.2150"),
    ("SciQ", "acc_norm", "0.7666", "11.1358", "0.3039"),
    ("PIQA", "acc_norm", "0.8572", "7.1306", "0.5286"),
    ("HellaSwag", "acc_norm", "0.7504", "13.3945", "0.2518"),
    ("Winogrande", "acc", "0.7980", "11.2576", "0.5000"),
    ("WebQS", "exact_match", "0.8788", "6.9858", "0.0000"),
    ("TriviaQA", "exact_match", "0.8133", "10.4041", "0.0000"),
    ("LAMBADA", "acc", "0.8335", "7.9932", "0.0000"),
    ("GSM8K", "exact_match", "0.6889", "18.6285", "0.0000"),
    ("HumanEval", "pass@1", "0.8393", "8.9600", "0.0000"),
    ("LBPP", "pass@1", "0.8709", "7.8901", "0.0000"),
)


def _accuracies() -> tuple[PublishedLaw, ...]:
    common: dict[str, Any] = {
        "metric": "-log normalised accuracy",
        "unit": "1",
        "budget": "6*N*D",
        "sources": (SOURCES["krajewski2025"],),
    }
    read = (
        "A test compares every digit of the row with the text of the paper, where that is at hand."
    )
    params_tokens = tuple(
        PublishedLaw(
            **common,
            name=f"krajewski2025-{label.lower()}",
            title=f"{label} accuracy ({metric_type})",
            family="krajewski2025",
            label=label,
            kind="params-tokens",
            form="-log Q' = A/N^alpha + B/D^beta",
            notation="hoffmann",
            digits=_canonical(E=None, A=A, B=B, alpha=alpha, beta=beta),
            printed_digits=(("A", A), ("alpha", alpha), ("B", B), ("beta", beta)),
            metric_type=metric_type,
            random_baseline=random_baseline,
            locus=f"Table 12, row {label}; the form is equation 4 with the normalisation of "
            f"equation 3",
            verified=f"{read} That the fit is to Q' rather than Q was read in the authors' "
            f"published code.",
            note=(
                "The form has no irreducible term: accuracy tends to one. Fitted in single "
                "precision to four "
                "digits of the exponents; the coefficients are exp of fitted logarithms."
            ),
        )
        for label, metric_type, A, alpha, B, beta, random_baseline in _TABLE_12
    )
    compute = tuple(
        PublishedLaw(
            **common,
            name=f"krajewski2025-{label.lower()}-compute",
            title=f"{label} accuracy ({metric_type}) from compute at D/N = 20",
            family="krajewski2025-compute",
            label=label,
            kind="compute",
            form="-log Q' = A/C^alpha",
            notation="schaeffer",
            digits=(),
            printed_digits=(("A", column_A), ("alpha", column_alpha)),
            metric_type=metric_type,
            random_baseline=random_baseline,
            locus=f"Table 11, row {label}; the form is equation 2 with the normalisation of "
            f"equation 3",
            verified=(
                f"{read} The order of the regressors was read in the authors' published code; the "
                f"decoding "
                "is inferred from the numbers."
            ),
            note=(
                "Decoded: the printed columns are e^-alpha and ln A (see decode_table_11). The "
                "form has no "
                "irreducible term. The runs lie near D/N = 20, not on the envelope."
            ),
        )
        for label, metric_type, column_A, column_alpha, random_baseline in _TABLE_11
    )
    return params_tokens + compute


#: Every published law by name.
LAWS = {law.name: law for law in (*_losses(), *_accuracies())}

"""Digits of Krajewski et al. 2025 (arXiv 2512.08894) that are no coefficients of a published law, as printed.

Tables 11 and 12 are in `published`. Compared with the text of the paper digit by digit.
"""

from __future__ import annotations

#: Table 3: benchmark -> metric type, MAE and MRE (%) of the power law, MAE and MRE (%) of BNSL.
TABLE_3 = {
    "ARC-E": ("acc_norm", "0.0186", "2.37", "0.0555", "7.00"),
    "ARC-C": ("acc_norm", "0.0068", "1.30", "0.0155", "2.86"),
    "SciQ": ("acc_norm", "0.0051", "0.55", "0.0045", "0.49"),
    "PIQA": ("acc_norm", "0.0151", "1.86", "0.0087", "1.06"),
    "HellaSwag": ("acc_norm", "0.0298", "3.74", "0.0173", "2.15"),
    "Winogrande": ("acc", "0.0119", "1.64", "0.0363", "4.93"),
    "WebQS": ("exact_match", "0.0166", "7.28", "0.0033", "1.46"),
    "TriviaQA": ("exact_match", "0.0259", "6.17", "0.0424", "10.13"),
    "LAMBADA": ("acc", "0.0258", "3.45", "0.0043", "0.58"),
    "GSM8K": ("exact_match", "0.0559", "9.67", "0.0807", "13.90"),
    "HumanEval": ("pass@1", "0.0171", "5.11", "0.0293", "8.29"),
    "LBPP": ("pass@1", "0.0154", "13.43", "0.0066", "6.70"),
}

#: Table 4: strategy -> mean and standard deviation of MRE (%), then of MAE.
TABLE_4 = {
    "PowerLaw": ("1.963", "1.201", "0.015", "0.010"),
    "BNSL": ("2.713", "2.569", "0.020", "0.020"),
}

#: Table 10, row LBPP: a, b, c0, c1, d1, f1 of equation 1.
TABLE_10_LBPP = ("-1.5884", "0.4172", "0.0226", "-2.1642", "4.6091e22", "1.8686")

#: Table 13: benchmark -> columns "A", "alpha", "beta", "delta".
TABLE_13: dict[str, tuple[str, ...]] = {
    "HumanEval": ("0.8413", "1.2399", "-0.0287", "8.8371"),
    "LBPP": ("0.8658", "0.4738", "-0.0114", "8.1588"),
}

#: Table 16: Q_random of ARC-E.
TABLE_16_ARC_E = "0.291"

#: Nominal tokens per parameter of the runs of Table 11, and the budget from which larger runs are held out.
TOKENS_PER_PARAM, HELD_OUT_FROM = "20", "6e21"


def decode_table_13(columns: tuple[str, ...]) -> dict[str, str]:
    """Coefficients of equation 5 behind a row of Table 13.

    The columns hold exp(coefficient of log C), coefficient of log k, coefficient of log C log k, log A: the order of the
    regressors with the constant last, and the first of them exponentiated as in Table 11. An inference from the numbers.

    Returns
    -------
    dict
        ``exp_compute``, ``draws``, ``mixed``, ``log_coefficient``, with the printed digits.

    Raises
    ------
    ValueError
        If there are not four columns.
    """
    if len(columns) != 4:
        raise ValueError(f"columns={columns!r}: four are expected")
    return dict(zip(("exp_compute", "draws", "mixed", "log_coefficient"), columns, strict=True))

"""Digits of Krajewski et al. 2025 (arXiv 2512.08894) that are no coefficients of a published law,
as printed.

Tables 11 and 12 are in `published`, the runs of Tables 7 to 9 in `krajewski2025_runs`. Compared
with the text of the paper digit by digit. Errors are of accuracy, in raw units (MAE) and in per
cent of it (MRE).
"""

from __future__ import annotations

#: Table 1 (equation 4) and Table 2 (equation 5): MAE on train and held-out runs, then MRE (%) on
#: both.
TABLE_1 = ("0.0087", "0.0182", "4.05", "6.42")
TABLE_2 = ("0.0111", "0.0284", "6.30", "7.94")

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

#: Table 3, row Average.
TABLE_3_AVERAGE = ("0.0203", "4.72", "0.0254", "4.96")

#: Table 4: strategy -> mean and standard deviation of MRE (%), then of MAE: of held-out runs.
TABLE_4 = {
    "PowerLaw": ("1.963", "1.201", "0.015", "0.010"),
    "BNSL": ("2.713", "2.569", "0.020", "0.020"),
    "TwoStage-Linear": ("6.667", "6.958", "0.044", "0.034"),
    "TwoStage-Logistic": ("6.351", "3.278", "0.047", "0.024"),
}

#: The rest of Table 4: strategy -> mean and standard deviation of RMSE, then of what has no heading
#: and is R^2: of train runs.
TABLE_4_TRAIN = {
    "PowerLaw": ("0.011", "0.006", "0.986", "0.011"),
    "BNSL": ("0.007", "0.003", "0.993", "0.004"),
    "TwoStage-Linear": ("0.023", "0.011", "0.943", "0.054"),
    "TwoStage-Logistic": ("0.017", "0.006", "0.974", "0.013"),
}

#: Table 10: benchmark -> metric type, then a, b, c0, c1, d1, f1 of equation 1.
TABLE_10 = {
    "ARC-E": ("acc_norm", "0.8538", "-0.0602", "-0.0600", "1.8536", "9.9284e+23", "4.6051"),
    "ARC-C": ("acc_norm", "0.5893", "-0.5303", "0.0081", "4.4732", "6.0827e+23", "2.1720"),
    "SciQ": ("acc_norm", "0.9529", "-1.9482", "0.0321", "2.5706", "2.6232e+23", "3.6247"),
    "PIQA": ("acc_norm", "0.8395", "-2.6444", "0.0516", "1.3468", "5.3039e+23", "3.9068"),
    "HellaSwag": ("acc_norm", "0.8345", "-0.0000", "-0.3223", "2.5585", "5.9625e+23", "6.7484"),
    "Winogrande": ("acc", "0.7929", "-0.0002", "-0.1871", "2.0815", "6.0827e+23", "4.8339"),
    "WebQS": ("exact_match", "0.3313", "-0.1212", "-0.0290", "1.0261", "5.9625e+23", "4.2342"),
    "TriviaQA": ("exact_match", "0.5112", "-0.1595", "-0.0299", "2.3873", "5.3039e+23", "3.0171"),
    "LAMBADA": ("acc", "0.7787", "-1.6112", "0.0153", "1.5842", "2.6232e+23", "4.4197"),
    "GSM8K": ("exact_match", "1.5170", "-0.2524", "-0.0451", "0.8311", "5.9625e+23", "3.6804"),
    "HumanEval": ("pass@1", "0.5652", "-1.0906", "0.0133", "1.0865", "5.3039e+23", "3.1396"),
    "LBPP": ("pass@1", "-1.5884", "0.4172", "0.0226", "-2.1642", "4.6091e+22", "1.8686"),
}

#: Its row LBPP without the metric type.
TABLE_10_LBPP = TABLE_10["LBPP"][1:]

#: Table 13: benchmark -> columns "A", "alpha", "beta", "delta".
TABLE_13: dict[str, tuple[str, ...]] = {
    "HumanEval": ("0.8413", "1.2399", "-0.0287", "8.8371"),
    "LBPP": ("0.8658", "0.4738", "-0.0114", "8.1588"),
}

#: Table 14: as Table 1, for the average over ten benchmarks (neither GSM8K nor LBPP).
TABLE_14 = ("0.0030", "0.0116", "0.76", "2.08")

#: Table 15: benchmark -> metric type, fitted Q_max, MRE (%) and MAE on held-out runs, of equation
#: 10.
TABLE_15 = {
    "ARC-E": ("acc_norm", "1.000", "1.81", "0.0143"),
    "ARC-C": ("acc_norm", "1.000", "1.26", "0.0066"),
    "SciQ": ("acc_norm", "1.000", "0.56", "0.0053"),
    "PIQA": ("acc_norm", "0.903", "0.30", "0.0024"),
    "HellaSwag": ("acc_norm", "0.912", "0.99", "0.0079"),
    "Winogrande": ("acc", "0.776", "1.65", "0.0122"),
    "WebQS": ("exact_match", "0.510", "1.26", "0.0028"),
    "TriviaQA": ("exact_match", "1.000", "6.93", "0.0290"),
    "LAMBADA": ("acc", "0.947", "2.27", "0.0170"),
    "GSM8K": ("exact_match", "1.000", "10.99", "0.0635"),
    "HumanEval": ("pass@1", "1.000", "3.82", "0.0125"),
    "LBPP": ("pass@1", "1.000", "6.17", "0.0070"),
}

#: Table 16: benchmark (there Arc-E, Arc-C) -> Q_random, from small runs; of others it is "the
#: standard random-guess baseline".
TABLE_16 = {
    "ARC-E": "0.291",
    "ARC-C": "0.215",
    "SciQ": "0.304",
    "PIQA": "0.53",
    "HellaSwag": "0.252",
}
TABLE_16_ARC_E = TABLE_16["ARC-E"]

#: Nominal tokens per parameter of the runs of Table 11, and the budget from which larger runs are
#: held out.
TOKENS_PER_PARAM, HELD_OUT_FROM = "20", "6e21"


def decode_table_13(columns: tuple[str, ...]) -> dict[str, str]:
    """Coefficients of equation 5 behind a row of Table 13.

    The columns hold exp(coefficient of log C), coefficient of log k, coefficient of log C log k,
    log A: the order of the regressors with the constant last, and the first of them exponentiated
    as in Table 11. An inference from the numbers.

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

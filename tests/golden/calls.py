"""The calls of the command line whose output is kept: name -> arguments.

The words of the calls may change with the command line; a call keeps its name, and its numbers.
"""

LAW = ["--law", "besiroglu2024"]
FIT = ["fit", "runs.csv", "--bootstrap", "40", "--seed", "3"]
CHECK = ["check", "runs.csv", "--bootstrap", "60", "--seed", "1"]
COUNTS = ["counts.csv", "--models", "models.csv"]
PASSK_LAWS = ["fit", *COUNTS, "--k", "1", "10", "--bootstrap", "20", "--seed", "2"]
BACKTEST = ["backtest", *COUNTS, "--k", "1", "--law", "compute,params-tokens", "--bootstrap", "20"]
COMPARE = ["backtest", "evaluations.csv", "--benchmark", "easy", "hard", "--bootstrap", "20"]
COMPARE += ["--random-baseline", "0.25", "--law", "compute,params-tokens"]
REPORT = ["report", "evaluations.csv", "--benchmark", "hard", "--random-baseline", "0.25", "--bootstrap", "20"]
REPORT += ["--hold-out", "compute > 5e21", "--compute", "1e22", "--ratio", "10"]
OVERTRAINING = ["overtraining", "overtrained.csv", "--loss", "loss", "--benchmark", "one", "two"]
JSON, LATEX = ["--format", "json"], ["--format", "latex"]

CALLS: dict[str, list[str]] = {
    "laws": ["laws"],
    "laws_json": ["laws", *JSON],
    "laws_one": ["laws", "hoffmann2022"],
    "laws_bibtex": ["laws", "--format", "bibtex"],
    "derive": ["derive"],
    "derive_hoffmann_latex": ["derive", "--notation", "hoffmann", *LATEX],
    "derive_json": ["derive", *JSON],
    "derive_law": ["derive", *LAW],
    "penalty_ratio": ["penalty", *LAW, "--ratio", "0.1", "1", "10"],
    "penalty_ratio_json": ["penalty", *LAW, "--ratio", "0.1", "1", "10", *JSON],
    "penalty_size_json": ["penalty", *LAW, "--size-ratio", "0.15", "0.5", "0.999999", "2", *JSON],
    "penalty_run": ["penalty", *LAW, "--params", "7B", "--tokens", "2T", "--within", "1%"],
    "penalty_run_json": ["penalty", *LAW, "--params", "7B", "8B", "--tokens", "2T", "15T", *JSON],
    "penalty_latex": ["penalty", "--law", "besiroglu2024,hoffmann2022", "--ratio", "10", *LATEX],
    "penalty_within_json": ["penalty", "--beta", "0.34", "--gamma", "0.28", "--within", "1%", *JSON],
    "penalty_accuracy": ["penalty", "--law", "krajewski2025-arc-e", "--ratio", "10", "--compute", "1e23"],
    "penalty_accuracy_json": ["penalty", "--law", "krajewski2025-arc-e", "--ratio", "10", "--compute", "1e23", *JSON],
    "penalty_bad": ["penalty", *LAW, "--ratio", "-1"],
    "allocate": ["allocate", *LAW, "--compute", "5.76e23", "1e25"],
    "allocate_json": ["allocate", *LAW, "--compute", "5.76e23", *JSON],
    "allocate_wall_json": ["allocate", *LAW, "--compute", "5.76e23", "1e26", "--max-tokens", "1T", "--max-params", "1T", *JSON],
    "allocate_loss_json": ["allocate", *LAW, "--loss", "2.0", *JSON],
    "allocate_bad": ["allocate", *LAW, "--loss", "1.0"],
    "prove": ["prove", "alpha <= (beta + gamma)/4"],
    "prove_refuted": ["prove", "alpha == (beta + gamma)/2"],
    "prove_json": ["prove", "L(N, D) >= L_opt", *JSON],
    "prove_limit": ["prove", "P(r) ~ w_N*r^-beta", "--as", "r -> 0"],
    "verify_one": ["verify", "optimum_by_weighted_am_gm"],
    "verify_json": ["verify", "term_balance_and_shares", *JSON],
    "latex_one": ["latex", "compute_optimal_envelope", "--fragment"],
    "latex_hoffmann": ["latex", "equal_exponents_give_cosh", "--fragment", "--notation", "hoffmann"],
    "latex_passk": ["latex", "pass_at_k_estimator_is_unbiased", "--fragment"],
    "fit": [*FIT, "--compute", "1e22"],
    "fit_json": [*FIT, "--compute", "1e22", "--ratio", "10", *JSON],
    "fit_latex": [*FIT, *LATEX],
    "fit_sandwich_json": ["fit", "runs.csv", "--objective", "least-squares-log", *JSON],
    "fit_absolute_json": ["fit", "runs.csv", "--objective", "absolute-log", *JSON],
    "fit_compute_json": ["fit", "runs.csv", "--model", "compute", *JSON],
    "fit_expression_json": ["fit", "runs.csv", "--model", "E + A*N^-beta + B*D^-gamma", *JSON],
    "fit_groups_json": [*FIT, "--column", "group=source", *JSON],
    "fit_profile_json": ["fit", "runs.csv", "--profile", "alpha", *JSON],
    "fit_sensitivity": ["fit", "runs.csv", "--sensitivity"],
    "fit_diagnostics": ["fit", "runs.csv", "--diagnostics"],
    "fit_bad_column": ["fit", "runs.csv", "--column", "params=size"],
    "fit_bad_where": ["fit", "runs.csv", "--where", "sorce == 'a'"],
    "fit_save": ["fit", "runs.csv", "--save", "fit.json"],
    "penalty_of_fit_json": ["penalty", "--law", "fit.json", "--ratio", "10", *JSON],
    "allocate_of_fit_json": ["allocate", "--law", "fit.json", "--compute", "1e22", *JSON],
    "check_published": ["check"],
    "check_published_json": ["check", *JSON],
    "check_runs": CHECK,
    "check_runs_json": [*CHECK, *JSON],
    "check_tolerance_json": [*CHECK, "--tolerance", "40%", *JSON],
    "check_bad": ["check", "runs.csv", "--tolerance", "-1%"],
    "passk": ["passk", "counts.csv", "--k", "1,10,100", "--where", "model == 'm3'"],
    "passk_json": ["passk", "counts.csv", "--k", "1,10,100", *JSON],
    "passk_csv": ["passk", "counts.csv", "--k", "1,10", "--format", "csv"],
    "passk_bad": ["passk", "counts.csv", "--k", "0"],
    "passk_laws": [*PASSK_LAWS, "--law", "compute,params-tokens"],
    "passk_laws_json": [*PASSK_LAWS, "--law", "compute", *JSON],
    "backtest_counts": BACKTEST,
    "backtest_counts_json": [*BACKTEST, *JSON],
    "backtest_runs_json": ["backtest", "runs.csv", "--bootstrap", "20", *JSON],
    "compare": [*COMPARE, "--hold-out", "compute > 5e21"],
    "compare_json": [*COMPARE, "--hold-out", "compute > 5e21", *JSON],
    "compare_latex": [*COMPARE, "--hold-out", "compute > 5e21", *LATEX],
    "report_bad": ["report", "evaluations.csv", "--benchmark", "none"],
    "report": REPORT,
    "report_json": [*REPORT, *JSON],
    "report_latex": [*REPORT, *LATEX],
    "overtraining": OVERTRAINING,
    "overtraining_json": [*OVERTRAINING, *JSON],
    "overtraining_latex": [*OVERTRAINING, *LATEX],
    "simulate_runs": ["simulate", "runs", "--seed", "4", "--law", "hoffmann2022", "--noise", "0.01"],
}

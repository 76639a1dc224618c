"""The calls of the command line whose output is kept: name -> arguments.

The words of the calls may change with the command line; a call keeps its name, and its numbers.
"""

from shlex import split

LAW = "--law besiroglu2024"
FIT = "fit runs.csv --bootstrap 40 --seed 3"
CHECK = "check runs.csv --bootstrap 60 --seed 1"
PASSK_LAWS = "fit counts.csv --models models.csv --k 1 10 --bootstrap 20 --seed 2"
BACKTEST = (
    "backtest counts.csv --models models.csv --k 1 --law compute,params-tokens --bootstrap 20"
)
COMPARE = (
    "backtest evaluations.csv --benchmark easy hard --bootstrap 20 --random-baseline 0.25 --law"
)
OVERTRAINING = "fit overtrained.csv --law overtraining --loss loss --benchmark one two"
HELD = "--hold-out 'compute > 5e21'"
JSON = "--format json"
LATEX = "--format latex"

CALLS: dict[str, list[str]] = {
    name: split(words)
    for name, words in {
        "laws": "laws",
        "laws_json": f"laws {JSON}",
        "laws_one": "laws hoffmann2022",
        "laws_bibtex": "laws --format bibtex",
        "derive": "derive",
        "derive_hoffmann_latex": f"derive --notation hoffmann {LATEX}",
        "derive_json": f"derive {JSON}",
        "derive_law": f"derive {LAW}",
        "penalty_ratio": f"penalty {LAW} --ratio 0.1 1 10",
        "penalty_ratio_json": f"penalty {LAW} --ratio 0.1 1 10 {JSON}",
        "penalty_size_json": f"penalty {LAW} --size-ratio 0.15 0.5 0.999999 2 {JSON}",
        "penalty_run": f"penalty {LAW} --params 7B --tokens 2T --within 1%",
        "penalty_run_json": f"penalty {LAW} --params 7B 8B --tokens 2T 15T {JSON}",
        "penalty_latex": f"penalty --law besiroglu2024,hoffmann2022 --ratio 10 {LATEX}",
        "penalty_within_json": f"penalty --law beta=0.34 gamma=0.28 --within 1% {JSON}",
        "penalty_accuracy": "penalty --law krajewski2025-arc-e --ratio 10 --compute 1e23",
        "penalty_accuracy_json": f"penalty --law krajewski2025-arc-e --ratio 10 --compute 1e23 {JSON}",
        "penalty_bad": f"penalty {LAW} --ratio -1",
        "allocate": f"allocate {LAW} --compute 5.76e23 1e25",
        "allocate_json": f"allocate {LAW} --compute 5.76e23 {JSON}",
        "allocate_wall_json": f"allocate {LAW} --compute 5.76e23 1e26 --max-tokens 1T --max-params 1T {JSON}",
        "allocate_loss_json": f"allocate {LAW} --loss 2.0 {JSON}",
        "allocate_bad": f"allocate {LAW} --loss 1.0",
        "prove": "prove 'alpha <= (beta + gamma)/4'",
        "prove_refuted": "prove 'alpha == (beta + gamma)/2'",
        "prove_json": f"prove 'L(N, D) >= L_opt' {JSON}",
        "prove_limit": "prove 'P(r) ~ w_N*r^-beta as r -> 0'",
        "verify_one": "verify optimum_by_weighted_am_gm",
        "verify_json": f"verify term_balance_and_shares {JSON}",
        "latex_one": "latex compute_optimal_envelope --fragment",
        "latex_hoffmann": "latex equal_exponents_give_cosh --fragment --notation hoffmann",
        "latex_passk": "latex pass_at_k_estimator_is_unbiased --fragment",
        "fit": f"{FIT} --compute 1e22",
        "fit_json": f"{FIT} --compute 1e22 --ratio 10 {JSON}",
        "fit_latex": f"{FIT} {LATEX}",
        "fit_sandwich_json": f"fit runs.csv --objective least-squares-log {JSON}",
        "fit_absolute_json": f"fit runs.csv --objective absolute-log {JSON}",
        "fit_compute_json": f"fit runs.csv --model compute {JSON}",
        "fit_expression_json": f"fit runs.csv --model 'E + A*N^-beta + B*D^-gamma' {JSON}",
        "fit_groups_json": f"{FIT} --column group=source {JSON}",
        "fit_bad_column": "fit runs.csv --column params=size",
        "fit_bad_where": """fit runs.csv --where "sorce == 'a'" """,
        "fit_save": "fit runs.csv --save fit.json",
        "penalty_of_fit_json": f"penalty --law fit.json --ratio 10 {JSON}",
        "allocate_of_fit_json": f"allocate --law fit.json --compute 1e22 {JSON}",
        "check_published": "check",
        "check_published_json": f"check {JSON}",
        "check_runs": "check runs.csv --bootstrap 100 --seed 1",
        "check_runs_json": f"{CHECK} {JSON}",
        "check_tolerance_json": f"{CHECK} --tolerance 40% {JSON}",
        "check_bad": "check runs.csv --tolerance -1%",
        "passk": """passk counts.csv --k 1,10,100 --where "model == 'm3'" """,
        "passk_json": f"passk counts.csv --k 1,10,100 {JSON}",
        "passk_csv": "passk counts.csv --k 1,10 --format csv",
        "passk_bad": "passk counts.csv --k 0",
        "passk_laws": f"{PASSK_LAWS} --law compute,params-tokens",
        "passk_laws_json": f"{PASSK_LAWS} --law compute {JSON}",
        "backtest_counts": BACKTEST,
        "backtest_counts_json": f"{BACKTEST} {JSON}",
        "backtest_counts_latex": f"{BACKTEST} {LATEX}",
        "backtest_counts_csv": f"{BACKTEST} --format csv",
        "backtest_runs": "backtest runs.csv --bootstrap 20 --cutoffs 4",
        "backtest_runs_json": f"backtest runs.csv --bootstrap 20 {JSON}",
        "compare": f"{COMPARE} compute,params-tokens {HELD}",
        "compare_json": f"{COMPARE} compute,params-tokens {HELD} {JSON}",
        "compare_latex": f"{COMPARE} compute,params-tokens {HELD} {LATEX}",
        "compare_rolling": f"{COMPARE} compute,params-tokens --rolling compute",
        "compare_sweep": f"{COMPARE} compute,params-tokens --sweep",
        "compare_csv": f"{COMPARE} compute,params-tokens {HELD} --format csv",
        "compare_staged_json": f"{COMPARE} two-stage-linear --proxy c4 {JSON}",
        "overtraining": OVERTRAINING,
        "overtraining_json": f"{OVERTRAINING} {JSON}",
        "overtraining_latex": f"{OVERTRAINING} {LATEX}",
        "simulate_runs": "simulate runs --seed 4 --law hoffmann2022 --noise 0.01",
    }.items()
}

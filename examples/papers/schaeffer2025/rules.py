"""What the page is made with: k, resamples, and the rules by which it judges."""

#: The benchmarks and how the page calls them.
BENCHMARKS = {"gsm8k": "GSM8K", "math": "MATH"}
BACKTESTED = (1, 10, 100, 1000, 10_000)
#: k of tables that have no room for more.
FEW = (1, 100, 10_000)
RESAMPLES, SEED, LEVEL = 200, 0, 0.9
#: Up to this k every model but one has a mean over all problems.
COMPLETE = 128
#: Shown of the convention n < k; at the last three every model is left out in turn.
CONVENTION_AT, INFLUENCES_AT = (1, 16, 128, 256, 1000, 4096, 10_000), (1000, 4096, 10_000)
#: -log pass@k of less than this, from one problem or a part of one, pulls a fit of the logarithm
#: far.
TINY = 1e-3
#: What counts as the same, where the paper says that two things are: errors within this factor,
#: exponents within this share.
ALIKE, CLOSE = 1.5, 0.25
#: Errors are compared over predictions of so many decades at most; a median error up to this is
#: called useful.
AHEAD, USEFUL = 2.0, 0.5
#: The paper says 1.5 to 2.5 decades; how it measures that is in no public file known to us, hence
#: half a decade more.
SETTLED = (1.0, 3.0)
#: An exponent whose interval has ends so far apart, as a factor, is called poorly identified.
WIDE = 3.0
#: A budget within the models' range.
BUDGET = 1e22
#: So many models of the greatest compute, and the factor by which a law fitted to all may miss them
#: before it is said to bend.
DEAREST, BENT = 15, 1.25
#: Edges of the tables of predictions, in decades of compute beyond the cutoff.
DECADES = (0, 1, 2, 3, 4, 5)
RESAMPLES_OF_SIZES = 1000
#: Predictions of models of fewer sizes have no interval.
LEAST_SIZES = 4

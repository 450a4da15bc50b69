"""Coefficients of agreement: published examples, the definitions written out, laws, and what cannot be said."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ireval.agreement import LEVELS, Resampling, agreement_of, cohen_kappa, fleiss_kappa, krippendorff_alpha, percent_agreement
from ireval.labels import BadLabels, labels_of, read_labels
from tests.ireval.label_builders import any_labels, by_item, frame_of, from_tables, labels_from

ONCE = Resampling(resamples=1)

# Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011: sections A, B and C to E.
BINARY = labels_from("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")
NOMINAL = labels_from("a a b b d c c c e d d a", "b a b b b c c c e d d d")
FOUR_OBSERVERS = labels_from(
    "1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 ."
)
# Fleiss, Psychological Bulletin 76, 1971, table 1: 30 patients, six psychiatrists each, five diagnoses.
DIAGNOSES = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""
PATIENTS = from_tables([[int(count) for count in row] for row in DIAGNOSES.split()])


@pytest.mark.parametrize(
    ("labels", "level", "published"),
    [
        (BINARY, "nominal", 0.095),
        (NOMINAL, "nominal", 0.692),
        (FOUR_OBSERVERS, "nominal", 0.743),
        (FOUR_OBSERVERS, "ordinal", 0.815),
        (FOUR_OBSERVERS, "interval", 0.849),
    ],
)
def test_krippendorffs_own_examples(labels, level, published):
    alpha = krippendorff_alpha(labels, level, ONCE)
    assert alpha.value == pytest.approx(published, abs=5e-4)


def test_the_item_with_one_label_is_left_out():
    alpha = krippendorff_alpha(FOUR_OBSERVERS, "nominal", ONCE)
    assert (alpha.items, alpha.labels) == (11, 40)


def test_fleiss_own_example():
    assert fleiss_kappa(PATIENTS, ONCE).value == pytest.approx(0.430, abs=5e-4)


def test_cohen_of_a_table_from_the_textbooks():
    """50 proposals, two readers: 20 both yes, 15 both no, 5 and 10 otherwise; and scikit-learn's own example."""
    yes_no = labels_from(" ".join("1" * 25 + "0" * 25), " ".join("1" * 20 + "0" * 5 + "1" * 10 + "0" * 15))
    assert cohen_kappa(yes_no, resampling=ONCE).value == pytest.approx(0.4)
    words = labels_from("negative positive negative neutral positive", "negative positive negative neutral negative")
    assert cohen_kappa(words, resampling=ONCE).value == pytest.approx(0.6875)


@pytest.mark.parametrize(("name", "alpha"), [("bluebird", 0.12550057220224442), ("rte", 0.24147876613880936)])
def test_alpha_of_real_workers_is_that_of_the_package_krippendorff(shared_data, name, alpha):
    """Figures of version 0.9.0, which cannot be installed here for its licence."""
    labels = read_labels(shared_data / "crowd_spectral" / f"{name}_crowd.txt")
    assert krippendorff_alpha(labels, "nominal", ONCE).value == pytest.approx(alpha, abs=1e-12)


def alpha_by_definition(labels, level):
    """Observed over expected disagreement, pair by pair."""
    units = [unit for unit in by_item(labels).values() if len(unit) > 1]
    every = [value for unit in units for value in unit]
    numbers = [float(value) for value in labels.values]

    def apart(a, b):
        if level == "ordinal":
            low, high = sorted((a, b))
            return (sum(every.count(g) for g in range(low, high + 1)) - (every.count(a) + every.count(b)) / 2) ** 2
        return (numbers[a] - numbers[b]) ** 2 if level == "interval" else float(a != b)

    observed = sum(apart(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2)) / len(every)
    chance = sum(apart(a, b) for a, b in permutations(every, 2)) / (len(every) * (len(every) - 1))
    return 1 - observed / chance if chance else math.nan


@given(any_labels(), st.sampled_from(LEVELS))
def test_alpha_is_its_definition(labels, level):
    alpha = krippendorff_alpha(labels, level, ONCE)
    if alpha.undefined:
        assert math.isnan(alpha.value)
    else:
        assert alpha.value == pytest.approx(alpha_by_definition(labels, level))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_alpha_of_two_workers_is_scotts_pi_corrected_for_their_number(pairs):
    first, second = zip(*pairs, strict=True)
    labels = labels_from(" ".join(map(str, first)), " ".join(map(str, second)))
    assume(len(labels.values) > 1)
    shares = np.bincount(first + second) / (2 * len(pairs))
    chance = (shares**2).sum()
    pi = (np.mean(np.equal(first, second)) - chance) / (1 - chance)
    assert krippendorff_alpha(labels, resampling=ONCE).value == pytest.approx(pi + (1 - pi) / (2 * len(pairs)))


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12),
    st.sampled_from(["unweighted", "linear", "quadratic"]),
)
def test_weighted_kappa_is_its_definition(pairs, weights):
    """One less the mean distance of the two labels over that of any label of the one from any label of the other."""
    first, second = np.array(pairs).T
    labels = labels_from(" ".join(map(str, first)), " ".join(map(str, second)))
    codes = [np.searchsorted([int(value) for value in labels.values], side) for side in (first, second)]
    distance = {"unweighted": lambda d: d != 0, "linear": np.abs, "quadratic": lambda d: d**2}[weights]
    expected = distance(codes[0][:, None] - codes[1]).mean()
    kappa = cohen_kappa(labels, weights, ONCE)
    if expected:
        assert kappa.value == pytest.approx(1 - distance(codes[0] - codes[1]).mean() / expected)
    else:
        assert kappa.undefined


def test_a_pair_of_labels_agrees_or_does_not():
    """Three labels of which two agree, and two that agree: two of four pairs."""
    agreement = percent_agreement(labels_from("0 1 0", "0 1 .", "1 . ."), ONCE)
    assert (agreement.value, agreement.items, agreement.labels) == (0.5, 2, 5)


@given(any_labels())
def test_everybody_agrees_with_themselves(labels):
    """Every worker says of each item what its first label was."""
    first = {item: votes[0] for item, votes in by_item(labels).items() if votes}
    same = labels_of(frame_of(labels).with_columns(label=np.array([str(first[item]) for item in labels.item])))
    for level in LEVELS:
        for agreement in agreement_of(same, level, ONCE):
            assert agreement.undefined or agreement.value == 1


@given(any_labels(), st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(labels, random):
    """Not even to the intervals: items that add the same are resampled together, in an order of their own."""
    frame = frame_of(labels)
    items, workers = list(set(labels.items)), list(set(labels.workers))
    random.shuffle(items)
    random.shuffle(workers)
    renamed = frame.with_columns(
        frame["item"].replace_strict(dict(zip(sorted(items), items, strict=True))),
        frame["worker"].replace_strict(dict(zip(sorted(workers), workers, strict=True))),
    )
    mixed = labels_of(renamed.sample(fraction=1, shuffle=True, seed=random.randrange(1000)), values=labels.values)
    resampling = Resampling(resamples=20)
    for level in LEVELS:
        ours, theirs = (agreement_of(variant, level, resampling) for variant in (labels, mixed))
        for agreement, other in zip(ours, theirs, strict=True):
            assert agreement[:2] == other[:2] and agreement[5:8] == other[5:8]
            # Two workers may have changed places, which leaves κ as it is but draws its tables in another order.
            numbers = slice(2, 3) if agreement.name.startswith("cohen") else slice(2, 5)
            assert np.allclose(agreement[numbers], other[numbers], equal_nan=True)


@given(any_labels(), st.permutations(range(4)))
def test_labels_without_order_may_change_their_names(labels, order):
    renamed = labels_of(frame_of(labels).with_columns(label=np.array(order)[labels.label]), values=labels.values)
    for agreement, other in zip(agreement_of(labels, "nominal", ONCE), agreement_of(renamed, "nominal", ONCE), strict=True):
        assert agreement.value == pytest.approx(other.value, nan_ok=True)


@given(any_labels())
def test_a_scale_may_be_read_from_either_end(labels):
    turned = labels_of(frame_of(labels).with_columns(label=3 - labels.label), values=labels.values)
    for level in LEVELS:
        for agreement, other in zip(agreement_of(labels, level, ONCE), agreement_of(turned, level, ONCE), strict=True):
            assert agreement.value == pytest.approx(other.value, nan_ok=True)


@pytest.mark.parametrize(
    ("labels", "coefficient", "reason"),
    [
        (labels_from("0 1 1"), percent_agreement, "there is one worker only"),
        (labels_from("0 1 .", ". . 1"), percent_agreement, "no item has two labels"),
        (labels_from("0 1 .", ". . 1"), krippendorff_alpha, "no item has two labels"),
        (labels_from("1 1 0", "1 1 ."), krippendorff_alpha, "only the label 1 is in use"),
        (labels_from("1 1", "1 1"), fleiss_kappa, "only the label 1 is in use"),
        (labels_from("1 1", "1 1"), cohen_kappa, "only the label 1 is in use"),
        (labels_from("1 0 0", "1 0 .", "1 . ."), fleiss_kappa, "items have from 1 to 3 labels, and it needs the same number"),
        (labels_from("1 0", "1 0", "1 1"), cohen_kappa, "there are 3 workers, and it compares two"),
        (labels_from("1 .", ". 0"), cohen_kappa, "the two workers have no item in common"),
    ],
)
def test_what_cannot_be_said_says_why(labels, coefficient, reason):
    agreement = coefficient(labels, resampling=ONCE)
    assert agreement.undefined.startswith(reason)
    assert np.isnan([agreement.value, agreement.low, agreement.high]).all()


def test_percent_agreement_is_defined_where_chance_is_not():
    assert percent_agreement(labels_from("1 1", "1 1"), ONCE).value == 1


def test_levels_ask_for_labels_that_have_them():
    words = labels_from("low high", "low low")
    with pytest.raises(BadLabels, match="needs labels in an order"):
        krippendorff_alpha(words, "ordinal")
    with pytest.raises(BadLabels, match="label high is no number"):
        krippendorff_alpha(words, "interval")
    in_order = labels_of(frame_of(words), values=["low", "mid", "high"])
    assert krippendorff_alpha(in_order, "ordinal", ONCE).value == krippendorff_alpha(in_order, "nominal", ONCE).value


def test_the_interval_is_that_of_items_drawn_one_by_one():
    rng = np.random.default_rng(1)
    labels = from_tables(rng.multinomial(5, [0.5, 0.3, 0.2], 60))
    agreement = percent_agreement(labels, Resampling(resamples=4000, confidence=0.9))
    counts = labels.counts
    agreeing = (counts * (counts - 1)).sum(axis=1) / 20
    means = agreeing[rng.integers(0, 60, (4000, 60))].mean(axis=1)
    assert (agreement.low, agreement.high) == pytest.approx(np.quantile(means, [0.05, 0.95]), abs=0.005)


def test_the_seed_decides_and_more_confidence_is_wider():
    first, again = (fleiss_kappa(PATIENTS, Resampling(seed=3)) for _ in range(2))
    other, wider = fleiss_kappa(PATIENTS, Resampling(seed=4)), fleiss_kappa(PATIENTS, Resampling(seed=3, confidence=0.99))
    assert first == again and first != other and first.value == other.value
    assert wider.low < first.low < first.value < first.high < wider.high


def test_resamples_in_which_it_is_undefined_are_counted():
    """Of two items the one that differs is missing from a quarter of the resamples."""
    alpha = krippendorff_alpha(labels_from("1 0", "1 1"), resampling=Resampling(resamples=1000))
    assert 200 < alpha.left_out < 300
    assert alpha.low <= alpha.value <= alpha.high


def test_a_single_item_has_no_interval():
    agreement = percent_agreement(labels_from("0", "0", "1"))
    assert agreement.value == pytest.approx(1 / 3) and math.isnan(agreement.low)

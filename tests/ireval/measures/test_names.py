"""Three dialects of names, one grammar; and a helpful answer to what is in none of them."""

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval import MEASURES, BadMeasure, evaluate, parse_measure, parse_measures
from ireval.measures.registry import JUDGED_ONLY, Parameter


@pytest.mark.parametrize(
    ("names", "canonical"),
    [
        ("AP MAP map mAp", "AP"),
        ("AP@100 MAP@100 map_cut_100 map_cut.100", "AP@100"),
        ("AP(rel=2) map(rel=2) AP( rel = 2 )", "AP(rel=2)"),
        ("AP(rel=2)@10 AP@10(rel=2)", "AP(rel=2)@10"),
        ("P@5 p@5 P_5 P.5 Precision@5 precision@5", "P@5"),
        ("R@100 recall_100 recall.100 Recall@100", "R@100"),
        ("RR MRR recip_rank", "RR"),
        ("RR@10 MRR@10 mrr@10", "RR@10"),
        ("nDCG NDCG ndcg", "nDCG"),
        ("nDCG@10 NDCG@10 ndcg@10 ndcg_cut_10 ndcg_cut.10", "nDCG@10"),
        ("Rprec RPrec R-precision", "Rprec"),
        ("Bpref BPref bpref", "Bpref"),
        ("nDCG(dcg='exp-log2')@10 NDCG@10(dcg=\"exp-log2\") nDCG( dcg = Exp-Log2 )@10", "nDCG(dcg='exp-log2')@10"),
        ("nDCG(dcg='log2',average='macro') nDCG", "nDCG"),
        ("nDCG(dcg='jk') nDCG(dcg='jk',base=2) ndcg(base=2,dcg=jk)", "nDCG(dcg='jk')"),
        ("nDCG(average=micro,base=10,dcg=jk)@100", "nDCG(dcg='jk',base=10,average='micro')@100"),
        ("ndcg.1=3.5,2=9.0 ndcg_1=3.5,2=9 nDCG(gains={1:3.5,2:9}) nDCG( gains = { 2: 9.0, 1: 3.5 } )", "nDCG(gains={1:3.5,2:9})"),
        ("IDCG@3 idcg@3", "IDCG@3"),
        ("P@10000000", "P@10000000"),
        ("RBP(p=.000001) rbp.p=0.000001", "RBP(p=0.000001)"),
        ("RBP RBP(p=.8) RBP(p=0.8)", "RBP(p=0.8)"),
        ("RBP(p=.5,rel=1)@20 RBP(rel=1,p=.5)@20 RBP@20(rel=1,p=0.50)", "RBP(p=0.5,rel=1)@20"),
        ("IPrec@0.1 IPrec@.1 iprec_at_recall_0.10 iprec_at_recall..10", "IPrec@0.1"),
        ("Success@1 success_1 success.1", "Success@1"),
        ("Judged@10", "Judged@10"),
        ("GMAP gm_map", "GMAP"),
        ("NumRet num_ret", "NumRet"),
        ("NumRelRet num_rel_ret", "NumRelRet"),
        ("NumRet(rel=2) NumRelRet(rel=2)", "NumRelRet(rel=2)"),
        ("SetP(relative=True) SetP(relative=true) SetRelP", "SetRelP"),
        ("SetP(relative=False,rel=2) SetP(rel=2)", "SetP(rel=2)"),
        ("α_nDCG@20 α-nDCG@20 alpha_nDCG@20", "alpha_nDCG@20"),
        ("P(judged_only=True)@5 P@5(judged_only=true)", "P(judged_only=True)@5"),
        ("AP AP(judged_only=False)", "AP"),
    ],
)
def test_every_way_of_writing_a_measure(names, canonical):
    # Blanks separate names, but not inside parentheses.
    assert [str(measure) for measure in parse_measures(names)] == [canonical]


@pytest.mark.parametrize(
    ("name", "cutoffs"),
    [
        ("P", [5, 10, 15, 20, 30, 100, 200, 500, 1000]),
        ("Precision", [5, 10, 15, 20, 30, 100, 200, 500, 1000]),
        ("ndcg_cut", [5, 10, 15, 20, 30, 100, 200, 500, 1000]),
        ("success", [1, 5, 10]),
        ("P.7,3,5", [3, 5, 7]),
        ("iprec_at_recall", [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]),
        ("iprec_at_recall..10,.20,.25", [0.1, 0.2, 0.25]),
    ],
)
def test_a_trec_eval_name_may_stand_for_several(name, cutoffs):
    measures = parse_measures(name)
    assert [measure.given[0][1] for measure in measures] == cutoffs
    assert len({measure.kind.name for measure in measures}) == 1


def test_a_list_may_be_separated_as_one_likes_and_repeats_nothing():
    measures = parse_measures("MAP, nDCG@10;P.5,10  RR\nP_5 , ndcg_cut_10")
    assert [str(measure) for measure in measures] == ["AP", "nDCG@10", "P@5", "P@10", "RR"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("ndgc@10", 'there is no measure "ndgc"; did you mean nDCG or '),
        ("MAPP", 'there is no measure "MAPP"; did you mean AP or GMAP?'),
        ("precison@5", 'there is no measure "precison"; did you mean P@10'),
        ("zzz", 'there is no measure "zzz"'),
        ("P@0", "cutoff is 0; expected a whole number of at least 1"),
        ("P@2.5", "cutoff is 2.5; expected a whole number of at least 1"),
        ("P@99999999999", "cutoff is 99999999999; expected a whole number of at least 1"),
        ("IPrec@1.5", "recall is 1.5; expected a number from 0 to 1"),
        ("RBP(p=2)", "p is 2; expected a number from 0 to 1"),
        ("AP(rel='high')", "rel is 'high'; expected a whole number from -127 to 127"),
        ("nDCG(dcg='exp')", "dcg is 'exp'; expected 'log2' or 'exp-log2' or 'jk'"),
        ("nDCG(dcg=2)", "dcg is 2; expected 'log2' or 'exp-log2' or 'jk'"),
        ("nDCG(base=3)", "base goes with dcg='jk' only"),
        ("nDCG(dcg=jk,base=1)", "base is 1; expected a whole number of at least 2"),
        ("nDCG(gains=3)", "gains is 3; expected a number of at least 0 for each of some grades, as in {1:3.5,2:9}"),
        ("nDCG(gains={1:-2})", "gains is -2; expected a number of at least 0 for each of some grades"),
        ("nDCG(gains={1.5:2})", "grade is 1.5; expected a whole number from -127 to 127"),
        ("nDCG(gains={1:2,1:3})", '"nDCG(gains={1:2,1:3})" gives 1 twice'),
        ("nDCG(gains={1:2", '"nDCG(gains={1:2", character 16: expected a "," or "}", found the end'),
        ("nDCG(gains={})", '"nDCG(gains={})", character 13: expected a number, found "}"'),
        ("P.1=2", "P takes no gains; it takes cutoff, rel"),
        ("P@" + "9" * 400, "cutoff is 9999"),
        ("AP(foo=1)", "AP takes no foo; it takes cutoff, rel"),
        ("num_ret@5", "NumRet takes no cutoff"),
        ("rbp", "\"rbp\" is trec_eval's name; RBP(p=0.9) is trec_eval's usual one and RBP(p=0.8) ir_measures'"),
        ("rbp.5", '"rbp.5": write RBP(p=0.5) for that persistence'),
        ("RBP..95", '"RBP..95": write RBP(p=0.95) for that persistence'),
        ("SetP(relative=maybe)", "relative is 'maybe'; expected True or False"),
        ("AP(judged_only=1)", "judged_only is 1; expected True or False"),
        ("AP(rel=1,rel=2)", '"AP(rel=1,rel=2)" gives rel twice'),
        ("P@5(cutoff=6)", '"P@5(cutoff=6)" gives cutoff twice'),
        ("AP(rel=1", '"AP(rel=1", character 9: expected a "," or ")", found the end'),
        ("AP@", '"AP@", character 4: expected a number, found the end'),
        ("@10", '"@10", character 1: expected a name, found "@"'),
        ("P@5 & R@5", '"P@5 & R@5", character 5: expected a name, found "&"'),
        ("", '"" names 0 measures; expected one'),
        ("_1" * 2000, "4,000 characters are too many for names of measures"),
        ("P.5,10", '"P.5,10" names 2 measures; expected one of P@5, P@10'),
    ],
)
def test_what_is_wrong_is_said(text, complaint):
    with pytest.raises(BadMeasure) as caught:
        parse_measure(text)
    assert str(caught.value).startswith(complaint)


FRACTIONS = st.floats(0, 1) | st.integers(0, 1)
GAINS = st.dictionaries(st.integers(-127, 127), FRACTIONS, min_size=1, max_size=4)


def any_value(parameter: Parameter):
    if parameter.kind is bool:
        return st.booleans()
    if parameter.kind is str:
        return st.sampled_from(parameter.choices)
    return {int: st.integers(2, 127), float: FRACTIONS, dict: GAINS}[parameter.kind]


@st.composite
def any_measure(draw):
    kind = draw(st.sampled_from([MEASURES[name] for name in sorted(MEASURES)]))
    arguments = {
        parameter.name: draw(any_value(parameter))
        for parameter in (*kind.all_parameters, JUDGED_ONLY)
        if parameter.required or draw(st.booleans())
    }
    fitting = [
        parameter
        for parameter in (*kind.all_parameters, JUDGED_ONLY)
        if not parameter.only_with or arguments.get(parameter.only_with[0]) == parameter.only_with[1]
    ]
    return kind(**{parameter.name: arguments[parameter.name] for parameter in fitting if parameter.name in arguments})


ANY_MEASURE = any_measure()


@given(measure=ANY_MEASURE)
def test_a_canonical_name_names_the_same_measure(measure):
    again = parse_measure(str(measure))
    assert again == measure
    assert again.values == measure.values


@given(measure=ANY_MEASURE)
def test_a_trec_eval_name_names_the_same_measure(measure):
    if measure.trec_name and (measure.kind.at is None or measure.kind.at.kind is int):  # others have two decimals there
        assert parse_measure(measure.trec_name) == measure


@given(text=st.text(st.sampled_from("APnR_ 1.5@(),=;:{}'rel\"-\n"), max_size=20))
def test_nonsense_is_refused_and_nothing_worse(text):
    try:
        parse_measures(text)
    except BadMeasure as refusal:
        assert str(refusal)


@pytest.mark.parametrize(
    "name",
    [
        *("AP", "AP(rel=2)", "AP(rel=2)@10", "nDCG@10", "nDCG(dcg='exp-log2')@10", "nDCG(gains={1:3,2:9})", "P@5", "R@100"),
        *("RR@10", "Rprec", "Bpref", "RBP(p=0.5,rel=1)", "IPrec@0.1"),
    ],
)
def test_ir_measures_reads_our_canonical_names(name):
    assert str(parse_measure(name)) == name
    assert str(ir_measures.parse_measure(name)).replace(" ", "") == name


def test_names_do_not_collide():
    names = [name.casefold() for kind in MEASURES.values() for name in {kind.name.casefold(), *map(str.casefold, kind.aliases)}]
    assert len(names) == len(set(names))


def test_results_print_their_measures_by_name():
    """A notebook shows what a line gives: without that, each measure took a page."""
    evaluation = evaluate({"1": {"a": 1.0}}, {"1": {"a": 1}}, "nDCG@10 AP")
    assert "measures=(nDCG@10, AP)" in repr(evaluation) and len(repr(evaluation)) < 600

"""Names of measures: a grammar for those of ir_measures and trec_eval, and for usual ones.

    list      = [measure {separator measure}]       separator: blanks, line ends, "," or ";"
    measure   = name [arguments] ["@" number] [arguments]       nDCG@10   AP(rel=2)   RBP(p=.8)@20
              | stem "." number {"," number}                    P.5,10    iprec_at_recall..1,.2    set_F.4
              | stem "." argument {"," argument}                rbp.p=.9
              | stem ("." | "_") pair {"," pair}                ndcg.1=3.5,2=9   ndcg_1=3.5,2=9
    arguments = "(" [argument {"," argument}] ")"
    argument  = name "=" (number | string | name | gains)       dcg='exp-log2'
    gains     = "{" number ":" number {"," number ":" number} "}"      gains={1:3.5,2:9}
    pair      = number "=" number

A name may carry its cutoff after an underscore, as trec_eval prints it (P_10, iprec_at_recall_0.10). Capitals do not matter.
"""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from ireval.measures.registry import MEASURES, Argument, BadMeasure, Kind, Measure, Parameter

TOKEN = re.compile(
    r"""
    (?P<blank>   [\s;]+ )
  | (?P<printed> \w+ _ \d* \. \d+ )                      # iprec_at_recall_0.10
  | (?P<stem>    \w* [^\W\d] \w* \. (?= [\d.+-] | \w+ = ) )  # P. in P.5,10
  | (?P<number>  [+-]? (?: \d+ \.? \d* | \. \d+ ) (?! \w ) )
  | (?P<name>    \w+ (?: - [^\W\d] \w* )* )              # also R-precision
  | (?P<string>  '[^']*' | "[^"]*" )
  | (?P<mark>    [(),=@{}:] )
  | (?P<wrong>   . )
    """,
    re.VERBOSE,
)
LONGEST = 2000
BLANKS_AROUND_MARKS = re.compile(r"\s*([(@=,{:])\s*|\s+(?=[)}])")
# Several measures under one name, as in trec_eval -m official.
GROUPS = {
    "official": "num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P",
    "set": "num_q num_ret num_rel num_rel_ret utility set_P set_relative_P set_recall set_map set_F",
    "all_trec": (
        "official recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G ndcg ndcg_rel Rndcg ndcg_cut map_cut relative_P "
        "success set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret unj"
    ),
}
# Measures that ir_measures writes as others with an argument: NumRet(rel=1) and SetP(relative=True).
RELATIVE = Parameter("relative", "as a share of the highest precision possible", bool, default=False)
VARIANTS = {("numret", "rel"): "NumRelRet", ("setp", "relative"): "SetRelP"}
# trec_eval's rbp is not our RBP without parameters, which is ir_measures': it is refused rather than taken for either.
RBP = "RBP(p=0.9) is trec_eval's usual one and RBP(p=0.8) ir_measures'"
# A name, a measure of ours, or an object of ir_measures.
Name = Any
Measures = Name | Iterable[Name]
EXPECTED = {"name": "a name", "number": "a number", "mark": "a mark"}


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    position: int


def parse_measure(text: Name) -> Measure:
    """The single measure that a text, or a measure of ir_measures, names. BadMeasure, with the nearest names, if there is none.

    >>> str(parse_measure("ndcg_cut_10")), str(parse_measure("MRR@10")), str(parse_measure("map"))
    ('nDCG@10', 'RR@10', 'AP')
    >>> parse_measure("ndgc@10")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ireval.measures.registry.BadMeasure: there is no measure "ndgc"; did you mean nDCG or ...?
    """
    measures = parse_measures(text)
    if len(measures) != 1:
        names = ", ".join(map(str, measures))
        raise BadMeasure(f'"{text}" names {len(measures)} measures; expected one' + (f" of {names}" if names else ""))
    return measures[0]


def parse_measures(text: Measures) -> list[Measure]:
    """All measures that a text, or several texts, name, each once; measures of ir_measures are names, too.

    A trec_eval name without cutoffs stands for its usual cutoffs, "official" for trec_eval's official set.

    >>> [str(measure) for measure in parse_measures("MAP, nDCG@10 P.5,10")]
    ['AP', 'nDCG@10', 'P@5', 'P@10']
    """
    if hasattr(text, "columns"):
        raise BadMeasure(f"{text!r:.50} is of type {type(text).__name__}; expected names of measures, such as 'nDCG@10 AP'")
    names = text if isinstance(text, Iterable) and not isinstance(text, str) and not is_of_ir_measures(text) else [text]
    lists = [[part] if isinstance(part, Measure) else Parser(written_name(part)).measures() for part in names]
    return list(dict.fromkeys(measure for part in lists for measure in part))


def written_name(part: object) -> str:
    """A name as text; ir_measures names measures as we do."""
    if isinstance(part, str):
        return part
    if not is_of_ir_measures(part):
        raise BadMeasure(f"{part!r:.50} is of type {type(part).__name__}; expected the name of a measure, such as 'nDCG@10'")
    return "NumRelRet" if str(part) == "NumRet(rel=1)" else str(part)


def is_of_ir_measures(part: object) -> bool:
    """Whether an object is a measure of ir_measures, told without importing it."""
    return any(kind.__module__ == "ir_measures.measures.base" and kind.__name__ == "Measure" for kind in type(part).__mro__)


class Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str):
        if len(text) > LONGEST:
            raise BadMeasure(f"{len(text):,} characters are too many for names of measures; expected at most {LONGEST:,}")
        self.text = BLANKS_AROUND_MARKS.sub(r"\1", text.strip())
        matches = TOKEN.finditer(self.text)
        self.tokens = [Token(str(match.lastgroup), match[0], match.start()) for match in matches]
        self.tokens.append(Token("end", "", len(self.text)))
        self.place = 0

    def measures(self) -> list[Measure]:
        measures: list[Measure] = []
        self.skip_separators()
        while self.next.kind != "end":
            measures += self.measure()
            self.skip_separators()
        return measures

    def measure(self) -> list[Measure]:
        token = self.take("name", "stem", "printed")
        if token.kind == "stem":
            return self.with_parameters(token.text[:-1])
        if token.text in GROUPS:
            return Parser(GROUPS[token.text]).measures()
        stem, _, first = token.text.rpartition("_")
        if self.next.text == "=" and stem and is_number(first):
            return [kind_called(stem)(gains=self.pairs("=", number(first)))]
        if stem.casefold() in trec_parameters() and (is_number(first) or not first):
            return [self.in_order(kind_called(stem), self.numbers(first or self.take("number").text))]
        arguments = self.arguments({})
        at = self.take("number").text if self.skip("@") else None
        return self.resolve(token.text, at, self.arguments(arguments))

    def with_parameters(self, stem: str) -> list[Measure]:
        """Parse what follows the dot in trec_eval's -m P.5,10."""
        kind = kind_called(stem)
        if stem.casefold() == "rbp" and self.next.kind == "number":
            raise BadMeasure(f'"{self.text}": write RBP(p=0.{self.next.text.lstrip("0.")}) for that persistence; {RBP}')
        if self.next.kind != "number":
            return [kind(**dict([self.argument()]))]
        first = self.take("number").text
        if self.next.text == "=":
            return [kind(gains=self.pairs("=", number(first)))]
        values = self.numbers(first)
        if kind.trec_parameters:
            return [self.in_order(kind, values)]
        return [kind(**at_value(kind, value)) for value in sorted(values)]

    def numbers(self, first: str) -> list[int | float]:
        values = [number(first)]
        while self.next.text == "," and self.after(1).kind == "number":
            self.take("mark")
            values.append(number(self.take("number").text))
        return values

    def in_order(self, kind: Kind, values: list[int | float]) -> Measure:
        """trec_eval's utility.2,-1,0,0, printed as utility_2,-1,0,0: parameters by position."""
        if len(values) > len(kind.trec_parameters):
            raise BadMeasure(f'"{self.text}" gives {len(values)} numbers; {kind.name} takes {", ".join(kind.trec_parameters)}')
        return kind(**dict(zip(kind.trec_parameters, values, strict=False)))

    def pairs(self, mark: str, grade: float) -> dict[float, float]:
        """Parse numbers for grades after the first `grade`: 1:3.5,2:9 in braces, 1=3.5,2=9 in trec_eval."""
        self.expect(mark)
        pairs = {grade: number(self.take("number").text)}
        while self.next.text == "," and self.after(1).kind == "number" and self.after(2).text == mark:
            self.take("mark")
            grade = number(self.take("number").text)
            self.expect(mark)
            pairs = self.joined(pairs, {grade: number(self.take("number").text)})
        return pairs

    def resolve(self, name: str, at: str | None, arguments: dict[str, Argument]) -> list[Measure]:
        stem, _, cutoff = name.rpartition("_")
        if at is None and stem.casefold() in trec_stems() and is_number(cutoff):
            name, at = stem, cutoff
        if name == "rbp" and at is None and not arguments:
            raise BadMeasure(f'"rbp" is trec_eval\'s name; {RBP}: write which')
        name, arguments = variant(name, arguments)
        kind = kind_called(name)
        if at is not None:
            return [kind(**self.joined(arguments, at_value(kind, number(at))))]
        if stands_for_usual_cutoffs(kind, name) and kind.at and kind.at.name not in arguments:
            return [kind(**arguments, **at_value(kind, value)) for value in kind.trec_values]
        return [kind(**arguments)]

    def arguments(self, arguments: dict[str, Argument]) -> dict[str, Argument]:
        if not self.skip("("):
            return arguments
        while not self.skip(")"):
            arguments = self.joined(arguments, dict([self.argument()]))
            if self.next.text != ")":
                self.expect(",", 'a "," or ")"')
        return arguments

    def joined(self, values: dict[Any, Any], more: dict[Any, Any]) -> dict[Any, Any]:
        if twice := values.keys() & more.keys():
            raise BadMeasure(f'"{self.text}" gives {", ".join(map(str, twice))} twice')
        return values | more

    def argument(self) -> tuple[str, Argument]:
        name = self.take("name").text
        self.expect("=")
        if self.skip("{"):
            return name, self.gains()
        token = self.take("number", "string", "name")
        if token.kind == "number":
            return name, number(token.text)
        return name, token.text.strip("'\"")

    def gains(self) -> dict[float, float]:
        gains = self.pairs(":", number(self.take("number").text))
        self.expect("}", 'a "," or "}"')
        return gains

    def after(self, tokens: int) -> Token:
        return self.tokens[self.place + tokens]

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def take(self, *kinds: str) -> Token:
        token = self.next
        if token.kind not in kinds:
            raise self.unexpected(EXPECTED[kinds[0]])
        self.place += 1
        return token

    def skip(self, mark: str) -> bool:
        skipped = self.next.text == mark
        self.place += skipped
        return skipped

    def expect(self, mark: str, expected: str | None = None) -> None:
        if not self.skip(mark):
            raise self.unexpected(expected or f'"{mark}"')

    def unexpected(self, expected: str) -> BadMeasure:
        token = f'"{self.next.text}"' if self.next.text else "the end"
        return BadMeasure(f'"{self.text}", character {self.next.position + 1}: expected {expected}, found {token}')

    def skip_separators(self) -> None:
        while self.next.kind == "blank" or self.next.text == ",":
            self.place += 1


# Made when first needed: measures of other rooms register after this module was imported.
@cache
def kinds_by_name() -> dict[str, Kind]:
    names: dict[str, Kind] = {}
    for kind in MEASURES.values():
        for name in (kind.name, *kind.aliases, kind.trec, kind.trec_at):
            if name:
                assert names.setdefault(name.casefold(), kind) is kind, f"two measures are called {name}"
    return names


@cache
def trec_parameters() -> set[str]:
    return {kind.trec.casefold() for kind in MEASURES.values() if kind.trec and kind.trec_parameters}


@cache
def trec_stems() -> dict[str, Kind]:
    return {kind.trec_at.casefold(): kind for kind in MEASURES.values() if kind.trec_at}


def kind_called(name: str) -> Kind:
    """The kind of measure of that name; BadMeasure with the nearest names if there is none."""
    if name.casefold() in kinds_by_name():
        return kinds_by_name()[name.casefold()]
    near = difflib.get_close_matches(name.casefold(), kinds_by_name(), n=3, cutoff=0.5)
    suggestions = list(dict.fromkeys(kinds_by_name()[match].example for match in near))
    raise BadMeasure(f'there is no measure "{name}"' + (f"; did you mean {' or '.join(suggestions)}?" if suggestions else ""))


def variant(name: str, arguments: dict[str, Argument]) -> tuple[str, dict[str, Argument]]:
    """The name and arguments in our spelling, where ir_measures has an argument and we have a measure.

    >>> variant("NumRet", {"rel": 2}), variant("SetP", {"relative": "True", "rel": 2}), variant("SetP", {"relative": "False"})
    (('NumRelRet', {'rel': 2}), ('SetRelP', {'rel': 2}), ('SetP', {}))
    """
    for (ours, argument), instead in VARIANTS.items():
        if name.casefold() == ours and argument in arguments:
            others = {other: value for other, value in arguments.items() if other != argument}
            if argument == "rel":
                return instead, arguments
            return (instead if RELATIVE.accept(arguments[argument]) else name), others
    return name, arguments


def at_value(kind: Kind, value: Argument) -> dict[str, Argument]:
    if kind.at is None:
        raise BadMeasure(f"{kind.name} takes no cutoff")
    return {kind.at.name: value}


def stands_for_usual_cutoffs(kind: Kind, name: str) -> bool:
    """trec_eval's P and ndcg_cut are nine measures each, and so are our P and Precision; nDCG without a cutoff is one."""
    needs_one = kind.at is not None and kind.at.required
    return bool(kind.trec_values) and (needs_one or name.casefold() == str(kind.trec_at).casefold())


def number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def is_number(text: str) -> bool:
    return re.fullmatch(r"\d+|\d*\.\d+", text) is not None

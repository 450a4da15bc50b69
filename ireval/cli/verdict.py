"""The commands verdict and reproduce: one answer from all kinds of evidence in a bundle, and the same again."""

import argparse
import json
import math

from ireval import ENGINE_VERSION, BadInput
from ireval.cli.compare import as_p
from ireval.cli.output import aligned
from ireval.verdict import Answer, Bundle, Heterogeneity, Verdict, read_bundle, result_of, sentence
from ireval.verdict.bundle import differences
from ireval.verdict.verdict import one_sided

MOST_SHOWN = 20


def add_verdict(command: argparse.ArgumentParser) -> None:
    command.add_argument("bundle", metavar="BUNDLE", help="a zip archive with the question and its evidence, as ireval writes it")
    command.add_argument("--format", choices=("table", "json"), default="table", help="default %(default)s")
    command.set_defaults(command=show_verdict)


def add_reproduce(command: argparse.ArgumentParser) -> None:
    command.add_argument("bundle", metavar="BUNDLE", help="a zip archive with a verdict and its evidence")
    command.set_defaults(command=reproduce)


def show_verdict(options: argparse.Namespace) -> None:
    """Say which of two systems is better, from the evidence in a bundle: grades, votes, interleaving, tests on users, clicks.

    Prints one sentence and a line per kind of evidence: the difference B − A in its own unit, and how often B beats A."""
    bundle, _ = read_bundle(options.bundle)
    verdict = bundle.verdict()
    if options.format == "json":
        print(json.dumps({"engine": ENGINE_VERSION, **result_of(verdict, bundle)}, indent=2, ensure_ascii=False))
    else:
        print("\n".join([sentence(verdict, bundle.a, bundle.b), "", *table(verdict), *spread(verdict.heterogeneity)]))


def table(verdict: Verdict) -> list[str]:
    head = [
        "evidence",
        "measure",
        "n",
        "B − A",
        f"{1 - verdict.alpha:.0%} interval",
        "matters from",
        "p",
        "B beats A",
        "says",
        "needs",
    ]
    return list(aligned([head, *(row(answer) for answer in verdict.answers)]))


def row(answer: Answer) -> list[str]:
    line, decision, share = answer.line, answer.decision, answer.share
    return [
        line.kind,
        line.measure,
        f"{line.n:,} {line.unit}",
        number(decision.value, "+.4f"),
        "" if math.isnan(decision.low) else f"{decision.low:+.4f} to {decision.high:+.4f}",
        f"{line.margin:g}",
        "" if math.isnan(decision.p) else as_p(decision.p),
        number(share.value, ".3f") + ("" if math.isnan(share.low) else f" ({share.low:.3f} to {share.high:.3f})"),
        f"{answer.word} {one_sided(answer.word, answer.low, answer.high)}".rstrip(),
        "" if answer.needed is None or answer.word in ("better", "worse", "equal") else f"{answer.needed:,}",
    ]


def number(value: float, form: str) -> str:
    return "" if math.isnan(value) else format(value, form)


def spread(shares: Heterogeneity | None) -> list[str]:
    if shares is None:
        return []
    i2 = f"I² {shares.i2:.0%} ({shares.i2_low:.0%} to {shares.i2_high:.0%})"
    return ["", f"How far the shares differ by more than chance: Q {shares.q:.2f} of {shares.freedom}, p {as_p(shares.p)}, {i2}"]


def reproduce(options: argparse.Namespace) -> None:
    """Compute a bundle's verdict again from its evidence and say whether every number is the same, or where not."""
    bundle, kept = read_bundle(options.bundle)
    wrong = list(differences(kept, as_kept(bundle)))
    if wrong:
        more = f"\n… and {len(wrong) - MOST_SHOWN} more" if len(wrong) > MOST_SHOWN else ""
        raise BadInput(f"{options.bundle}: {len(wrong)} numbers differ\n" + "\n".join(wrong[:MOST_SHOWN]) + more)
    print(f"{options.bundle}: every number is the same")


def as_kept(bundle: Bundle) -> dict:
    """The result as a file has it: JSON knows no tuples."""
    return json.loads(json.dumps(result_of(bundle.verdict(), bundle)))

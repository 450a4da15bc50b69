"""Catches of the suggested rules in studies with honest and bad workers, some seeds of each.

    python -m benchmarks.spammers [--seeds 20] [--first 101] [--grades 4 2] [--data ../shared/data]

Honest workers are right as often as real crowd workers were (`real_workers.py`). Each study is judged twice, with the rules and
without. The thresholds were chosen on seeds 1 to 10. docs/how-to/quality-rules.md has the tables and says what they mean.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean

from benchmarks.judging import ROOT, environment_for

SHARED = ROOT.parent / "shared" / "data"
KINDS = ("spammer", "speeder", "straight-liner", "puppet", "honest")
AT_ONCE = 2


def judged(seed: int, grades: int, rules: int, data: Path) -> dict:
    with environment_for(postgres=False) as environment:
        command = [sys.executable, "-m", "benchmarks.crowd", str(seed), str(grades), str(rules), str(data)]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"seed {seed}: {done.stderr}")
    return json.loads(done.stdout)


def show(grades: int, without: list[dict], with_rules: list[dict]) -> None:
    print(f"\n{grades} grades, {len(without)} studies\n\n| kind | workers | caught | by |\n|---|---|---|---|")
    people = [person for study in with_rules for person in study["caught"]]
    for kind in KINDS:
        acts = [person["acts"] for person in people if person["kind"] == kind]
        caught = sum(map(bool, acts))
        by = Counter(f"{signal} {standing}" for each in acts for signal, standing in each)
        actions = ", ".join(f"{count} × {name}" for name, count in by.most_common())
        print(f"| {kind} | {len(acts)} | {caught} ({caught / len(acts):.1%}) | {actions} |")
    print("\n| labels | right | least | judged anew a study |\n|---|---|---|---|")
    anew = f"{mean(study['anew'] for study in with_rules):.0f}"
    for name, studies, method, more in (
        ("majority of all votes", without, "majority", "–"),
        ("majority, with the rules", with_rules, "majority", anew),
        ("Dawid and Skene, of all votes", without, "dawid-skene", "–"),
        ("Dawid and Skene, with the rules", with_rules, "dawid-skene", anew),
    ):
        right = [study["accuracy"][method] for study in studies]
        print(f"| {name} | {mean(right):.1%} | {min(right):.1%} | {more} |")
    print("\n| each rule alone | " + " | ".join(KINDS) + " |\n|---" + "|---" * len(KINDS) + "|")
    size = Counter(person["kind"] for study in without for person in study["caught"])
    for rule in without[0]["alone"]:
        shares = [sum(study["alone"][rule].get(kind, 0) for study in without) / size[kind] for kind in KINDS]
        print(f"| {rule} | " + " | ".join(f"{share:.1%}" for share in shares) + " |")
    for name, studies in (("without rules", without), ("with rules", with_rules)):
        judgements = Counter[str]()
        for study in studies:
            judgements.update(study["judged"])
        parts = ", ".join(f"{kind} {judgements[kind] / judgements.total():.0%}" for kind in KINDS)
        print(f"\nJudgements {name}: {parts}", end="")
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=101)
    parser.add_argument("--grades", type=int, nargs="+", default=[4, 2])
    parser.add_argument("--data", type=Path, default=SHARED)
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for grades in options.grades:
            runs = [[pool.submit(judged, seed, grades, rules, options.data) for seed in seeds] for rules in (0, 1)]
            show(grades, *([run.result() for run in each] for each in runs))


if __name__ == "__main__":
    main()

"""`python -m ireval experiment-plan`: how many users or impressions it takes, and how long."""

import csv
import json

import pytest

from ireval.cli.main import main
from ireval.planning import detectable_delta, detectable_effect, impressions_needed, users_needed


def printed(capsys, *arguments: str) -> str:
    assert main(["experiment-plan", *arguments]) == 0
    return capsys.readouterr().out


def rows(capsys, *arguments: str) -> list[dict]:
    return json.loads(printed(capsys, *arguments, "--format", "json"))["rows"]


def complaint(capsys, *arguments: str) -> str:
    assert main(["experiment-plan", *arguments]) == 2
    return capsys.readouterr().err.rstrip("\n")


def test_lifts_of_a_proportion(capsys):
    assert printed(capsys, "--baseline", "0.05", "--lift", "0.05", "0.1", "--users", "50000", "--daily", "9000").splitlines() == [
        "a proportion, 0.05 in the control",
        "  two-sided, power 0.8, alpha 0.05, 0.5 of the users in the control and 0.5 in an arm",
        "  given  difference  lift      users    days",
        "  lift   0.0025      +5.00 %   244,247  28",
        "  lift   0.0050      +10.00 %  62,467   7",
        "  users  0.0056      +11.21 %  50,000   6",
    ]


def test_it_is_what_the_engine_says(capsys):
    options = ["--power", "0.9", "--alpha", "0.01", "--arms", "3"]
    how = {"power_wanted": 0.9, "alpha": 0.01, "comparisons": 2, "shares": (1 / 3, 1 / 3)}
    lift, users = rows(capsys, "--baseline", "0.2", "--lift", "-0.1", "--users", "4000", *options)
    assert lift["users"] == users_needed(-0.02, baseline=0.2, **how)
    assert users["difference"] == pytest.approx(detectable_effect(4000, baseline=0.2, **how))
    assert users["lift"] == pytest.approx(users["difference"] / 0.2)
    [mean] = rows(capsys, "--sd", "3", "--difference", "0.1", "--shares", "0.8", "0.1", "--comparisons", "5")
    assert mean["users"] == users_needed(0.1, deviation=3, shares=(0.8, 0.1), comparisons=5)
    assert (mean["lift"], mean["days"]) == (None, None)


def test_the_time_before_saves_users(capsys):
    [plain], [less] = (
        rows(capsys, "--sd", "2", "--mean", "-4", "--lift", "0.01", *more) for more in ([], ["--reduction", "0.36"])
    )
    assert plain["difference"] == pytest.approx(0.04), "more of a negative mean is more"
    assert less["users"] == pytest.approx(0.64 * plain["users"], abs=1)
    [proportion] = rows(capsys, "--baseline", "0.5", "--difference", "0.02", "--reduction", "0.36")
    assert proportion["users"] == users_needed(0.02, deviation=0.4)


def test_impressions_of_interleaving(capsys):
    options = ["--interleaving", "--ties", "0.3", "--without-credit", "0.4", "--design-effect", "1.4"]
    how = {"ties": 0.3, "without_credit": 0.4, "design_effect": 1.4}
    assert printed(capsys, *options, "--difference", "0.02", "--users", "3", "5000", "--daily", "1000").splitlines() == [
        "interleaving: design effect 1.4, 0.4 without credit, 0.3 of the others tied",
        "  two-sided, power 0.8, alpha 0.05",
        "  given        delta   impressions  days",
        f"  difference   0.0200  {impressions_needed(0.02, **how):,}        9",
        "  impressions  none    3            1",
        f"  impressions  {detectable_delta(5000, **how):.4f}  5,000        5",
    ]
    content = json.loads(printed(capsys, *options, "--difference", "0.02", "--comparisons", "6", "--format", "json"))
    assert content["kind"] == "interleaving" and content["ties"] == 0.3 and content["comparisons"] == 6
    assert content["rows"][0]["users"] == impressions_needed(0.02, comparisons=6, **how)


def test_csv_has_a_row_a_question(capsys):
    table = list(csv.DictReader(printed(capsys, "--sd", "2", "--difference", "0.1", "1", "--format", "csv").splitlines()))
    assert [(row["given"], row["users"], row["lift"]) for row in table] == [
        ("difference", "12559", ""),
        ("difference", "126", ""),
    ]


def test_what_nobody_has_and_what_nobody_would_find(capsys):
    assert printed(capsys, "--sd", "2", "--difference", "1e-9").splitlines()[-1].split()[-3:] == ["more", "than", "10¹²"]
    assert rows(capsys, "--sd", "2", "--difference", "1e-9")[0]["users"] is None
    for more in ([], ["--reduction", "0.1"]):
        assert rows(capsys, "--baseline", "0.9", "--users", "9", *more)[0]["difference"] is None


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--difference", "1"], "expected one of --baseline (of a proportion), --sd (of a mean) and --interleaving"),
        (["--sd", "1", "--baseline", "0.5", "--users", "9"], "expected one of --baseline"),
        (["--sd", "1"], "expected --difference, --lift or --users"),
        (["--sd", "1", "--lift", "0.1"], "--lift needs the control's --mean, other than 0, beside --sd"),
        (["--sd", "1", "--mean", "0", "--lift", "0.1"], "--lift needs the control's --mean"),
        (["--baseline", "0.5", "--mean", "3", "--users", "9"], "--mean stands beside --sd"),
        (["--baseline", "0.5", "--difference", "0.7"], "a difference of 0.7 from 0.5 leaves 0 to 1"),
        (["--baseline", "0.5", "--difference", "0"], "the difference is 0.0; expected a number other than 0"),
        (["--sd", "1", "--difference", "nan"], "the difference is nan"),
        (["--sd", "1", "--users", "9", "--shares", "0.7", "0.7"], "the shares are (0.7, 0.7); expected two numbers"),
        (["--sd", "1", "--users", "9", "--power", "0.01"], "a power of 0.01 is no more than alpha, 0.05"),
        (["--sd", "1", "--users", "9", "--ties", "0.1"], "--ties makes no sense without --interleaving"),
        (["--interleaving", "--users", "9", "--reduction", "0.1"], "--reduction makes no sense with --interleaving"),
        (
            ["--interleaving", "--difference", "0.4", "--ties", "0.5"],
            "delta is 0.4; expected a number other than 0, at most 0.25",
        ),
    ],
)
def test_mistakes_are_explained(capsys, arguments, expected):
    assert complaint(capsys, *arguments).startswith(expected)


@pytest.mark.parametrize(
    "option", [["--baseline", "1"], ["--sd", "0"], ["--users", "0"], ["--arms", "1"], ["--reduction", "1"], ["--daily", "-1"]]
)
def test_impossible_numbers_name_their_option(capsys, option):
    with pytest.raises(SystemExit) as ended:
        main(["experiment-plan", *option])
    assert ended.value.code == 2
    assert option[0] in capsys.readouterr().err


def test_help_names_all_that_planning_needs(capsys):
    with pytest.raises(SystemExit):
        main(["experiment-plan", "--help"])
    text = capsys.readouterr().out
    assert all(
        f"--{name}" in text for name in ("baseline", "sd", "lift", "users", "daily", "reduction", "design-effect", "shares")
    )
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "experiment-plan" in capsys.readouterr().out

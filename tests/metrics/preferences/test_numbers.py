"""The numbers: those of the command line on the exported votes, whatever does not count left out."""

import io
import json

import polars as pl
import pytest
from django.urls import reverse

from ireval.cli.main import main
from ireval.significance import Decision
from judging.labels.preferences import rows as answers
from judging.models import AuditEntry, Item, Worker
from judging.work import assignment, exclusions
from metrics.kinds.preferences.evidence import VOTE_COLUMNS, vote_rows
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.preferences.results import PreferenceResults, topics, turned
from metrics.kinds.studies import is_current, part, request_study_report, rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("judged"), pytest.mark.one_database]


def download(browser, study, kind):
    response = browser.get(reverse("study_preferences_download", args=[study.pk, kind]))
    assert response.status_code == 200
    return response.content


def by_the_command_line(browser, study, tmp_path, capsys, *options):
    path = tmp_path / "votes.csv"
    path.write_bytes(download(browser, study, "votes.csv"))
    main(["preferences", str(path), "--format", "json", *options])
    return json.loads(capsys.readouterr().out)


def test_every_number_is_that_of_the_command_line_on_the_downloaded_votes(rita, judged, report, tmp_path, capsys):
    expected = by_the_command_line(rita, judged, tmp_path, capsys)
    pairs = part(report, "pairs")["pairs"]
    assert [{key: pair[key] for key in expected["pairs"][0]} for pair in pairs] == expected["pairs"]
    ladder, trust = part(report, "systems"), part(report, "trust")
    for name in ("ladder", "above", "nu", "undefined"):
        assert ladder[name] == expected[name]
    expected["side_bias"].pop("by_worker")
    assert trust["side"] == expected["side_bias"]
    for name in ("consistency", "agreement", "learning"):
        assert trust[name] == expected[name]
    assert trust["consistency"]["n"] > 0


def test_topics_are_those_of_the_command_line(rita, judged, report, tmp_path, capsys):
    expected = by_the_command_line(rita, judged, tmp_path, capsys, "--pair", "gamma", "beta")["topics"]
    duel = PreferenceResults.of(report).duel("gamma", "beta")
    assert topics(report, duel).drop("for_first", "for_second").sort("topic").to_dicts() == expected


def test_known_preferences_are_found(report):
    """Odd topics are decided by four workers or three, those of month 6 and 12 by the one who favours a side or none."""
    duel = PreferenceResults.of(report).duel("beta", "alpha")
    assert (duel["by_topics"]["wins"], duel["by_topics"]["losses"]) == (10, 0)
    assert duel["corrected"]["topics"] < 0.05
    assert [row["system"] for row in part(report, "systems")["ladder"]] == ["beta", "alpha", "gamma"]


def test_a_pair_as_seen_from_the_other_system_is_the_same_pair(report):
    pair = PreferenceResults.of(report).pairs["pairs"][0]
    other = turned(pair)
    assert pair["decision"] == pytest.approx(Decision(**part(report, "pairs")["pairs"][0]["decision"]))
    assert (other["wins"], other["first"]) == (pair["losses"], pair["second"])
    assert other["score"]["value"] == pytest.approx(1 - pair["score"]["value"])
    assert other["score"]["low"] == pytest.approx(1 - pair["score"]["high"])
    assert turned(other)["strengths"] == pair["strengths"]


def test_p_are_corrected_for_the_number_of_pairs(report):
    pairs = part(report, "pairs")["pairs"]
    smallest = min(pairs, key=lambda pair: pair["by_topics"]["dropped"])
    assert smallest["corrected"]["topics"] == pytest.approx(3 * smallest["by_topics"]["dropped"])
    surest = min(pairs, key=lambda pair: pair["score"]["p"])
    assert surest["decision"]["p"] == pytest.approx(3 * surest["score"]["p"])


def test_identical_topics_are_ties_of_their_own(judged, report):
    same = {(pair["first"], pair["second"]): pair for pair in part(report, "pairs")["pairs"]}["alpha", "gamma"]
    assert judged.items.filter(role=Item.Role.SAME).count() == 2
    assert (same["same"], same["topics"]) == (2, 9)
    assert same["with_same"]["ties"] == same["by_topics"]["ties"] + 2
    assert same["with_same"]["dropped"] == same["by_topics"]["dropped"]


def test_mirrored_answers_are_no_votes(judged, report):
    every = answers(judged)
    assert every["mirrored"].sum() > 0
    about = part(report, "pairs")
    assert about["votes"] == every.filter(~pl.col("mirrored")).height == sum(pair["n"] for pair in about["pairs"])
    assert about["repeats"] == every["mirrored"].sum()


def test_a_repeat_seen_the_same_way_round_repeats_nothing(judged):
    every = answers(judged)
    again = every.filter("mirrored").head(1).with_columns(left="right", right="left")
    assert vote_rows(pl.concat([every, again])).height == every.height


def test_who_is_excluded_has_no_vote_and_stays_in_the_table(judged, report, compute):
    before = part(report, "pairs")["votes"]
    out = judged.workers.last()
    exclusions.exclude(out, reason="x")
    assert not is_current(PREFERENCES, report)
    again = compute(request_study_report(PREFERENCES, judged))
    assert part(again, "pairs")["votes"] < before
    table = {row["worker"]: row for row in rows(again, "trust").to_dicts()}
    assert table[str(out)]["votes"] == 0
    assert table[str(out)]["answers"] == table[str(judged.workers.first())]["answers"]


def test_workers_are_told_apart_by_what_they_do(judged, report):
    table = rows(report, "trust").to_dicts()
    by_worker = {row["worker"]: row for row in table}
    honest, _, _, favouring = (by_worker[str(worker)] for worker in judged.workers.order_by("pk"))
    assert honest["consistency"] == 1.0
    # Sides are drawn by lot, so that an honest worker may by chance choose one as often as who favours it.
    decided = answers(judged).filter(~pl.col("mirrored"), pl.col("winner") != "tie")
    chosen = decided.group_by("worker").agg(side=(pl.col("winner") == "left").mean())
    assert {row["worker"]: row["side"] for row in table} == pytest.approx(dict(chosen.rows()))
    assert favouring["side"] > 0.5
    assert favouring["agreement"] < honest["agreement"]
    assert honest["compared"] == honest["answers"]
    assert honest["seconds"] == 9.0


def test_what_was_opened_is_counted_by_side_and_system(report):
    behaviour = part(report, "behaviour")
    assert behaviour["answers"] == 32  # those of the one worker who opens anything
    assert sum(row["opens"] * row["n"] for row in behaviour["sides"]) == pytest.approx(2 * 32)
    assert sum(row["dwell"] * row["n"] for row in behaviour["systems"]) == pytest.approx(9 * 32)
    assert {row["n"] for row in behaviour["preferred"]} == {30}  # of which two are ties
    assert {row["share"]["undefined"] for row in behaviour["preferred"]} == {"there is a single worker"}


def test_reasons_stand_with_the_system_that_they_speak_for(report):
    duel = PreferenceResults.of(report).duel("beta", "alpha")
    row = topics(report, duel).filter(topic="1").row(0, named=True)
    assert (row["for_first"], row["for_second"]) == ([{"reason": "More complete", "n": 1}], [])


def test_strengths_and_both_bad(comparing, make_worker, judge_everything, compute):
    """Of a scale of five points."""
    judge_everything(make_worker(comparing), lambda topic, left, right: 2 if right == "beta" else -2 if left == "beta" else 0)
    worker = make_worker(comparing)
    judge_everything(worker, lambda topic, left, right: 0, beside=lambda topic, step: {"both_bad": True})
    report = compute(request_study_report(PREFERENCES, comparing))
    duel = PreferenceResults.of(report).duel("beta", "alpha")
    strengths = {(each["won"], each["strength"]): each["n"] for each in duel["strengths"]}
    assert strengths == {("first", 2): 12, ("both_bad", 0): 12}
    assert (duel["ties"], duel["both_bad"], duel["score"]["value"]) == (12, 12, 0.75)


def test_nothing_counts(judged, compute):
    for worker in Worker.objects.filter(study=judged):
        exclusions.exclude(worker, reason="x")
    report = compute(request_study_report(PREFERENCES, judged))
    assert report.is_done
    assert part(report, "pairs")["pairs"] == []
    assert rows(report, "pairs").is_empty()
    assert rows(report, "trust").height == 4


def test_a_single_answer_has_no_interval_and_says_why(comparing, make_worker, prefer, compute):
    worker = make_worker(comparing)
    prefer(worker, assignment.next_slots(worker)[0])
    (duel,) = PreferenceResults.of(compute(request_study_report(PREFERENCES, comparing))).duels
    assert (duel["score"]["low"], duel["score"]["undefined"]) == (None, "there is a single topic")


def test_files(rita, judged, report):
    votes = pl.read_csv(download(rita, judged, "votes.csv"))
    assert tuple(votes.columns) == VOTE_COLUMNS
    assert pl.read_parquet(io.BytesIO(download(rita, judged, "answers.parquet"))).equals(answers(judged))
    lines = download(rita, judged, "answers.jsonl").decode().splitlines()
    assert json.loads(lines[0])["interactions"] == []
    assert len(lines) == answers(judged).height
    by_topic = pl.read_csv(download(rita, judged, "topics.csv"), schema_overrides={"topic": pl.String})
    assert by_topic.filter(topic="1", first="alpha", second="beta")["for_second"][0] == "More complete (1)"
    assert pl.read_csv(download(rita, judged, "workers.csv")).height == 4
    whole = json.loads(download(rita, judged, "report.json"))
    assert [len(whole["pairs"]["pairs"]), len(whole["by_worker"])] == [3, 4]
    assert AuditEntry.objects.filter(deed="exported").count() == 6


def test_a_formula_in_a_note_stays_out_of_the_spreadsheets(rita, judged, compute):
    judged.runs.filter(name="gamma").update(name="=cmd()")
    compute(request_study_report(PREFERENCES, judged))
    for kind in ("votes.csv", "topics.csv"):
        content = download(rita, judged, kind).decode()
        assert "'=cmd()" in content
        assert ",=cmd()" not in content


def test_the_report_says_before_how_many_votes_both_lists_were_seen(rita, comparing, make_worker, judge_everything, compute):
    from metrics.kinds.preferences import words
    from metrics.kinds.preferences.parts import PREFERENCES
    from metrics.kinds.studies import request_study_report

    judge_everything(make_worker(comparing), beside=lambda topic, step: {"seen": [[3000, 3], [1000 * int(topic), 2]]})
    judge_everything(make_worker(comparing))
    report = compute(request_study_report(PREFERENCES, comparing))
    times = part(report, "trust")["seen"]
    assert (times["measured"], times["both"]) == (times["votes"] // 2, times["votes"] // 2)
    assert times["seconds"] == 3.0
    sentence = words.screen_times(times)
    assert f"before {times['both']} of the {times['measured']} votes" in sentence and "it is not known" in sentence
    answers = [json.loads(line) for line in download(rita, comparing, "answers.jsonl").splitlines()]
    assert {answer["left_seen"] is None for answer in answers} == {True, False}


def test_a_report_from_before_it_was_measured_is_still_read(rita, judged, report):
    from ireval.io.tables import parquet_of
    from judging.labels.preferences import COLUMNS
    from metrics.kinds.preferences.evidence import answers_of

    earlier = answers_of(report).drop("left_seen", "right_seen", "left_results_seen", "right_results_seen")
    report.tables.filter(name="answers").update(content=parquet_of(earlier))
    report.save()
    assert answers_of(report).columns == list(COLUMNS)
    assert json.loads(download(rita, judged, "answers.jsonl").splitlines()[0])["left_seen"] is None

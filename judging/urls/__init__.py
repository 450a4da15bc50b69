from django.urls import include, path, register_converter
from django.views.i18n import set_language

from judging.views import (
    adjudication,
    checks,
    document_files,
    growth,
    home,
    join,
    judge,
    judgements,
    marks,
    own_grades,
    result,
    results,
    stopping,
    studies,
    study_languages,
    study_questions,
    workers,
)


class MoveConverter:
    regex = "pause|resume|close|archive|restore"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class EvidenceConverter(MoveConverter):
    regex = "qrels|judgements"


register_converter(MoveConverter, "move")
register_converter(EvidenceConverter, "evidence")

urlpatterns = [
    path("", home.home, name="home"),
    path("demo/enter/", home.enter_demo, name="enter_demo"),
    # workers
    path("language/", set_language, name="set_language"),
    path("join/", join.join, name="join"),
    path("join/<str:token>/", join.follow_invite, name="follow_invite"),
    path("judge/<id:study_id>/", judge.judge, name="judge"),
    path("judge/<id:study_id>/ahead/", judge.ahead, name="judge_ahead"),
    path("judge/<id:study_id>/back/", judge.back, name="judge_back"),
    path("judge/<id:study_id>/answers/", judge.answers, name="answers"),
    path("judge/<id:study_id>/answers/<str:name>/", judge.judge_again, name="judge_again"),
    path("judge/<id:study_id>/result/<str:name>/<str:side>/<id:place>/", result.result, name="judge_result"),
    path("judge/<id:study_id>/images/<uuid:image>/", document_files.judge_image, name="judge_image"),
    path("judge/<id:study_id>/attachments/<uuid:attachment>/", document_files.judge_attachment, name="judge_attachment"),
    path("judge/<id:study_id>/instructions/", judge.instructions, name="instructions"),
    path("judge/<id:study_id>/leave/", judge.leave, name="leave"),
    path("judge/<id:study_id>/warning/", judge.warning_read, name="warning_read"),
    # researchers
    path("studies/", studies.studies, name="studies"),
    path("studies/new/", studies.study_new, name="study_new"),
    path("studies/begin/", growth.study_begin, name="study_begin"),
    path("studies/grow/", growth.study_grow, name="study_grow"),
    path("studies/<id:pk>/", studies.study, name="study"),
    path("studies/<id:pk>/edit/", studies.study_edit, name="study_edit"),
    path("studies/<id:pk>/delete/", studies.study_delete, name="study_delete"),
    path("studies/<id:pk>/preview/", studies.study_preview, name="study_preview"),
    path("studies/<id:pk>/launch/", studies.study_launch, name="study_launch"),
    path("studies/<id:pk>/additions/<id:addition_pk>/take-back/", growth.addition_take_back, name="addition_take_back"),
    path("studies/<id:pk>/languages/", study_languages.study_languages, name="study_languages"),
    path("studies/<id:pk>/stopping/", stopping.study_stopping, name="study_stopping"),
    path("studies/<id:pk>/<move:action>/", studies.study_move, name="study_move"),
    path("studies/<id:pk>/invites/", studies.invite_new, name="invite_new"),
    path("studies/<id:pk>/invites/<id:invite_pk>/revoke/", studies.invite_revoke, name="invite_revoke"),
    path("studies/<id:pk>/results/", results.study_results, name="study_results"),
    path("studies/<id:pk>/results/settle/", results.study_settle, name="study_settle"),
    path("studies/<id:pk>/questions/", study_questions.study_questions, name="study_questions"),
    path("studies/<id:pk>/questions/<slug:name>/settle/", study_questions.study_question_settle, name="study_question_settle"),
    path(
        "studies/<id:pk>/questions/<slug:name>/qrels.<str:form>",
        study_questions.study_question_export,
        name="study_question_export",
    ),
    path("studies/<id:pk>/marks/settle/", marks.study_marks_settle, name="study_marks_settle"),
    path("studies/<id:pk>/workers/", workers.study_workers, name="study_workers"),
    path("studies/<id:pk>/workers/act/", workers.workers_act, name="workers_act"),
    path("studies/<id:pk>/workers/<id:worker_pk>/", workers.study_worker, name="study_worker"),
    path("studies/<id:pk>/workers/<id:worker_pk>/lift/<id:exclusion_pk>/", workers.exclusion_lift, name="exclusion_lift"),
    path("studies/<id:pk>/checks/", checks.study_checks, name="study_checks"),
    path("studies/<id:pk>/checks/take/", checks.checks_take, name="checks_take"),
    path("studies/<id:pk>/checks/own/", own_grades.check_own, name="check_own"),
    path("studies/<id:pk>/checks/promote/", checks.checks_promote, name="checks_promote"),
    path("studies/<id:pk>/checks/<id:item_pk>/withdraw/", checks.check_withdraw, name="check_withdraw"),
    path("studies/<id:pk>/first/", judgements.study_first, name="study_first"),
    path("studies/<id:pk>/judgements/", judgements.study_judgements, name="study_judgements"),
    path("studies/<id:pk>/items/", judgements.study_items, name="study_items"),
    path("studies/<id:pk>/items/act/", judgements.items_act, name="items_act"),
    path("studies/<id:pk>/adjudicate/", adjudication.adjudicate_next, name="adjudicate_next"),
    path("studies/<id:pk>/adjudicate/experts/", adjudication.experts_name, name="experts_name"),
    path("studies/<id:pk>/adjudicate/<id:item_pk>/", adjudication.adjudicate, name="adjudicate"),
    path("studies/<id:pk>/adjudicate/<id:item_pk>/withdraw/", adjudication.adjudication_withdraw, name="adjudication_withdraw"),
    path("studies/<id:pk>/export/<evidence:what>.<str:form>", results.study_export, name="study_export"),
    path("", include("judging.urls.training")),
    path("", include("judging.urls.quality")),
    path("", include("judging.urls.rules")),
    path("", include("judging.urls.pay")),
    path("", include("judging.urls.enquiries")),
    path("", include("judging.urls.audit")),
    path("", include("judging.urls.recruiting")),
    path("", include("judging.urls.collections")),
    path("", include("judging.urls.accounts")),
    path("", include("judging.urls.sites")),
    path("", include("judging.urls.experiments")),
    path("", include("judging.urls.search")),
]

from django.urls import include, path, register_converter

from judging.views import home, join, judge, results, studies


class Move:
    regex = "pause|resume|close"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class Evidence(Move):
    regex = "qrels|judgements"


register_converter(Move, "move")
register_converter(Evidence, "evidence")

urlpatterns = [
    path("", home.home, name="home"),
    path("demo/enter/", home.enter_demo, name="enter_demo"),
    # workers
    path("join/", join.join, name="join"),
    path("join/<str:token>/", join.follow_invite, name="follow_invite"),
    path("judge/<int:study_id>/", judge.judge, name="judge"),
    path("judge/<int:study_id>/ahead/", judge.ahead, name="judge_ahead"),
    path("judge/<int:study_id>/back/", judge.back, name="judge_back"),
    path("judge/<int:study_id>/answers/", judge.answers, name="answers"),
    path("judge/<int:study_id>/answers/<int:item_id>/", judge.judge_again, name="judge_again"),
    path("judge/<int:study_id>/instructions/", judge.instructions, name="instructions"),
    path("judge/<int:study_id>/leave/", judge.leave, name="leave"),
    # researchers
    path("studies/", studies.studies, name="studies"),
    path("studies/new/", studies.study_new, name="study_new"),
    path("studies/<int:pk>/", studies.study, name="study"),
    path("studies/<int:pk>/edit/", studies.study_edit, name="study_edit"),
    path("studies/<int:pk>/delete/", studies.study_delete, name="study_delete"),
    path("studies/<int:pk>/preview/", studies.study_preview, name="study_preview"),
    path("studies/<int:pk>/launch/", studies.study_launch, name="study_launch"),
    path("studies/<int:pk>/<move:action>/", studies.study_move, name="study_move"),
    path("studies/<int:pk>/invites/", studies.invite_new, name="invite_new"),
    path("studies/<int:pk>/invites/<int:invite_pk>/revoke/", studies.invite_revoke, name="invite_revoke"),
    path("studies/<int:pk>/results/", results.study_results, name="study_results"),
    path("studies/<int:pk>/results/settle/", results.study_settle, name="study_settle"),
    path("studies/<int:pk>/judgements/", results.study_judgements, name="study_judgements"),
    path("studies/<int:pk>/export/<evidence:what>.<str:form>", results.study_export, name="study_export"),
    path("", include("judging.urls_collections")),
    path("", include("judging.urls_accounts")),
]

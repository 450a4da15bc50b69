from django.urls import path

from judging.views import checks, rules

urlpatterns = [
    path("studies/<id:pk>/checks/attention/", checks.checks_attention, name="checks_attention"),
    path("studies/<id:pk>/rules/", rules.study_rules, name="study_rules"),
    path("studies/<id:pk>/rules/apply/", rules.rules_apply, name="rules_apply"),
    path("studies/<id:pk>/rules/copy/", rules.rules_copy, name="rules_copy"),
    path("studies/<id:pk>/rules/<id:rule_pk>/end/", rules.rule_end, name="rule_end"),
]

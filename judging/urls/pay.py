from django.urls import path

from judging.views import pay

urlpatterns = [
    path("judge/<id:study_id>/work/", pay.my_work, name="my_work"),
    path("studies/<id:pk>/pay/", pay.study_pay, name="study_pay"),
    path("studies/<id:pk>/pay/workers.csv", pay.earned_file, name="earned_file"),
    path("studies/<id:pk>/pay/bonuses.csv", pay.bonus_file, name="bonus_file"),
    path("studies/<id:pk>/pay/bonuses/", pay.bonus_give, name="bonus_give"),
    path("studies/<id:pk>/pay/bonuses/<id:bonus_pk>/withdraw/", pay.bonus_withdraw, name="bonus_withdraw"),
]

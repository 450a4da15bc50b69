from django.contrib.auth.views import LogoutView
from django.urls import path

from judging.views import accounts, tour

urlpatterns = [
    path("login/", accounts.Login.as_view(), name="account_login"),
    path("logout/", LogoutView.as_view(), name="account_logout"),
    path("account/", accounts.account, name="account"),
    path("tour/", tour.tour_move, name="tour"),
    path("tour/<int:step>/", tour.tour_page, name="tour_page"),
    path("account/password/", accounts.ChangePassword.as_view(), name="account_password"),
    path("account/tokens/", accounts.token_new, name="account_token_new"),
    path("account/tokens/delete/", accounts.tokens_delete, name="account_tokens_delete"),
    path("account/tokens/<slug:start>/delete/", accounts.token_delete, name="account_token_delete"),
]

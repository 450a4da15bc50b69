from allauth.account import views as allauth
from allauth.mfa.base.views import index as second_step
from allauth.mfa.recovery_codes.views import generate_recovery_codes, view_recovery_codes
from allauth.mfa.totp.views import deactivate_totp
from allauth.usersessions.views import list_usersessions
from django.contrib.auth.views import LogoutView
from django.urls import path, re_path

from judging.views import accounts, news, people, tour

urlpatterns = [
    path("login/", accounts.Login.as_view(), name="account_login"),
    path("login/code/", accounts.SecondStep.as_view(), name="mfa_authenticate"),
    path("login/inactive/", allauth.account_inactive, name="account_inactive"),
    path("logout/", LogoutView.as_view(), name="account_logout"),
    path("signup/", accounts.SignUp.as_view(), name="account_signup"),
    path("invited/<str:token>/", accounts.follow_invitation, name="follow_invitation"),
    path("password/", accounts.AskForReset.as_view(), name="account_reset_password"),
    path("password/asked/", accounts.ResetAsked.as_view(), name="account_reset_password_done"),
    path("password/changed/", allauth.password_reset_from_key_done, name="account_reset_password_from_key_done"),
    re_path("^password/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$", accounts.Reset.as_view(), name="account_reset_password_from_key"),
    path("confirm/asked/", allauth.email_verification_sent, name="account_email_verification_sent"),
    re_path(r"^confirm/(?P<key>[-:\w]+)/$", allauth.confirm_email, name="account_confirm_email"),
    path("account/", accounts.account, name="account"),
    path("tour/", tour.tour_move, name="tour"),
    path("tour/<int:step>/", tour.tour_page, name="tour_page"),
    path("account/email/", accounts.Email.as_view(), name="account_email"),
    path("account/password/", accounts.ChangePassword.as_view(), name="account_password"),
    path("account/password/", accounts.ChangePassword.as_view(), name="account_change_password"),  # as allauth calls it
    path("account/again/", accounts.ConfirmPassword.as_view(), name="account_reauthenticate"),
    path("account/again/code/", accounts.SecondStepAgain.as_view(), name="mfa_reauthenticate"),
    path("account/steps/", second_step, name="mfa_index"),
    path("account/steps/on/", accounts.Activate.as_view(), name="mfa_activate_totp"),
    path("account/steps/off/", deactivate_totp, name="mfa_deactivate_totp"),
    path("account/steps/codes/", view_recovery_codes, name="mfa_view_recovery_codes"),
    path("account/steps/codes/new/", generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("account/sessions/", list_usersessions, name="usersessions_list"),
    path("account/news/", news.news, name="news"),
    path("account/news/<id:pk>/test/", news.news_test, name="news_test"),
    path("account/news/<id:pk>/again/", news.news_again, name="news_again"),
    path("account/news/<id:pk>/end/", news.news_end, name="news_end"),
    path("account/tokens/", accounts.token_new, name="account_token_new"),
    path("account/tokens/delete/", accounts.tokens_delete, name="account_tokens_delete"),
    path("account/tokens/<slug:start>/delete/", accounts.token_delete, name="account_token_delete"),
    path("people/", people.accounts, name="accounts"),
    path("people/invite/", people.invite, name="account_invite"),
    path("people/invitations/<id:pk>/revoke/", people.invitation_revoke, name="invitation_revoke"),
    path("people/<id:pk>/role/", people.account_role, name="account_role"),
    path("people/<id:pk>/close/", people.account_close, name="account_close"),
    path("people/<id:pk>/reopen/", people.account_reopen, name="account_reopen"),
    path("people/<id:pk>/reset/", people.account_reset, name="account_reset"),
    path("people/<id:pk>/one-step/", people.account_one_step, name="account_one_step"),
    path("people/links/<id:pk>/show/", people.link_show, name="link_show"),
]

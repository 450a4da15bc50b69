from django.contrib.auth import views as auth
from django.urls import path
from django.views.generic import TemplateView

page = TemplateView.as_view(template_name="judging/home.html")
urlpatterns = [
    path("", page, name="home"),
    path("studies/", page, name="studies"),
    path("collections/", page, name="collections"),
    path("account/", page, name="account"),
    path("login/", auth.LoginView.as_view(template_name="judging/login.html"), name="account_login"),
    path("logout/", auth.LogoutView.as_view(), name="account_logout"),
]

from django.urls import path
from django.views.generic import TemplateView

urlpatterns = [path("reports/", TemplateView.as_view(template_name="metrics/reports.html"), name="reports")]

from django.urls import path

from judging.views import enquiries

urlpatterns = [
    path("judge/<id:study_id>/questions/", enquiries.enquiries, name="enquiries"),
    path("studies/<id:pk>/enquiries/", enquiries.study_enquiries, name="study_enquiries"),
    path("studies/<id:pk>/enquiries/<id:enquiry_pk>/reply/", enquiries.enquiry_reply, name="enquiry_reply"),
]

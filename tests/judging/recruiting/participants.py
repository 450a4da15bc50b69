"""What tests do as a marketplace's participants: come by a channel's address, agree, judge."""

from uuid import uuid4

from django.urls import reverse

from judging.recruiting import channels, invites
from judging.work import assignment
from judging.work.answers import Answer, record_judgement

PID, STUDY_ID, SESSION = "5f8c2a1b3d4e5f6a7b8c9d0e", "60aa11bb22cc33dd44ee55ff", "61bb22cc33dd44ee55ff66aa"
CODES = {
    "completed_code": "CDONE1", "screened_out_code": "CSCREEN", "no_consent_code": "CNOCONS", "failed_check_code": "CFAILED",
}  # fmt: skip
COMPLETE = "https://app.prolific.com/submissions/complete?cc="


def address(channel, participant=PID, submission=SESSION, **more):
    names = channels.parameters_of(channel)
    parameters = dict(zip(names, [participant, STUDY_ID, submission], strict=True)) | more
    pairs = "&".join(f"{name}={value}" for name, value in parameters.items() if value is not None)
    return f"{reverse('follow_channel', args=[invites.token_of(channel)])}?{pairs}"


def arrive(client, channel, **ids):
    return client.get(address(channel, **ids), follow=True)


def agree(client, channel, **ids):
    arrive(client, channel, **ids)
    return client.post(reverse("arrived"), {"agree": "1"})


def judge(worker, *, all_of_it=False):
    while slots := assignment.next_slots(worker):
        record_judgement(worker=worker, item=slots[0].item, answer=Answer(key=uuid4(), grade=1, milliseconds=6000))
        if not all_of_it:
            break


def text(response):
    return response.content.decode()


def hidden(page, name):
    return page.split(f'name="{name}" value="')[1].split('"')[0]


def signed(worker):
    from django.http import HttpRequest, HttpResponse

    from judging.recruiting.identity import remember_worker

    response = HttpResponse()
    remember_worker(HttpRequest(), response, worker)
    return response.cookies[f"worker-{worker.study_id}"].value

"""What each address that changes something, or gives evidence away, leaves in the audit, or why nothing.

A page that takes a POST, or a writing method of the API, that is in none of the tables fails the test. What is sent along stands
at the end of the line.
"""

from base64 import b64encode

import pytest
from django.test import Client
from django.urls import resolve

from tests.routes import LINES, content_type, methods, undone
from tests.world import clicked, compared, experiments, logged, wim, world  # noqa: F401

SAFE = {"GET", "HEAD", "OPTIONS", "TRACE"}

LEAVE = """
POST /account/tokens/                                        access       name=notebook&days=90
POST /account/tokens/{start}/delete/                         access
POST /account/tokens/delete/                                 access
POST /studies/{draft}/launch/                                launched,invited
POST /studies/{draft}/delete/                                deleted
POST /studies/grow/                                          changed       study={running}&documents=2+d2
POST /studies/{running}/additions/{addition}/take-back/      changed
POST /studies/{running}/pause/                               paused
POST /studies/{running}/close/                               closed
POST /studies/{running}/archive/                             archived
POST /account/news/                                          access       kind=webhook&url=https://hooks.example/&events=report_ready
POST /account/news/{subscription}/end/                       access
POST /studies/{running}/people/                              access       person=wim&role=judge
POST /studies/{running}/people/hand-over/                    access       person=sid&sure=on
POST /collections/{collection}/people/                       access       person=sid&role=researcher
POST /verdicts/{hypothesis}/people/                          access       person=wim&role=reader
POST /studies/{running}/invites/                             invited       label=friends
POST /studies/{running}/invites/{invite}/revoke/             revoked
POST /studies/{running}/channels/new/prolific/               invited       label=two
POST /studies/{running}/channels/{channel}/                  changed       label=two
POST /studies/{running}/channels/{channel}/revoke/           revoked
POST /studies/{running}/arrivals/{arrival}/erase/            erased
POST /studies/{running}/arrivals/{arrival}/readmit/          invited
POST /studies/{running}/open-call/                           changed       open_call=on
POST /studies/{running}/results/settle/                      settled
POST /studies/{running}/questions/credible/settle/           settled
GET  /studies/{running}/questions/credible/qrels.trec        exported
POST /studies/{running}/machines/{machine}/settle/           settled
POST /studies/{running}/training/                            checked       topic=2&docno=d1&right=1
POST /studies/{running}/training/{practised}/explain/        checked       item-{practised}-right=2
POST /studies/{running}/workers/{worker}/                    excluded      standing=blocked&reason=slow
POST /studies/{running}/workers/{excluded}/lift/{exclusion}/  lifted
POST /studies/{running}/items/act/                           changed       action=votes&all=1&confirmed=1&votes=4
POST /studies/{running}/workers/act/  excluded  action=exclude&row={worker}&confirmed=1&standing=blocked&reason=x
POST /studies/{running}/workers/act/                         lifted        action=back&keys={excluded}&confirmed=1
POST /studies/{running}/workers/act/                         written       action=message&keys={worker}&confirmed=1&text=Thanks
POST /studies/{running}/adjudicate/{item}/                   adjudged      grade=2
POST /studies/{running}/adjudicate/{settled_item}/withdraw/  adjudged
POST /studies/{running}/adjudicate/experts/                  access        names=wim
POST /studies/{running}/enquiries/{enquiry}/reply/           replied       reply=The+broad+one
POST /studies/{running}/checks/                              changed       gold_every=7&pass_mark=0.5
POST /studies/{running}/checks/take/                         checked       qrels={wider}&role=gold&count=1&leeway=0
POST /studies/{running}/checks/attention/                    checked       count=1
POST /studies/{draft}/checks/own/                            checked       pair={topic}+{document}&grade=1&role=gold
POST /studies/{running}/checks/{check}/withdraw/             checked
POST /studies/{running}/rules/                               ruled         signal=run&threshold=25&least=25&action=warned
POST /studies/{running}/rules/{rule}/end/                    ruled
POST /collections/{bare}/delete/                             deleted
POST /collections/{collection}/pages/{page}/stop/            access
POST /collections/topics/{topic}/tags/                       changed       tags=hard
POST /collections/attachments/{attachment}/remove/           changed
POST /collections/attachments/{removed_attachment}/put-back/  changed
POST /collections/{collection}/images/                       deleted       images={image}
POST /collections/runs/{loose_run}/delete/                   deleted
POST /collections/qrels/{wider}/delete/                      deleted
POST /sites/new/                                             access        name=Other
POST /sites/{site}/settings/  changed  name=Shop&slug=shop&first_ordinal=1&keep_days=9&keep_quarantine_days=9&rotate_days=9
POST /sites/{site}/keys/                                     access        label=two
POST /sites/{site}/keys/{write_key}/revoke/                  access
POST /sites/{site}/quarantine/replay/                        replayed
POST /sites/{site}/bots/                                     changed       agents=owl&save=1
POST /sites/{site}/erase/                                    erased        client_id=c1&confirm=1
GET  /sites/{site}/export/                                   exported
GET  /sites/{clicked}/clicks/ranks.csv                       exported
POST /sites/{bare_site}/delete/                              deleted
POST /verdicts/{hypothesis}/share/                           invited       days=30
POST /reports/{report}/share/                                invited       days=7
POST /reports/links/{shared_link}/revoke/                    revoked
POST /experiments/{experiment_draft}/start/                  launched
POST /experiments/{experiment}/stop/                         closed
POST /experiments/{experiment_draft}/delete/                 deleted
GET  /studies/{running}/export/judgements.csv                exported
GET  /studies/{running}/export/qrels.trec                    exported
GET  /studies/{compared}/preferences/votes.csv               exported
GET  /studies/{running}/arrivals.csv                         exported
POST /studies/{running}/pay/bonuses/{bonus}/withdraw/        paid
GET  /studies/{running}/pay/workers.csv                      exported
GET  /studies/{running}/pay/bonuses.csv?source=prolific&what=bonuses  exported
GET  /studies/{running}/machines/{machine}/grades.csv        exported
GET  /collections/qrels/{qrels}/grades.csv                   exported

POST   /api/v1/tokens/                                       access       {"name": "notebook"}
POST   /api/v1/tokens/revoke-all/                            access
DELETE /api/v1/tokens/{start}/                               access
DELETE /api/v1/collections/{bare}/                           deleted
POST   /api/v1/collections/{collection}/pages/{page}/stop/   access
PATCH  /api/v1/collections/{collection}/topics/{topic}/      changed       {"tags": ["hard"]}
DELETE /api/v1/collections/{collection}/topics/{topic}/attachments/{attachment}/  changed
POST   /api/v1/collections/{collection}/topics/{topic}/attachments/{removed_attachment}/put-back/  changed
DELETE /api/v1/collections/{collection}/images/{image}/      deleted
DELETE /api/v1/runs/{loose_run}/                             deleted
DELETE /api/v1/qrels/{wider}/                                deleted
GET    /api/v1/qrels/{qrels}/download/                       exported
DELETE /api/v1/studies/{draft}/                              deleted
PATCH  /api/v1/studies/{running}/                            changed       {"open_call": true, "members": ["rita", "sid"]}
POST   /api/v1/studies/{draft}/launch/                       launched
POST   /api/v1/studies/{running}/items/                      changed       {"items": [{"topic": "2", "docno": "d2"}]}
POST   /api/v1/studies/{running}/votes/                      changed       {"items": ["1"], "votes": 4}
DELETE /api/v1/studies/{running}/additions/{addition}/       changed
POST   /api/v1/studies/{running}/pause/                      paused
POST   /api/v1/studies/{running}/close/                      closed
POST   /api/v1/studies/{running}/archive/                    archived
POST   /api/v1/studies/{running}/settle/                     settled
POST   /api/v1/studies/{running}/machines/{machine}/settle/  settled
POST   /api/v1/studies/{running}/workers/{worker}/exclusions/  excluded    {"standing": "blocked", "reason": "slow"}
POST   /api/v1/studies/{running}/workers/{excluded}/exclusions/{exclusion}/lift/  lifted
POST   /api/v1/studies/{running}/enquiries/{enquiry}/reply/  replied       {"reply": "The broad one"}
POST   /api/v1/studies/{running}/checks/                     checked  {"role": "gold", "topic": "2", "docno": "d1", "right": [0]}
POST   /api/v1/studies/{running}/checks/attention/           checked       {"count": 1}
POST   /api/v1/studies/{running}/checks/take/                checked       {"qrels": {wider}, "role": "gold", "count": 1}
POST   /api/v1/studies/{running}/checks/{check}/withdraw/    checked
GET    /api/v1/studies/{running}/machines/{machine}/download/  exported
POST   /api/v1/studies/{running}/invites/                    invited       {"label": "friends"}
POST   /api/v1/studies/{running}/invites/{invite}/revoke/    revoked
POST   /api/v1/verdicts/{hypothesis}/links/                  invited       {"days": 30}
POST   /api/v1/reports/{report}/links/                       invited       {"days": 7}
DELETE /api/v1/links/{shared_link}/                          revoked
POST   /api/v1/studies/{running}/channels/                   invited       {"source": "prolific"}
PATCH  /api/v1/studies/{running}/channels/{channel}/         changed       {"webhook_secret": "hush"}
POST   /api/v1/studies/{running}/channels/{channel}/revoke/  revoked
POST   /api/v1/studies/{running}/rules/                      ruled         {"signal": "run", "threshold": 25, "action": "warned"}
POST   /api/v1/studies/{running}/rules/{rule}/end/           ruled
GET    /api/v1/studies/{running}/arrivals/?ids=true          exported
GET    /api/v1/studies/{running}/arrivals/{arrival}/?ids=true  exported
POST   /api/v1/studies/{running}/arrivals/{arrival}/erase/   erased
GET    /api/v1/studies/{running}/judgements/download/        exported
GET    /api/v1/studies/{compared}/preferences/download/      exported
POST   /api/v1/studies/{running}/bonuses/{bonus}/withdraw/   paid
POST   /api/v1/sites/                                        access        {"name": "Other"}
PATCH  /api/v1/sites/{site}/                                 changed,access  {"keep_days": 9, "readers": ["sid"]}
DELETE /api/v1/sites/{bare_site}/                            deleted
POST   /api/v1/sites/{site}/keys/                            access        {"label": "two"}
POST   /api/v1/sites/{site}/keys/{write_key}/revoke/         access
POST   /api/v1/sites/{site}/quarantine/replay/               replayed
POST   /api/v1/sites/{site}/erase/                           erased        {"client_id": "c1"}
DELETE /api/v1/experiments/{experiment_draft}/               deleted
POST   /api/v1/experiments/{experiment_draft}/start/         launched
POST   /api/v1/experiments/{experiment}/stop/                closed
"""

# What cannot be done in this world, and where else it is shown.
ELSEWHERE = """
POST /account/password/                                      access: tests/judging/accounts/test_tokens.py
POST /studies/{running}/languages/                           changed: tests/judging/text/test_study_translations.py
POST /people/invite/                                          access: tests/judging/accounts/test_people.py
POST /people/invitations/{invitation}/revoke/                 access: tests/judging/accounts/test_people.py
POST /people/{person}/role/                                   access: tests/judging/accounts/test_people.py
POST /people/{person}/reset/                                  access: tests/judging/accounts/test_people.py
POST /people/links/{asked}/show/                              access: tests/judging/accounts/test_people.py
POST /people/{person}/close/                                 access: tests/judging/accounts/test_people.py
POST /people/{person}/reopen/                                access: tests/judging/accounts/test_people.py
POST /people/{person}/one-step/                              access: tests/judging/accounts/test_second_step.py
POST /signup/                                                access: tests/judging/accounts/test_people.py
POST /password/1-wrong/                                      access: tests/judging/accounts/test_people.py
POST /studies/{running}/people/{person}/remove/                 access: tests/judging/accounts/test_memberships.py
POST /studies/{running}/checks/promote/                      checked: tests/judging/accounts/test_audit.py
POST /verdicts/new/                                          changed: tests/metrics/verdict/test_verdict.py
GET  /verdicts/{hypothesis}/bundle.zip                       exported: tests/metrics/verdict/test_verdict.py
POST /collections/topics/{topic}/attachments/                changed: tests/judging/collections/test_attachments.py
POST /api/v1/collections/{collection}/topics/{topic}/attachments/  changed: tests/judging/collections/test_attachments.py
POST /collections/{collection}/edit/                         access: tests/judging/collections/test_collection_pages.py
PATCH /api/v1/collections/{collection}/                      access: tests/judging/api/test_collections.py
POST /collections/{collection}/systems/                      changed: tests/judging/collections/test_systems.py
POST /sites/{site}/systems/                                  changed: tests/judging/collections/test_systems.py
POST /api/v1/verdicts/                                       changed: tests/metrics/verdict/test_verdict.py
GET  /api/v1/verdicts/{hypothesis}/bundle/                   exported: tests/metrics/verdict/test_verdict.py
POST /api/v1/collections/{collection}/systems/               changed: tests/judging/collections/test_systems.py
POST /studies/{running}/rules/copy/                          ruled: tests/judging/rules/test_rule_pages.py
POST /studies/{compared}/marks/settle/                       settled: tests/metrics/preferences/test_measure.py
POST /studies/{running}/pay/bonuses/                         paid: tests/judging/pay/test_earnings.py
POST /sites/{clicked}/clicks/grades/keep/                    settled: tests/metrics/logs/test_clicks_as_grades.py
POST /api/v1/studies/{running}/bonuses/                      paid: tests/judging/pay/test_earnings.py
POST /api/v1/studies/{running}/checks/promote/               checked: tests/judging/api/test_checks.py
POST /api/v1/studies/{running}/resume/                       resumed: tests/judging/accounts/test_audit.py
POST /api/v1/studies/{running}/restore/                      restored: tests/judging/accounts/test_audit.py
"""

NOTHING = """
POST /healthz                                                says how it is
POST /administration/tasks/{parked}/again/                   the log says who; what it does was asked for before
POST /administration/tasks/{parked}/give-up/                 as trying again
POST /demo/enter/                                            signing in
POST /login/                                                 signing in
POST /logout/                                                signing out
POST /login/code/                                            signing in
POST /login/inactive/                                        nothing to send
POST /password/                                              asking; the link is noted when it is shown
POST /password/asked/                                        nothing to send
POST /password/changed/                                      nothing to send
POST /confirm/asked/                                         nothing to send
POST /confirm/wrong/                                         one's own address
POST /account/email/                                         one's own address
POST /account/again/                                         one's own password, once more
POST /account/again/code/                                    as above
POST /account/steps/                                         nothing to send
POST /account/steps/on/                                      one's own second step
POST /account/steps/off/                                     as above
POST /account/steps/codes/                                   as above
POST /account/steps/codes/new/                               as above
POST /account/news/{subscription}/test/                      what is sent stands on the page
POST /account/news/{subscription}/again/                     as above
POST /account/sessions/                                      one's own browsers
POST /account/                                               one's own name
POST /tour/                                                  a reader's choice
POST /language/                                              a reader's choice
POST /search/{search}/privacy/                               a visitor's choice
POST /search/{search}/doc/?docno=d1                          records are evidence themselves

POST /join/                                                  workers' acts are evidence themselves
POST /arrive/                                                as joining
POST /arrive/again/{readmission}/                            the making of the link is in it
POST /hooks/{channel}/                                       a marketplace's message, kept as a notice
POST /open/{running}/                                        as joining
POST /judge/{running}/                                       as joining
POST /judge/{running}/answers/{item}/                        as joining
POST /judge/{running}/leave/                                 as joining
POST /judge/{running}/questions/                             a question is no deed; its reply is one
POST /judge/{running}/warning/                               as joining

POST /studies/{running}/training/{practised}/move/           the order of practice says nothing of grades
POST /studies/{running}/quality/again/                       computed, and can be computed again
POST /studies/{compared}/preferences/again/                  as above
POST /studies/{running}/items/                               which documents come first says nothing of their grades
POST /studies/{running}/rules/apply/                         what rules do is written down with each worker
POST /studies/new/                                           a draft binds nobody
POST /studies/begin/                                         a draft binds nobody
POST /studies/{draft}/edit/                                  a draft binds nobody
POST /collections/new/                                       who made it, and when, stands with it
POST /collections/{collection}/add/                          who made it, and when, stands with it
POST /collections/{collection}/add/confirm/                  as above
POST /collections/{collection}/uploads/                      who made it, and when, stands with it
PUT  /collections/uploads/{upload}/chunk/                    as above
POST /collections/uploads/{upload}/finish/                   as above
POST /collections/uploads/{upload}/cancel/                   as above
POST /sites/{site}/test/                                     records are evidence themselves
POST /sites/{site}/experiments/new/                          a draft binds nobody
POST /experiments/{experiment_draft}/edit/                   a draft binds nobody
POST /experiments/{experiment}/copy/                         a draft binds nobody
POST /experiments/{experiment}/report/again/                 computed, and can be computed again
POST /sites/{clicked}/clicks/again/                          as above
POST /collections/{collection}/near-duplicates/              computed, and can be computed again
POST /collections/{collection}/own-runs/                     as above
POST /verdicts/{hypothesis}/again/                           as above
POST /reports/new/                                           as above
POST /reports/usual/                                         as above
POST /reports/{report}/retry/                                as above
POST /reports/{report}/newest/                               as above
POST /reports/{report}/delete/                               as above

POST   /api/v1/collections/                                  who made it, and when, stands with it
POST   /api/v1/runs/                                         who made it, and when, stands with it
POST   /api/v1/qrels/                                        who made it, and when, stands with it
POST   /api/v1/sites/{clicked}/clicks/                       computed, and can be computed again
POST   /api/v1/uploads/                                      who made it, and when, stands with it
DELETE /api/v1/uploads/{upload}/                             as above
PUT    /api/v1/uploads/{upload}/chunk/                       as above
POST   /api/v1/uploads/{upload}/finish/                      as above
POST   /api/v1/uploads/{upload}/confirm/                     as above
POST   /api/v1/studies/{running}/quality/                    computed, and can be computed again
POST   /api/v1/studies/{compared}/preferences/               as above
POST   /api/v1/verdicts/{hypothesis}/again/                  as above
POST   /api/v1/studies/{running}/first/                      which documents come first says nothing of their grades
POST   /api/v1/studies/{running}/rules/apply/                what rules do is written down with each worker
POST   /api/v1/studies/{running}/rules/preview/              changes nothing
POST   /api/v1/studies/                                      a draft binds nobody
POST   /api/v1/log/                                          records are evidence themselves
POST   /api/v1/log/queries/                                  as above
POST   /api/v1/log/events/                                   as above
POST   /api/v1/interleavings/                                as above
POST   /api/v1/experiments/                                  a draft binds nobody
PATCH  /api/v1/experiments/{experiment_draft}/               a draft binds nobody
POST   /api/v1/experiments/{experiment}/report/              computed, and can be computed again
POST   /api/v1/work/invitation/                              looking
POST   /api/v1/work/join/                                    workers' acts are evidence themselves
POST   /api/v1/work/{running}/next/                          as above
POST   /api/v1/work/{running}/answer/                        as above
POST   /api/v1/work/{running}/enquiries/                     a question is no deed; its reply is one
POST   /api/v1/work/{running}/leave/                         as above
POST   /api/v1/collections/{collection}/near-duplicates/     computed, and can be computed again
POST   /api/v1/collections/{collection}/own-runs/            as above
POST   /api/v1/reports/                                      as above
DELETE /api/v1/reports/{report}/                             as above
POST   /api/v1/reports/{report}/retry/                       as above
POST   /api/v1/reports/{report}/newest/                      as above
"""


def lines(table):
    return [line.split(maxsplit=3) for line in table.splitlines() if line.strip()]


@pytest.fixture
def things(world, collection, researcher, stranger, admin):  # noqa: F811
    """The world, and what nothing was built on."""
    import polars as pl

    from judging.collections.storage import store_qrels, store_run
    from judging.models import Collection, Site, Token

    ranking = pl.DataFrame({"topic": ["1"], "docno": ["d1"], "score": [1.0]})
    wider = pl.DataFrame({"topic": ["1", "2", "2", "1"], "docno": ["d3", "d1", "d2", "d5"], "grade": [0, 0, 1, 1]})
    return {
        **world,
        "bare_site": Site.objects.create(name="Bare", slug="bare", owner=researcher).pk,
        "bare": Collection.objects.create(name="Bare", owner=researcher).pk,
        "loose_run": store_run(ranking, collection=collection, name="loose", by=researcher).pk,
        "wider": store_qrels(wider, collection=collection, name="wider", by=researcher).pk,
        "start": Token.objects.create(user=researcher, name="old")[0].token_key,
    }


def test_it_leaves_what_the_table_says(things, researcher, subtests):
    rita = Client()
    rita.force_login(researcher)
    for method, path, deeds, *sent in lines(LEAVE):
        with subtests.test(f"{method} {path}"):
            body = sent[0] if sent else ""
            # No format: JSON has braces of its own.
            for name in ("wider", "practised", "running", "image", "topic", "document", "worker", "excluded"):
                body = body.replace(f"{{{name}}}", str(things[name]))
            status, left = attempt(rita, method, path.format(**things), body)
            assert [deed for deed, _ in left] == deeds.split(","), f"{status} {left}"
            assert {by for _, by in left} == {researcher.pk}


def attempt(client, method, address, body):
    """The status, and the entries that were left; all is undone."""
    from judging.models import AuditEntry

    basic = b64encode(b"rita:a long enough password").decode()
    before = AuditEntry.objects.count()
    with undone():
        response = client.generic(
            method,
            address,
            body,
            content_type=content_type(method, address),
            **({"HTTP_AUTHORIZATION": f"Basic {basic}"} if address == "/api/v1/tokens/" else {}),
        )
        if response.streaming:
            b"".join(response.streaming_content)
        left = list(AuditEntry.objects.order_by("id").values_list("deed", "by")[before:])
    return response.status_code, left


@pytest.mark.slow
def test_every_address_that_writes_is_in_a_table(things, admin):
    ada = Client(raise_request_exception=False)
    ada.force_login(admin)
    listed = {}
    for method, path, *_ in lines(LEAVE + ELSEWHERE + NOTHING):
        listed.setdefault(resolve(path.format(**things).split("?")[0]).route, set()).add(method)
    missing = []
    for _, path, *_ in LINES:
        address = path.format(**things).split("?")[0]
        route = resolve(address).route
        callback = resolve(address).func
        writing = methods(callback) - SAFE if address.startswith("/api/") else pages_methods(ada, address)
        missing += [f"{verb} {route}" for verb in sorted(writing - listed.get(route, set()))]
    assert sorted(set(missing)) == []


def pages_methods(client, address):
    """What a page takes besides reading, by what it says to a method that there is not."""
    with undone():
        response = client.generic("BREW", address)
    allowed = set(response.headers.get("Allow", "POST").split(", "))
    return {"POST"} & allowed or allowed - SAFE

"""Every address of the site and every method of the API, with what five people get there.

A route that is not in the table fails a test, and so does a line without a route. To add one, write a line: method, path with
the names of the world (world.py) in braces, then what each of the five gets. 302 leads to the sign-in page or onward; what is
not yours is 404. Nothing is sent along, so 400 means “let in, but said nothing”.
"""

from contextlib import contextmanager

from django.db import transaction
from django.urls import URLResolver

# Wim works in the running study with an account; Sid researches, but nothing here is his; Rita owns it all; Ada is admin.
PEOPLE = ["nobody", "wim", "sid", "rita", "ada"]

PAGES = """
GET  /healthz                                                200 200 200 200 200
GET  /metrics                                                404 404 404 404 404
GET  /readyz                                                 503 503 503 503 503
GET  /docs/                                                  200 200 200 200 200
GET  /docs/how-to/backup/                                    200 200 200 200 200
GET  /administration/                                        302 404 404 404 200
POST /administration/tasks/{parked}/again/                   302 404 404 404 302
POST /administration/tasks/{parked}/give-up/             302 404 404 404 302
GET  /                                                       200 200 200 200 200
POST /demo/enter/                                            404 404 404 404 404
GET  /login/                                                 200 302 302 302 302
POST /tour/                                                  302 404 400 400 400
GET  /tour/1/                                                302 404 302 302 302
POST /logout/                                                302 302 302 302 302
GET  /login/code/                                            302 302 302 302 302
GET  /login/inactive/                                        200 200 200 200 200
GET  /signup/                                                200 302 302 302 302
GET  /invited/{invited}/                                     302 302 302 302 302
GET  /password/                                              200 200 200 200 200
GET  /password/asked/                                        200 200 200 200 200
GET  /password/changed/                                      200 200 200 200 200
GET  /password/1-wrong/                                      200 200 200 200 200
GET  /confirm/asked/                                         200 200 200 200 200
GET  /confirm/wrong/                                         200 200 200 200 200
GET  /account/email/                                         302 200 200 200 200
POST /account/email/                                         302 302 302 302 302
GET  /account/again/                                         302 200 200 200 200
GET  /account/again/code/                                    302 302 302 302 302
GET  /account/steps/                                         302 200 200 200 200
GET  /account/steps/on/                                      302 302 302 302 302
GET  /account/steps/off/                                     302 404 404 404 404
GET  /account/steps/codes/                                   302 404 404 404 404
GET  /account/steps/codes/new/                               302 302 302 302 302
GET  /account/news/                                          302 404 200 200 200
POST /account/news/                                          302 404 422 422 422
POST /account/news/{subscription}/test/                      302 404 404 302 404
POST /account/news/{subscription}/again/                     302 404 404 302 404
POST /account/news/{subscription}/end/                       302 404 404 302 404
GET  /account/sessions/                                      302 200 200 200 200
GET  /people/                                                302 404 404 404 200
POST /people/invite/                                         302 404 404 404 422
POST /people/invitations/{invitation}/revoke/                302 404 404 404 302
POST /people/{person}/role/                                  302 404 404 404 302
POST /people/{person}/close/                                 302 404 404 404 302
POST /people/{person}/reopen/                                302 404 404 404 302
POST /people/{person}/reset/                                 302 404 404 404 200
POST /people/{person}/one-step/                              302 404 404 404 302
POST /people/links/{asked}/show/                             302 404 404 404 200
GET  /account/                                               302 200 200 200 200
POST /account/                                               302 200 200 200 200
GET  /account/password/                                      302 200 200 200 200
POST /account/tokens/                                        302 422 422 422 422
POST /account/tokens/delete/                                 302 302 302 302 302
POST /account/tokens/ireval_12345678/delete/                 302 302 302 302 302

POST /language/                                              302 302 302 302 302
GET  /join/                                                  404 404 404 404 404
GET  /join/{token}/                                          302 302 302 302 302
GET  /arrive/                                                404 404 404 404 404
GET  /arrive/{address}/                                      302 302 302 302 302
GET  /arrive/{address}/by-hand/                              400 400 400 400 400
GET  /arrive/again/{readmission}/                            200 200 200 200 200
POST /hooks/{channel}/                                       403 403 403 403 403
GET  /search/                                                302 302 302 302 302
GET  /search/{search}/                                       200 200 200 200 200
GET  /search/{search}/privacy/                               200 200 200 200 200
GET  /search/{search}/doc/?docno=d1                          200 200 200 200 200
GET  /open/                                                  302 200 200 200 200
GET  /open/{running}/                                        302 302 404 404 404
GET  /judge/{running}/                                       404 200 404 404 404
POST /judge/{running}/                                       404 400 404 404 404
GET  /judge/{running}/ahead/                                 404 200 404 404 404
GET  /judge/{running}/back/                                  404 302 404 404 404
GET  /judge/{running}/answers/                               404 200 404 404 404
GET  /judge/{running}/answers/{answered}/                    404 200 404 404 404
GET  /judge/{running}/result/{answered}/left/0/              404 404 404 404 404
GET  /judge/{running}/images/{image}/                        404 200 404 404 404
GET  /judge/{running}/attachments/{attachment}/              404 200 404 404 404
GET  /judge/{running}/instructions/                          404 200 404 404 404
POST /judge/{running}/leave/                                 404 302 404 404 404
GET  /judge/{running}/questions/                             404 200 404 404 404
POST /judge/{running}/questions/                             404 422 404 404 404
GET  /judge/{running}/work/                                  404 200 404 404 404
POST /judge/{running}/warning/                               404 302 404 404 404

GET  /studies/                                               302 200 200 200 200
GET  /studies/new/                                           302 200 200 200 200
GET  /studies/new/?collection={collection}                   302 404 404 200 200
GET  /studies/{draft}/                                       302 404 404 200 200
GET  /studies/{running}/                                     302 404 404 200 200
GET  /studies/{draft}/edit/                                  302 404 404 200 200
GET  /studies/{draft}/languages/                             302 404 404 200 200
GET  /studies/{running}/languages/?language=de               302 404 404 200 200
GET  /studies/{draft}/delete/                                302 404 404 200 200
POST /studies/{draft}/delete/                                302 404 404 302 302
GET  /studies/{draft}/preview/                               302 404 404 200 200
GET  /studies/{draft}/launch/                                302 404 404 200 200
POST /studies/begin/                                         302 404 404 404 404
POST /studies/grow/                                          302 404 404 404 404
GET  /studies/{running}/people/                              302 404 404 200 200
POST /studies/{running}/people/                              302 404 404 422 422
POST /studies/{running}/people/{person}/remove/                 302 404 404 404 404
POST /studies/{running}/people/hand-over/                    302 404 404 422 422
GET  /collections/{collection}/people/                       302 404 404 200 200
POST /collections/{collection}/people/                       302 404 404 422 422
GET  /sites/{site}/people/                                   302 404 404 200 200
POST /sites/{site}/people/hand-over/                         302 404 404 422 422
GET  /verdicts/{hypothesis}/people/                          302 404 404 200 200
POST /verdicts/{hypothesis}/people/                          302 404 404 422 422
POST /verdicts/{hypothesis}/people/hand-over/                302 404 404 422 422
GET  /reports/{report}/people/                               302 404 404 200 200
POST /reports/{report}/people/{person}/remove/                  302 404 404 404 404
POST /studies/{running}/pause/                               302 404 404 302 302
POST /studies/{running}/invites/                             302 404 404 302 302
POST /studies/{running}/invites/{invite}/revoke/             302 404 404 302 302
GET  /studies/{running}/channels/new/prolific/               302 404 404 200 200
GET  /studies/{running}/channels/{channel}/                  302 404 404 200 200
POST /studies/{running}/channels/{channel}/revoke/           302 404 404 302 302
GET  /studies/{running}/arrivals/                            302 404 404 200 200
GET  /studies/{running}/arrivals.csv                         302 404 404 200 404
GET  /studies/{running}/arrivals/{arrival}/erase/            302 404 404 200 200
GET  /studies/{running}/arrivals/{arrival}/readmit/          302 404 404 200 200
POST /studies/{running}/open-call/                           302 404 404 302 302
GET  /studies/{running}/additions/{addition}/take-back/      302 404 404 200 200
POST /studies/{running}/additions/{addition}/take-back/      302 404 404 302 302
GET  /studies/{running}/stopping/                            302 404 404 200 200
GET  /studies/{running}/results/                             302 404 404 200 200
POST /studies/{running}/results/settle/                      302 404 404 302 302
GET  /studies/{running}/questions/                           302 404 404 200 200
POST /studies/{running}/questions/credible/settle/           302 404 404 302 302
GET  /studies/{running}/questions/credible/qrels.trec        302 404 404 200 200
GET  /studies/{running}/workers/{worker}/                    302 404 404 200 200
POST /studies/{running}/workers/{excluded}/lift/{exclusion}/  302 404 404 302 302
GET  /studies/{running}/enquiries/                           302 404 404 200 200
POST /studies/{running}/enquiries/{enquiry}/reply/           302 404 404 422 422
GET  /studies/{running}/first/                               302 404 404 301 301
GET  /studies/{running}/items/                               302 404 404 200 200
POST /studies/{running}/items/                               302 404 404 422 422
POST /studies/{running}/items/act/                           302 404 404 404 404
GET  /studies/{compared}/items/                              302 404 404 404 404
GET  /studies/{running}/workers/                             302 404 404 200 200
GET  /studies/{compared}/workers/                            302 404 404 200 200
POST /studies/{running}/workers/act/                         302 404 404 404 404
GET  /studies/{running}/adjudicate/                          302 404 404 200 200
GET  /studies/{compared}/adjudicate/                         302 404 404 404 404
GET  /studies/{running}/adjudicate/{item}/                   302 404 404 200 200
POST /studies/{running}/adjudicate/{item}/                   302 404 404 422 422
POST /studies/{running}/adjudicate/{settled_item}/withdraw/  302 404 404 302 302
POST /studies/{running}/adjudicate/experts/                  302 404 404 302 302
GET  /studies/{running}/checks/                              302 404 404 200 200
GET  /studies/{compared}/checks/                             302 404 404 200 200
POST /studies/{compared}/checks/take/                        302 404 404 200 200
POST /studies/{compared}/checks/attention/                   302 404 404 404 404
GET  /studies/{compared}/training/                           302 404 404 200 200
GET  /studies/{draft}/checks/own/                            302 404 404 200 200
POST /studies/{draft}/checks/own/                            302 404 404 302 302
POST /studies/{running}/checks/take/                         302 404 404 200 200
POST /studies/{running}/checks/promote/                      302 404 404 200 200
POST /studies/{running}/checks/attention/                    302 404 404 200 200
POST /studies/{running}/checks/{check}/withdraw/             302 404 404 302 302
GET  /studies/{running}/rules/                               302 404 404 200 200
POST /studies/{running}/rules/                               302 404 404 422 422
POST /studies/{running}/rules/apply/                         302 404 404 302 302
POST /studies/{running}/rules/copy/                          302 404 404 302 302
POST /studies/{running}/rules/{rule}/end/                    302 404 404 302 302
GET  /studies/{running}/training/                            302 404 404 200 200
POST /studies/{running}/training/                            302 404 404 422 422
POST /studies/{running}/training/{practised}/explain/        302 404 404 422 422
POST /studies/{running}/training/{practised}/move/           302 404 404 302 302
GET  /studies/{running}/quality/                             302 404 404 200 200
GET  /studies/{compared}/quality/                            302 404 404 404 404
GET  /studies/{compared}/preferences/                        302 404 404 200 200
GET  /studies/{running}/preferences/                         302 404 404 404 404
POST /studies/{compared}/preferences/again/                  302 404 404 302 302
GET  /studies/{compared}/preferences/topics/                 302 404 404 200 200
GET  /studies/{compared}/preferences/topics/{topic}/         302 404 404 200 200
GET  /studies/{compared}/preferences/measure/                302 404 404 200 200
GET  /studies/{compared}/preferences/workers/                302 404 404 200 200
GET  /studies/{compared}/preferences/interactions/           302 404 404 200 200
GET  /studies/{compared}/preferences/votes.csv               302 404 404 200 200
GET  /studies/{running}/preferences/votes.csv                302 404 404 404 404
POST /studies/{compared}/marks/settle/                       302 404 404 302 302
GET  /studies/{compared}/judgements/                         302 404 404 200 200
GET  /studies/{compared}/                                    302 404 404 200 200
GET  /studies/{compared}/results/                            302 404 404 302 302
GET  /studies/{running}/quality/items/                       302 404 404 200 200
GET  /studies/{running}/quality/workers/                     302 404 404 200 200
GET  /studies/{running}/quality/systems/                     302 404 404 200 200
POST /studies/{running}/quality/again/                       302 404 404 302 302
GET  /studies/{running}/quality/items.csv                    302 404 404 200 200
GET  /studies/{running}/pay/                                 302 404 404 200 200
GET  /studies/{running}/pay/workers.csv                      302 404 404 200 200
GET  /studies/{running}/pay/bonuses.csv?source=prolific&what=bonuses  302 404 404 200 404
POST /studies/{running}/pay/bonuses/                         302 404 404 422 422
POST /studies/{running}/pay/bonuses/{bonus}/withdraw/        302 404 404 302 302
GET  /studies/{running}/judgements/                          302 404 404 200 200
GET  /studies/{running}/export/judgements.csv                302 404 404 200 200
GET  /studies/{running}/machines/                            302 404 404 200 200
GET  /studies/{running}/machines/{machine}/grades.csv        302 404 404 200 200
POST /studies/{running}/machines/{machine}/settle/           302 404 404 302 302
GET  /studies/{running}/history/                             302 404 404 200 200
GET  /studies/{running}/history.csv                          302 404 404 200 200
GET  /audit/                                                 302 404 404 404 200
GET  /audit.csv                                              302 404 404 404 200
GET  /studies/{running}/export/qrels.trec                    302 404 404 200 200

GET  /collections/                                           302 200 200 200 200
GET  /collections/new/                                       302 404 200 200 200
GET  /collections/{collection}/                              302 404 404 200 200
GET  /collections/{collection}/edit/                         302 404 404 200 200
GET  /collections/{collection}/delete/                       302 404 404 200 200
POST /collections/{collection}/pages/{page}/stop/            302 404 404 302 302
GET  /collections/{collection}/systems/                      302 404 404 200 200
GET  /collections/{collection}/topics/                       302 404 404 200 200
GET  /collections/{collection}/documents/                    302 404 404 200 200
GET  /collections/{collection}/near-duplicates/              302 404 404 200 200
POST /collections/{collection}/near-duplicates/              302 404 404 302 302
POST /collections/{collection}/own-runs/                     302 404 404 302 302
GET  /collections/topics/{topic}/                            302 404 404 200 200
GET  /collections/topics/{topic}/tags/                       302 404 404 200 200
GET  /collections/topics/{topic}/attachments/                302 404 404 200 200
POST /collections/topics/{topic}/attachments/                302 404 404 422 422
GET  /collections/attachments/{attachment}/                  302 404 404 200 200
POST /collections/attachments/{attachment}/remove/           302 404 404 302 302
POST /collections/attachments/{attachment}/put-back/         302 404 404 302 302
GET  /collections/documents/{document}/                      302 404 404 200 200
GET  /collections/{collection}/images/                       302 404 404 200 200
POST /collections/{collection}/images/                       302 404 404 302 302
GET  /collections/images/{image}/                            302 404 404 200 200
GET  /collections/runs/{run}/                                302 404 404 200 200
GET  /collections/runs/{run}/ranking/?topic=1                302 404 404 200 200
GET  /collections/runs/{run}/delete/                         302 404 404 200 200
GET  /collections/qrels/{qrels}/                             302 404 404 200 200
GET  /collections/qrels/{qrels}/delete/                      302 404 404 200 200
GET  /collections/qrels/{qrels}/grades.csv                   302 404 404 200 200
GET  /collections/{collection}/add/                          302 404 404 200 200
POST /collections/{collection}/add/confirm/                  302 404 404 302 302
POST /collections/{collection}/uploads/                      302 404 404 400 400
GET  /collections/uploads/{upload}/                          302 404 404 200 200
GET  /collections/uploads/{upload}/state/                    302 404 404 200 200
PUT  /collections/uploads/{upload}/chunk/?offset=0           302 404 404 200 200
POST /collections/uploads/{upload}/finish/                   302 404 404 409 409
POST /collections/uploads/{upload}/cancel/                   302 404 404 302 302

GET  /sites/                                                 302 200 200 200 200
GET  /sites/new/                                             302 404 200 200 200
GET  /sites/{site}/                                          302 404 404 200 200
GET  /sites/{site}/systems/                                  302 404 404 200 200
POST /sites/{site}/test/                                     302 404 404 302 302
GET  /sites/{site}/records/                                  302 404 404 200 200
GET  /sites/{site}/records/{record}/                         302 404 404 200 200
GET  /sites/{site}/quarantine/                               302 404 404 200 200
POST /sites/{site}/quarantine/replay/                        302 404 404 302 302
GET  /sites/{site}/settings/                                 302 404 404 200 200
POST /sites/{site}/keys/                                     302 404 404 302 302
GET  /sites/{site}/keys/{write_key}/revoke/                  302 404 404 200 200
GET  /sites/{site}/bots/                                     302 404 404 200 200
POST /sites/{site}/erase/                                    302 404 404 422 422
GET  /sites/{site}/export/                                   302 404 404 200 200
GET  /sites/{site}/delete/                                   302 404 404 200 200
GET  /sites/{clicked}/clicks/                                302 404 404 200 200
POST /sites/{clicked}/clicks/again/                          302 404 404 302 302
GET  /sites/{clicked}/clicks/query/?q=diet+of+owls           302 404 404 200 200
GET  /sites/{clicked}/clicks/grades/                         302 404 404 200 200
POST /sites/{clicked}/clicks/grades/keep/                    302 404 404 302 302
GET  /sites/{clicked}/clicks/ranks.csv                       302 404 404 200 200
GET  /sites/{site}/clicks/ranks.csv                          302 404 404 404 404

GET  /experiments/                                           302 200 200 200 200
GET  /sites/{site}/experiments/                              302 404 404 200 200
GET  /sites/{site}/experiments/new/                          302 404 404 200 200
GET  /experiments/{experiment}/                              302 404 404 200 200
GET  /experiments/{experiment_draft}/edit/                   302 404 404 200 200
GET  /experiments/{experiment_draft}/start/                  302 404 404 200 200
GET  /experiments/{experiment}/stop/                         302 404 404 200 200
POST /experiments/{experiment}/copy/                         302 404 404 302 302
GET  /experiments/{experiment_draft}/delete/                 302 404 404 200 200
GET  /experiments/{experiment}/report/                       302 404 404 200 200
POST /experiments/{experiment}/report/again/                 302 404 404 302 302
GET  /experiments/{experiment}/report/report.json            302 404 404 404 404

GET  /verdicts/                                              302 200 200 200 200
GET  /verdicts/new/                                          302 200 200 200 200
GET  /verdicts/{hypothesis}/                                 302 404 404 200 200
GET  /verdicts/{hypothesis}/topic/                           302 404 404 404 404
POST /verdicts/{hypothesis}/again/                           302 404 404 302 302
POST /verdicts/{hypothesis}/share/                           302 404 404 302 302
GET  /verdicts/{hypothesis}/bundle.zip                       302 404 404 302 302

GET  /reports/                                               302 200 200 200 200
GET  /reports/measures/                                      302 200 200 200 200
GET  /reports/new/?collection={collection}                   302 404 404 200 200
POST /reports/usual/                                         302 404 404 404 404
GET  /reports/{report}/                                      302 404 404 200 200
GET  /reports/{report}/curves/                               302 404 404 200 200
GET  /reports/{report}/topic/?topic=1                        302 404 404 200 200
GET  /reports/{report}/differences/                          302 404 404 200 200
GET  /reports/{report}/tags/                                 302 404 404 200 200
GET  /reports/{report}/agreement/                            302 404 404 200 200
GET  /reports/{report}/next/                                 302 404 404 200 200
GET  /reports/{report}/next.csv                              302 404 404 409 409
POST /reports/{report}/share/                                302 404 404 302 302
POST /reports/links/{shared_link}/revoke/                    302 404 404 302 302
GET  /shared/{shared}/                                       200 200 200 200 200
GET  /shared/{shared}/figure.svg                             200 200 200 200 200
POST /reports/{report}/retry/                                302 404 404 302 302
POST /reports/{report}/newest/                               302 404 404 302 302
POST /reports/{report}/delete/                               302 404 404 302 302
GET  /reports/{report}/download/means.csv                    302 404 404 200 200
GET  /reports/{report}/trec/{qrels}/{run}                    302 404 404 200 200
"""

API = """
GET    /api/v1/schema/                                       200 200 200 200 200
GET    /api/v1/docs/                                         200 200 200 200 200
GET    /api/v1/users/me/                                     401 200 200 200 200
GET    /api/v1/tokens/                                       401 200 200 200 200
POST   /api/v1/tokens/                                       401 401 401 401 401
POST   /api/v1/tokens/revoke-all/                            401 204 204 204 204
DELETE /api/v1/tokens/ireval_12345678/                       401 404 404 404 404

GET    /api/v1/collections/                                  401 200 200 200 200
POST   /api/v1/collections/                                  401 403 400 400 400
GET    /api/v1/collections/{collection}/                     401 404 404 200 200
PATCH  /api/v1/collections/{collection}/                     401 404 404 200 200
DELETE /api/v1/collections/{collection}/                     401 404 404 409 409
GET    /api/v1/collections/{collection}/systems/             401 404 404 200 200
POST   /api/v1/collections/{collection}/systems/             401 404 404 400 400
GET    /api/v1/collections/{collection}/topics/              401 404 404 200 200
GET    /api/v1/collections/{collection}/topics/{topic}/      401 404 404 200 200
PATCH  /api/v1/collections/{collection}/topics/{topic}/      401 404 404 200 200
GET    /api/v1/collections/{collection}/topics/{topic}/attachments/  401 404 404 200 200
POST   /api/v1/collections/{collection}/topics/{topic}/attachments/  401 404 404 400 400
GET    /api/v1/collections/{collection}/topics/{topic}/attachments/{attachment}/  401 404 404 200 200
DELETE /api/v1/collections/{collection}/topics/{topic}/attachments/{attachment}/  401 404 404 204 204
POST   /api/v1/collections/{collection}/topics/{topic}/attachments/{attachment}/put-back/  401 404 404 200 200
GET    /api/v1/collections/{collection}/topics/{topic}/attachments/{attachment}/file/  401 404 404 200 200
GET    /api/v1/collections/{collection}/images/              401 404 404 200 200
GET    /api/v1/collections/{collection}/images/{image}/      401 404 404 200 200
DELETE /api/v1/collections/{collection}/images/{image}/      401 404 404 204 204
GET    /api/v1/collections/{collection}/images/{image}/file/  401 404 404 200 200
GET    /api/v1/collections/{collection}/documents/           401 404 404 200 200
GET    /api/v1/collections/{collection}/documents/{document}/  401 404 404 200 200
GET    /api/v1/collections/{collection}/near-duplicates/     401 404 404 200 200
POST   /api/v1/collections/{collection}/near-duplicates/     401 404 404 201 201
GET    /api/v1/collections/{collection}/near-duplicates/{duplicates}/  401 404 404 200 200
GET    /api/v1/collections/{collection}/own-runs/            401 404 404 200 200
POST   /api/v1/collections/{collection}/own-runs/            401 404 404 201 201
GET    /api/v1/collections/{collection}/own-runs/{own_run}/  401 404 404 200 200
GET    /api/v1/collections/{collection}/pages/               401 404 404 200 200
POST   /api/v1/collections/{collection}/pages/{page}/stop/   401 404 404 204 204
GET    /api/v1/runs/                                         401 200 200 200 200
POST   /api/v1/runs/                                         401 403 400 400 400
GET    /api/v1/runs/{run}/                                   401 404 404 200 200
DELETE /api/v1/runs/{run}/                                   401 404 404 409 409
GET    /api/v1/runs/{run}/download/                          401 404 404 200 200
GET    /api/v1/qrels/                                        401 200 200 200 200
POST   /api/v1/qrels/                                        401 403 400 400 400
GET    /api/v1/qrels/{qrels}/                                401 404 404 200 200
DELETE /api/v1/qrels/{qrels}/                                401 404 404 409 409
GET    /api/v1/qrels/{qrels}/download/                       401 404 404 200 200
GET    /api/v1/uploads/                                      401 200 200 200 200
POST   /api/v1/uploads/                                      401 403 400 400 400
GET    /api/v1/uploads/{upload}/                             401 404 404 200 200
DELETE /api/v1/uploads/{upload}/                             401 404 404 204 204
PUT    /api/v1/uploads/{upload}/chunk/?offset=0              401 404 404 200 200
POST   /api/v1/uploads/{upload}/finish/                      401 404 404 409 409
POST   /api/v1/uploads/{upload}/confirm/                     401 404 404 409 409

GET    /api/v1/studies/                                      401 200 200 200 200
POST   /api/v1/studies/                                      401 403 400 400 400
GET    /api/v1/studies/{draft}/                              401 404 404 200 200
PATCH  /api/v1/studies/{draft}/                              401 404 404 200 200
DELETE /api/v1/studies/{draft}/                              401 404 404 204 204
GET    /api/v1/studies/{draft}/plan/                         401 404 404 200 200
GET    /api/v1/studies/{running}/stopping/                   401 404 404 409 409
POST   /api/v1/studies/{draft}/launch/                       401 404 404 200 200
POST   /api/v1/studies/{running}/pause/                      401 404 404 200 200
POST   /api/v1/studies/{running}/resume/                     401 404 404 200 200
POST   /api/v1/studies/{running}/close/                      401 404 404 200 200
POST   /api/v1/studies/{running}/archive/                    401 404 404 200 200
POST   /api/v1/studies/{running}/restore/                    401 404 404 200 200
GET    /api/v1/studies/{running}/progress/                   401 404 404 200 200
POST   /api/v1/studies/{running}/items/                      401 404 404 400 400
GET    /api/v1/studies/{running}/additions/                  401 404 404 200 200
GET    /api/v1/studies/{running}/additions/{addition}/       401 404 404 200 200
DELETE /api/v1/studies/{running}/additions/{addition}/       401 404 404 200 200
POST   /api/v1/studies/{running}/first/                      401 404 404 400 400
POST   /api/v1/studies/{running}/votes/                      401 404 404 400 400
GET    /api/v1/studies/{running}/questions/                  401 404 404 200 200
POST   /api/v1/studies/{running}/settle/                     401 404 404 201 201
GET    /api/v1/studies/{running}/invites/                    401 404 404 200 200
POST   /api/v1/studies/{running}/invites/                    401 404 404 201 201
GET    /api/v1/studies/{running}/invites/{invite}/           401 404 404 200 200
POST   /api/v1/studies/{running}/invites/{invite}/revoke/    401 404 404 200 200
GET    /api/v1/studies/{running}/channels/                   401 404 404 200 200
POST   /api/v1/studies/{running}/channels/                   401 404 404 400 400
GET    /api/v1/studies/{running}/channels/{channel}/         401 404 404 200 200
PATCH  /api/v1/studies/{running}/channels/{channel}/         401 404 404 200 200
POST   /api/v1/studies/{running}/channels/{channel}/revoke/  401 404 404 200 200
GET    /api/v1/studies/{running}/rules/                      401 404 404 200 200
POST   /api/v1/studies/{running}/rules/                      401 404 404 400 400
POST   /api/v1/studies/{running}/rules/preview/              401 404 404 400 400
POST   /api/v1/studies/{running}/rules/apply/                401 404 404 202 202
GET    /api/v1/studies/{running}/rules/{rule}/               401 404 404 200 200
POST   /api/v1/studies/{running}/rules/{rule}/end/           401 404 404 200 200
GET    /api/v1/studies/{running}/arrivals/                   401 404 404 200 200
GET    /api/v1/studies/{running}/arrivals/{arrival}/         401 404 404 200 200
POST   /api/v1/studies/{running}/arrivals/{arrival}/erase/   401 404 404 200 200
GET    /api/v1/studies/{running}/workers/                    401 404 404 200 200
GET    /api/v1/studies/{running}/workers/{worker}/           401 404 404 200 200
GET    /api/v1/studies/{running}/quality/                    401 404 404 200 200
POST   /api/v1/studies/{running}/quality/                    401 404 404 202 202
GET    /api/v1/studies/{running}/quality/download/           401 404 404 200 200
GET    /api/v1/studies/{compared}/preferences/               401 404 404 200 200
GET    /api/v1/studies/{running}/preferences/                401 404 404 404 404
POST   /api/v1/studies/{compared}/preferences/               401 404 404 202 202
GET    /api/v1/studies/{compared}/preferences/answers/       401 404 404 200 200
GET    /api/v1/studies/{compared}/preferences/download/      401 404 404 200 200
GET    /api/v1/studies/{running}/pay/                        401 404 404 200 200
GET    /api/v1/studies/{running}/bonuses/                    401 404 404 200 200
POST   /api/v1/studies/{running}/bonuses/                    401 404 404 400 400
GET    /api/v1/studies/{running}/bonuses/{bonus}/            401 404 404 200 200
POST   /api/v1/studies/{running}/bonuses/{bonus}/withdraw/   401 404 404 200 200
GET    /api/v1/studies/{running}/judgements/                 401 404 404 200 200
GET    /api/v1/studies/{running}/workers/{excluded}/exclusions/  401 404 404 200 200
POST   /api/v1/studies/{running}/workers/{excluded}/exclusions/  401 404 404 400 400
GET    /api/v1/studies/{running}/workers/{excluded}/exclusions/{exclusion}/  401 404 404 200 200
POST   /api/v1/studies/{running}/workers/{excluded}/exclusions/{exclusion}/lift/  401 404 404 200 200
GET    /api/v1/studies/{running}/enquiries/                  401 404 404 200 200
GET    /api/v1/studies/{running}/enquiries/{enquiry}/        401 404 404 200 200
POST   /api/v1/studies/{running}/enquiries/{enquiry}/reply/  401 404 404 400 400
GET    /api/v1/studies/{running}/checks/                     401 404 404 200 200
POST   /api/v1/studies/{running}/checks/                     401 404 404 400 400
GET    /api/v1/studies/{compared}/checks/                    401 404 404 200 200
POST   /api/v1/studies/{compared}/checks/take/               401 404 404 400 400
POST   /api/v1/studies/{compared}/checks/promote/            401 404 404 404 404
POST   /api/v1/studies/{running}/checks/take/                401 404 404 400 400
POST   /api/v1/studies/{running}/checks/promote/             401 404 404 400 400
POST   /api/v1/studies/{running}/checks/attention/           401 404 404 400 400
GET    /api/v1/studies/{running}/checks/{check}/             401 404 404 200 200
POST   /api/v1/studies/{running}/checks/{check}/withdraw/    401 404 404 204 204
GET    /api/v1/studies/{running}/machines/                   401 404 404 200 200
GET    /api/v1/studies/{running}/machines/{machine}/         401 404 404 200 200
GET    /api/v1/studies/{running}/machines/{machine}/download/  401 404 404 200 200
POST   /api/v1/studies/{running}/machines/{machine}/settle/  401 404 404 201 201
GET    /api/v1/studies/{running}/history/                    401 404 404 200 200
GET    /api/v1/studies/{running}/judgements/download/        401 404 404 200 200

GET    /api/v1/verdicts/                                     401 200 200 200 200
POST   /api/v1/verdicts/                                     401 403 400 400 400
GET    /api/v1/verdicts/{hypothesis}/                        401 404 404 200 200
POST   /api/v1/verdicts/{hypothesis}/again/                  401 404 404 202 202
GET    /api/v1/verdicts/{hypothesis}/bundle/                 401 404 404 409 409
GET    /api/v1/verdicts/{hypothesis}/links/                  401 404 404 200 200
POST   /api/v1/verdicts/{hypothesis}/links/                  401 404 404 400 400

GET    /api/v1/sites/                                        401 200 200 200 200
POST   /api/v1/sites/                                        401 403 400 400 400
GET    /api/v1/sites/{site}/                                 401 404 404 200 200
PATCH  /api/v1/sites/{site}/                                 401 404 404 200 200
DELETE /api/v1/sites/{site}/                                 401 404 404 409 409
GET    /api/v1/sites/{site}/keys/                            401 404 404 200 200
POST   /api/v1/sites/{site}/keys/                            401 404 404 201 201
POST   /api/v1/sites/{site}/keys/{write_key}/revoke/         401 404 404 200 200
GET    /api/v1/sites/{site}/records/                         401 404 404 200 200
GET    /api/v1/sites/{site}/quarantine/                      401 404 404 200 200
POST   /api/v1/sites/{site}/quarantine/replay/               401 404 404 200 200
POST   /api/v1/sites/{site}/erase/                           401 404 404 400 400
GET    /api/v1/sites/{clicked}/clicks/                       401 404 404 200 200
POST   /api/v1/sites/{clicked}/clicks/                       401 404 404 202 202

POST   /api/v1/log/                                          401 401 401 401 401
POST   /api/v1/log/queries/                                  401 401 401 401 401
POST   /api/v1/log/events/                                   401 401 401 401 401
GET    /api/v1/assignments/                                  401 401 401 401 401
POST   /api/v1/interleavings/                                401 401 401 401 401
GET    /api/v1/experiments/                                  401 200 200 200 200
POST   /api/v1/experiments/                                  401 403 400 400 400
GET    /api/v1/experiments/{experiment}/                     401 404 404 200 200
PATCH  /api/v1/experiments/{experiment_draft}/               401 404 404 200 200
DELETE /api/v1/experiments/{experiment_draft}/               401 404 404 204 204
POST   /api/v1/experiments/{experiment_draft}/start/         401 404 404 200 200
POST   /api/v1/experiments/{experiment}/stop/                401 404 404 200 200
GET    /api/v1/experiments/{experiment}/report/              401 404 404 200 200
POST   /api/v1/experiments/{experiment}/report/              401 404 404 202 202
GET    /api/v1/experiments/{experiment}/report/download/     401 404 404 409 409
GET    /api/v1/work/                                         401 200 200 200 200
POST   /api/v1/work/invitation/                              401 400 400 400 400
POST   /api/v1/work/join/                                    401 400 400 400 400
GET    /api/v1/work/open/                                    401 200 200 200 200
GET    /api/v1/work/{running}/                               401 200 404 404 404
POST   /api/v1/work/{running}/next/                          401 200 404 404 404
POST   /api/v1/work/{running}/answer/                        401 400 404 404 404
GET    /api/v1/work/{running}/judgements/                    401 200 404 404 404
GET    /api/v1/work/{running}/enquiries/                     401 200 404 404 404
POST   /api/v1/work/{running}/enquiries/                     401 400 404 404 404
POST   /api/v1/work/{running}/leave/                         401 204 404 404 404

GET    /api/v1/measures/                                     401 200 200 200 200
GET    /api/v1/reports/                                      401 200 200 200 200
POST   /api/v1/reports/                                      401 403 400 400 400
GET    /api/v1/reports/all/                                  401 200 200 200 200
GET    /api/v1/reports/{report}/                             401 404 404 200 200
DELETE /api/v1/reports/{report}/                             401 404 404 204 204
GET    /api/v1/reports/{report}/agreement/                   401 404 404 200 200
GET    /api/v1/reports/{report}/curves/                      401 404 404 200 200
GET    /api/v1/reports/{report}/differences/                 401 404 404 200 200
GET    /api/v1/reports/{report}/download/                    401 404 404 200 200
POST   /api/v1/reports/{report}/retry/                       401 404 404 409 409
POST   /api/v1/reports/{report}/newest/                      401 404 404 409 409
GET    /api/v1/reports/{report}/next/                        401 404 404 409 409
GET    /api/v1/reports/{report}/links/                       401 404 404 200 200
POST   /api/v1/reports/{report}/links/                       401 404 404 400 400
DELETE /api/v1/links/{shared_link}/                          401 404 404 204 204
GET    /api/v1/reports/{report}/values/                      401 404 404 200 200
"""

LINES = [line.split() for line in (PAGES + API).splitlines() if line.strip()]


@contextmanager
def undone():
    """For a request after which everything is as it was, also where it insists on committing by itself."""
    block = transaction.atomic()
    block._from_testcase = True
    with block:
        yield
        transaction.set_rollback(True)


def content_type(method, address):
    return "application/json" if address.startswith("/api/") and method != "PUT" else "application/x-www-form-urlencoded"


def all_routes(resolver, before=""):
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern).removeprefix("^" if before else "")  # as resolve() writes it
        if isinstance(pattern, URLResolver):
            yield from all_routes(pattern, route)
        else:
            yield route, pattern.callback


def methods(callback):
    """Of an endpoint of the API, what it answers; of a page, nothing: its table lines say what matters."""
    allowed = set(getattr(getattr(callback, "cls", None), "http_method_names", []))
    return {method.upper() for method in getattr(callback, "actions", None) or {} if method in allowed} - {"HEAD"}

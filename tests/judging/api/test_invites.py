from judging.models import Invite


def test_a_link_leads_in_until_it_is_revoked(rita, client, running):
    address = f"/api/v1/studies/{running.pk}/invites/"
    made = rita.post(address, {"label": "class of 2026"})
    assert made.status_code == 201
    link = made.json()["link"]
    assert client.get(link).status_code == 302
    invite_address = f"{address}{made.json()['id']}/"
    assert rita.get(invite_address).json()["link"] == link
    revoked = rita.post(f"{invite_address}revoke/").json()
    assert revoked["link"] is None
    assert revoked["revoked"]
    assert client.get(link).status_code == 404
    assert rita.get(address).json()["results"][0]["label"] == "class of 2026"


def test_a_link_is_given_as_the_outside_has_to_write_it(rita, running, settings):
    settings.PUBLIC_URL = "https://ireval.example"
    made = rita.post(f"/api/v1/studies/{running.pk}/invites/").json()
    assert made["link"].startswith("https://ireval.example/join/")


def test_the_table_holds_no_token(rita, running):
    link = rita.post(f"/api/v1/studies/{running.pk}/invites/").json()["link"]
    token = link.rstrip("/").rsplit("/", 1)[1]
    row = Invite.objects.values().get()
    assert all(token not in str(value) for value in row.values())


def test_a_draft_has_no_links(rita, study):
    refused = rita.post(f"/api/v1/studies/{study.pk}/invites/", {"label": "x"})
    assert refused.status_code == 409
    assert "Launch" in refused.json()["detail"]


def test_a_stranger_makes_and_revokes_none(rita, sid, running):
    address = f"/api/v1/studies/{running.pk}/invites/"
    invite = rita.post(address).json()["id"]
    assert sid.post(address, {"label": "x" * 500}).status_code == 404, "before the label is looked at"
    assert sid.post(f"{address}{invite}/revoke/").status_code == 404
    assert Invite.objects.get().revoked is None


def test_how_many_came(rita, wim, running):
    address = f"/api/v1/studies/{running.pk}/invites/"
    link = rita.post(address).json()["link"]
    assert wim.post("/api/v1/work/join/", {"link": link, "consent": True}).status_code == 201
    assert rita.get(address).json()["results"][0]["workers"] == 1

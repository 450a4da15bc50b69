"""manage.py load_demo prints a link for those who judge."""

import pytest
from django.core.management import call_command


@pytest.mark.parametrize(
    ("public", "options", "begins"),
    [
        ("", {}, "/join/"),
        ("https://ireval.example", {}, "https://ireval.example/join/"),
        ("", {"site": "http://127.0.0.1:8000/"}, "http://127.0.0.1:8000/join/"),
    ],
)
def test_the_link_that_it_prints_can_be_opened_where_the_address_is_known(db, client, settings, capsys, public, options, begins):
    settings.PUBLIC_URL = public
    call_command("load_demo", **options)
    link = capsys.readouterr().out.split("waits for judges: ")[1].strip()
    assert link.startswith(begins)
    assert client.get(link).status_code == 302

"""manage.py create_user NAME [--researcher | --admin]: make an account and say what to do with it."""

import os
import sys
from getpass import getpass

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from ireval_site.addresses import site_address
from judging.audit import Deed, note
from judging.models import User
from judging.models.user import Role

VARIABLE = "IREVAL_PASSWORD"


class Command(BaseCommand):
    help = f"Make an account. The password is asked for, or read from {VARIABLE} or standard input."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--email", default="")
        role = parser.add_mutually_exclusive_group()
        role.add_argument("--researcher", action="store_true", help="may make collections and launch studies")
        role.add_argument("--admin", action="store_true", help="may do and see everything but participants' ids")

    def handle(self, *, name: str, email: str, researcher: bool, admin: bool, **options) -> None:
        user = User(username=name, email=email)
        user.take_role(role := Role.ADMIN if admin else Role.RESEARCHER if researcher else Role.MEMBER)
        self.refuse_bad(user)
        password = read_password()
        try:
            validate_password(password, user)
        except ValidationError as error:
            raise CommandError("This password won't do. " + " ".join(error.messages)) from None
        user.set_password(password)
        with transaction.atomic():
            user.save()
            note(Deed.ACCESS, f"account {user}, {role}: made on the command line")
        self.stdout.write(f"Made the {role} {name}. {next_step(role)}")

    def refuse_bad(self, user: User) -> None:
        if User.objects.filter(username=user.username).exists():
            raise CommandError(
                f"There is a user {user.username} already. For a new password: manage.py changepassword {user.username}"
            )
        try:
            user.full_clean(exclude=["password"])
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None


def read_password() -> str:
    if VARIABLE in os.environ:
        return os.environ[VARIABLE]
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    password = getpass("Password: ")
    if getpass("The same again: ") != password:
        raise CommandError("The two passwords differ. Nothing was made.")
    return password


def next_step(role: str) -> str:
    url = site_address()
    then = {
        Role.ADMIN: f"Sign in at {url}/login/ and invite the others at {url}/people/",
        Role.RESEARCHER: f"Sign in at {url}/login/ and import a first collection.",
        Role.MEMBER: f"Sign in at {url}/login/, then follow a study's link: what is judged counts for this account.",
    }
    return then[Role(role)]

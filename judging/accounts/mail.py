"""Mail of this installation to single people."""

from smtplib import SMTPRecipientsRefused

from django.core.mail import send_mail


def send(address: str, subject: str, text: str) -> None:
    send_mail(f"ireval: {subject}", text, None, [address])


def is_final(error: OSError) -> bool:
    """Whether the mail server says that the address cannot be, so that trying again is in vain."""
    return isinstance(error, SMTPRecipientsRefused) and all(code >= 500 for code, _ in error.recipients.values())

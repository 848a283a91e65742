"""Messages made up for tests, with LF line ends as they lie in files."""
import email.utils
from datetime import datetime, timedelta, timezone

ANA = "Ana Ruiz <ana@acme.example>"
BOB = "Bob Singh <bob@acme.example>"
MORNING = datetime(2026, 3, 10, 7, 0, tzinfo=timezone(timedelta(hours=1)))


def letter(subject, name=None, sender=BOB, to=ANA, body="Hello.\n", minutes=0, headers=None):
    """`name` is the left side of the Message-ID; `minutes` after seven in the morning of 10 March 2026."""
    date = email.utils.format_datetime(MORNING + timedelta(minutes=minutes))
    message_id = f"<{name or subject.lower().replace(' ', '-')}@test.example>"
    fields = {"From": sender, "To": to, "Subject": subject, "Date": date, "Message-ID": message_id,
              "MIME-Version": "1.0", "Content-Type": "text/plain; charset=utf-8", **(headers or {})}
    head = "".join(f"{field}: {value}\n" for field, value in fields.items() if value is not None)
    return (head + "\n" + body).encode("utf-8", "surrogateescape")


def with_parts(subject, parts, name=None, **options):
    """`parts` are (header lines, body) pairs."""
    message = letter(subject, name, body="".join(f"--=b\n{head}\n\n{body}\n" for head, body in parts) + "--=b--\n",
                     **options)
    plain = b"Content-Type: text/plain; charset=utf-8"
    return message.replace(plain, b'Content-Type: multipart/mixed; boundary="=b"', 1)

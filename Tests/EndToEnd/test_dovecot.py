"""What the other servers must show, on a Dovecot that offers little. What it offers else is in test_sync."""
import unittest
from functools import partial

from followed import Followed
from servers import MailServers
from workplace import Case


class Bare(Followed, Case):
    """What a server of 2003 has: UIDPLUS beside RFC 3501."""

    server = partial(MailServers, smtp=False, capability="IMAP4rev1 UIDPLUS")


if __name__ == "__main__":
    unittest.main()

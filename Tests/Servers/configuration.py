"""The two servers' configuration files, as functions of where they live and which ports are theirs."""

# Addresses with a fixed answer, for tests of refusals.
REFUSALS = """\
/^refused@/  550 5.1.1 no such user here
/^later@/    451 4.3.0 try again later
"""


def dovecot(folder, mail, ports, certificate, password, uid, rootless, capability=None, mechanisms="plain login"):
    """`rootless` is (user, group) when Dovecot runs as an ordinary user: no chroot, no other user.

    `capability` replaces what IMAP announces: a server without MOVE, UIDPLUS or CONDSTORE. `mechanisms` are the
    logins; where OAUTHBEARER or XOAUTH2 is among them, tokens are JWTs checked with the keys in FOLDER/keys.
    """
    announced = f"imap_capability = {capability}\n" if capability else ""
    own = "" if rootless is None else f"""
default_internal_user = {rootless[0]}
default_login_user = {rootless[0]}
default_internal_group = {rootless[1]}
"""
    tokens = "" if not {"oauthbearer", "xoauth2"} & set(mechanisms.split()) else f"""
passdb {{
  driver = oauth2
  mechanisms = oauthbearer xoauth2
  args = {folder}/oauth2.conf
}}
"""
    chroot = "" if rootless is None else "chroot ="
    return f"""\
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
instance_name = opus-test
protocols = imap
listen = 127.0.0.1
{own}
ssl = yes
ssl_cert = <{certificate[0]}
ssl_key = <{certificate[1]}
ssl_min_protocol = TLSv1.2
# Dovecot takes loopback for secure and would allow a login in clear: who tests that a client never does so
# needs a FakeServer.
disable_plaintext_auth = yes
{announced}auth_mechanisms = {mechanisms}
auth_failure_delay = 0
{tokens}passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={uid} home={mail}/%u
}}
first_valid_uid = 500
first_valid_gid = 0
mail_location = maildir:~/
mail_max_userip_connections = 1000
# What clients say after the login, in clear: Tests/EndToEnd/test_zz_transcripts.py reads it.
protocol imap {{
  rawlog_dir = {folder}/rawlog
}}
service imap-login {{
  {chroot}
  # One process for all logins: the tests make thousands.
  service_count = 0
  inet_listener imap {{
    port = {ports["imap"]}
  }}
  inet_listener imaps {{
    port = {ports["imaps"]}
    ssl = yes
  }}
}}
service auth {{
  unix_listener smtp-auth {{
    mode = 0666
  }}
}}
service anvil {{
  {chroot}
  # Without a penalty record a wrong password is answered at once.
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
namespace inbox {{
  inbox = yes
  separator = /
  mailbox Archive {{
    special_use = \\Archive
    auto = subscribe
  }}
  mailbox Drafts {{
    special_use = \\Drafts
    auto = subscribe
  }}
  mailbox Junk {{
    special_use = \\Junk
    auto = subscribe
  }}
  mailbox Sent {{
    special_use = \\Sent
    auto = subscribe
  }}
  mailbox Trash {{
    special_use = \\Trash
    auto = subscribe
  }}
}}
"""


def oauth2(folder):
    """Tokens are checked here, by key, and no server is asked."""
    return f"""\
introspection_mode = local
local_validation_key_dict = fs:posix:prefix={folder}/keys/
username_attribute = sub
"""


def postfix_main(folder, mail, base, certificate, uid):
    # Every domain is a virtual mailbox domain: what has no receiver of its own goes to the user "capture".
    return f"""\
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = localhost
mydestination =
mynetworks =
alias_maps =
local_recipient_maps =
default_transport = discard:
relay_transport = discard:
local_transport = discard:
virtual_mailbox_domains = static:all
virtual_mailbox_base = {mail}
virtual_mailbox_maps = texthash:{folder}/conf/receivers, static:capture/
virtual_minimum_uid = 500
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{uid}
virtual_mailbox_limit = 0
message_size_limit = 20971520
smtpd_tls_cert_file = {certificate[0]}
smtpd_tls_key_file = {certificate[1]}
smtpd_tls_security_level = may
smtpd_tls_protocols = >=TLSv1.2
smtpd_tls_auth_only = yes
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = {base}/dovecot/run/smtp-auth
smtpd_recipient_restrictions = check_recipient_access regexp:{folder}/conf/refusals
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_client_connection_count_limit = 0
smtpd_client_connection_rate_limit = 0
"""


def postfix_master(ports):
    # No smtp, relay or local service: nothing that could leave this machine.
    return f"""\
127.0.0.1:{ports["submission"]} inet n - n - - smtpd -o smtpd_tls_security_level=encrypt
127.0.0.1:{ports["smtps"]} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""

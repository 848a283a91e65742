/// The rows: servers that people have, as they describe themselves.
///
/// COMPRESS, NOTIFY and UTF8=ACCEPT are left out of the lists, since this server cannot do them.
extension DialectProfile {
    public static let all: [DialectProfile] = [
        gmail, outlook, icloud, yahoo, exchange2010, proton, zimbra, qq, netease, courier, cyrus, stalwart,
        dovecot, plain,
    ]

    /// RFC 3501 and nothing else.
    public static let plain = DialectProfile(
        "plain RFC 3501", greeting: "ready", before: "IMAP4rev1 AUTH=PLAIN", after: "IMAP4rev1")

    public static let gmail: DialectProfile = {
        var profile = DialectProfile(
            "gmail", greeting: "Gimap ready for requests from 127.0.0.1 x1mb",
            id: [
                ("name", "GImap"), ("vendor", "Google, Inc."),
                ("support-url", "https://support.google.com/mail"),
            ],
            before: "IMAP4rev1 UNSELECT IDLE NAMESPACE QUOTA ID XLIST CHILDREN X-GM-EXT-1 XYZZY SASL-IR "
                + "AUTH=XOAUTH2 AUTH=PLAIN AUTH=PLAIN-CLIENTTOKEN AUTH=OAUTHBEARER",
            after: "IMAP4rev1 UNSELECT IDLE NAMESPACE QUOTA ID XLIST CHILDREN X-GM-EXT-1 UIDPLUS ENABLE MOVE "
                + "CONDSTORE ESEARCH LIST-EXTENDED LIST-STATUS LITERAL- SPECIAL-USE APPENDLIMIT=35651584",
            mailboxes: [
                ("INBOX", ["\\HasNoChildren"]), ("[Gmail]", ["\\HasChildren", "\\Noselect"]),
                ("[Gmail]/Alle Nachrichten", ["\\All", "\\HasNoChildren"]),
                ("[Gmail]/Entw&APw-rfe", ["\\Drafts", "\\HasNoChildren"]),
                ("[Gmail]/Gesendet", ["\\Sent", "\\HasNoChildren"]),
                ("[Gmail]/Markiert", ["\\Flagged", "\\HasNoChildren"]),
                ("[Gmail]/Papierkorb", ["\\Trash", "\\HasNoChildren"]),
                ("[Gmail]/Spam", ["\\Junk", "\\HasNoChildren"]),
                ("[Gmail]/Wichtig", ["\\Important", "\\HasNoChildren"]),
                ("Projekte", ["\\HasNoChildren"]), ("Caf&AOk- [neu]", ["\\HasNoChildren"]),
            ])
        profile.leavesTextOut = true
        profile.tellsCapabilitiesAtLogin = true
        profile.closesOnMoveToTrash = true
        profile.shufflesCopyUID = true
        return profile
    }()

    public static let outlook: DialectProfile = {
        var profile = DialectProfile(
            "outlook", greeting: "The Microsoft Exchange IMAP4 service is ready. [TQBTAA==]",
            id: [("name", "Microsoft.Exchange.Imap4.Imap4Server"), ("version", "15.20")],
            before:
                "IMAP4 IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2 SASL-IR UIDPLUS ID UNSELECT CHILDREN IDLE NAMESPACE "
                + "LITERAL+",
            after: "IMAP4 IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2 SASL-IR UIDPLUS MOVE ID UNSELECT CHILDREN IDLE "
                + "NAMESPACE LITERAL+",
            mailboxes: [
                ("INBOX", []), ("Archive", []), ("Deleted Items", []), ("Drafts", []), ("Junk Email", []),
                ("Sent Items", []), ("Notes", []),
            ])
        profile.sizeError = 7
        profile.statusEndsInSpace = true
        return profile
    }()

    public static let icloud: DialectProfile = {
        var profile = DialectProfile(
            "icloud", greeting: "[CAPABILITY XAPPLEPUSHSERVICE] (2426B70) iSCREAM ready to rumble",
            id: [("name", "XM-IMAP"), ("vendor", "Apple")],
            before: "XAPPLEPUSHSERVICE IMAP4 IMAP4rev1 SASL-IR AUTH=ATOKEN AUTH=PTOKEN AUTH=PLAIN",
            after: "XAPPLEPUSHSERVICE IMAP4 IMAP4rev1 ACL QUOTA LITERAL+ NAMESPACE UIDPLUS CHILDREN UNSELECT "
                + "ESEARCH SASL-IR ENABLE CONDSTORE QRESYNC ID IDLE MOVE AUTH=ATOKEN",
            mailboxes: [
                ("INBOX", []), ("Archive", ["\\Archive"]), ("Deleted Messages", ["\\Trash"]),
                ("Drafts", ["\\Drafts"]), ("Junk", ["\\Junk"]), ("Sent Messages", ["\\Sent"]), ("Notes", []),
            ])
        profile.saysEnabled = false
        return profile
    }()

    public static let yahoo: DialectProfile = {
        let offered =
            "IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=XOAUTH2 AUTH=OAUTHBEARER ID MOVE NAMESPACE XYMHIGHESTMODSEQ "
            + "UIDPLUS LITERAL+ CHILDREN X-MSG-EXT UNSELECT OBJECTID"
        var profile = DialectProfile(
            "yahoo", greeting: "[CAPABILITY \(offered)] IMAP4rev1 imapgate-1.9.6 imap.mail.yahoo.com",
            id: [("vendor", "Yahoo! Inc."), ("support-url", "http://help.yahoo.com")], before: offered,
            after: offered,
            mailboxes: [
                ("INBOX", []), ("Archive", ["\\Archive"]), ("Bulk", ["\\Junk"]), ("Draft", ["\\Drafts"]),
                ("Sent", ["\\Sent"]), ("Trash", ["\\Trash"]), ("Projekte", []),
            ])
        profile.lineLimit = 1_000
        profile.refusesDescendingSets = true
        profile.unreadable = .refused
        return profile
    }()

    public static let exchange2010 = DialectProfile(
        "exchange2010", greeting: "The Microsoft Exchange IMAP4 service is ready.",
        before: "IMAP4 IMAP4rev1 AUTH=PLAIN CHILDREN IDLE NAMESPACE LITERAL+",
        after: "IMAP4 IMAP4rev1 AUTH=PLAIN CHILDREN IDLE NAMESPACE LITERAL+",
        mailboxes: [
            ("INBOX", []), ("Archive", []), ("Deleted Items", []), ("Drafts", []), ("Junk E-Mail", []),
            ("Sent Items", []),
        ])

    public static let proton: DialectProfile = {
        let offered = "IMAP4rev1 ID IDLE MOVE UIDPLUS UNSELECT LIST-EXTENDED ESEARCH AUTH=PLAIN SASL-IR"
        var profile = DialectProfile(
            "proton", greeting: "[CAPABILITY \(offered)] Proton Mail Bridge 03.10 - gluon session ID 1",
            id: [("name", "gluon"), ("vendor", "Proton"), ("version", "3.10.0")], before: offered,
            after: offered,
            mailboxes: [
                ("INBOX", []), ("Archive", ["\\Archive"]), ("Drafts", ["\\Drafts"]), ("Sent", ["\\Sent"]),
                ("Trash", ["\\Trash"]), ("Spam", ["\\Junk"]), ("All Mail", ["\\All"]), ("Labels/Work", []),
            ])
        profile.refusesExtendedList = true
        profile.refusesExtendedSearch = true
        profile.refusesUIDExpunge = true
        return profile
    }()

    public static let zimbra: DialectProfile = {
        var profile = DialectProfile(
            "zimbra", greeting: "mail.example.com Zimbra IMAP4rev1 server ready",
            id: [("NAME", "Zimbra"), ("VERSION", "8.8.15_GA_4059")],
            before: "ACL BINARY CHILDREN CONDSTORE ENABLE ESEARCH ID IDLE IMAP4rev1 LIST-EXTENDED LITERAL+ "
                + "NAMESPACE QRESYNC SASL-IR UIDPLUS UNSELECT AUTH=PLAIN",
            after:
                "ACL CHILDREN CONDSTORE ENABLE ESEARCH ID IDLE IMAP4rev1 LIST-EXTENDED LIST-STATUS LITERAL+ "
                + "NAMESPACE QRESYNC SASL-IR SEARCHRES UIDPLUS UNSELECT XLIST",
            mailboxes: [
                ("INBOX", []), ("Archive", []), ("Chats", []), ("Drafts", ["\\Drafts"]), ("Junk", ["\\Junk"]),
                ("Sent", ["\\Sent"]), ("Trash", ["\\Trash"]),
            ])
        profile.copyUIDIsUntagged = true
        return profile
    }()

    public static let qq: DialectProfile = {
        var profile = DialectProfile(
            "qq",
            greeting:
                "[CAPABILITY IMAP4 IMAP4rev1 ID AUTH=PLAIN AUTH=LOGIN NAMESPACE] QQMail XMIMAP4Server ready",
            id: [("name", "QQMail"), ("vendor", "Tencent")],
            before: "IMAP4 IMAP4rev1 ID AUTH=PLAIN AUTH=LOGIN NAMESPACE",
            after: "IMAP4 IMAP4rev1 XLIST MOVE IDLE XAPPLEPUSHSERVICE NAMESPACE CHILDREN ID UIDPLUS",
            mailboxes: [
                ("INBOX", []), ("Sent Messages", []), ("Drafts", []), ("Deleted Messages", []), ("Junk", []),
                ("Archive", []),
            ])
        profile.tellsUIDNext = false
        profile.addsSpaceToFetch = true
        profile.refusesDescendingSets = true
        return profile
    }()

    /// 163 and 126.
    public static let netease: DialectProfile = {
        var profile = DialectProfile(
            "netease", greeting: "Coremail System IMap Server Ready(163com)",
            id: [("name", "Coremail Imap"), ("vendor", "Mailtech")],
            before: "IMAP4rev1 XLIST SPECIAL-USE ID LITERAL+ STARTTLS XAPPLEPUSHSERVICE UIDPLUS X-CM-EXT-1",
            after: "IMAP4rev1 XLIST SPECIAL-USE ID LITERAL+ XAPPLEPUSHSERVICE UIDPLUS X-CM-EXT-1",
            mailboxes: [
                ("INBOX", []), ("&g0l6P3ux-", ["\\Drafts"]), ("&XfJT0ZAB-", ["\\Sent"]),
                ("&XfJSIJZk-", ["\\Trash"]), ("&V4NXPpCuTvY-", ["\\Junk"]), ("Archive", []),
            ])
        profile.refusesSelectBeforeID = true
        profile.refusesEmptyID = true
        profile.unreadable = .null
        return profile
    }()

    public static let courier: DialectProfile = {
        let offered = "IMAP4rev1 UIDPLUS CHILDREN NAMESPACE THREAD=REFERENCES SORT QUOTA IDLE ACL ACL2=UNION"
        var profile = DialectProfile(
            "courier", greeting: "[CAPABILITY \(offered) AUTH=PLAIN] Courier-IMAP ready. Copyright 1998-2018",
            before: offered + " AUTH=PLAIN", after: offered,
            mailboxes: [
                ("INBOX", ["\\HasChildren"]), ("INBOX.Archive", ["\\HasNoChildren"]),
                ("INBOX.Drafts", ["\\HasNoChildren"]), ("INBOX.Sent", ["\\HasNoChildren"]),
                ("INBOX.Trash", ["\\HasNoChildren"]), ("INBOX.Junk", ["\\HasNoChildren"]),
                ("INBOX.Archive.2024", ["\\HasNoChildren"]),
            ])
        profile.delimiter = "."
        profile.prefix = "INBOX."
        profile.showsNewMessages = false
        return profile
    }()

    public static let cyrus: DialectProfile = {
        var profile = DialectProfile(
            "cyrus",
            greeting:
                "[CAPABILITY IMAP4rev1 LITERAL+ ID ENABLE AUTH=PLAIN SASL-IR] mail Cyrus IMAP 3.6.1 ready",
            id: [("name", "Cyrus IMAPD"), ("version", "3.6.1")],
            before: "IMAP4rev1 LITERAL+ ID ENABLE AUTH=PLAIN SASL-IR",
            after: "IMAP4rev1 LITERAL+ ID ENABLE ACL QUOTA NAMESPACE UIDPLUS UNSELECT CHILDREN ESEARCH "
                + "SEARCHRES WITHIN CONDSTORE QRESYNC LIST-EXTENDED LIST-STATUS STATUS=SIZE OBJECTID MOVE SPECIAL-USE "
                + "IDLE SASL-IR",
            mailboxes: [
                ("INBOX", []), ("Archive", ["\\Archive"]), ("Drafts", ["\\Drafts"]), ("Junk", ["\\Junk"]),
                ("Sent", ["\\Sent"]), ("Trash", ["\\Trash"]), ("Projekte", []),
            ])
        profile.starHidesVanished = true
        profile.expungesFirst = true
        return profile
    }()

    public static let stalwart: DialectProfile = {
        var profile = DialectProfile(
            "stalwart", greeting: "Stalwart IMAP4rev2 at your service.",
            id: [("name", "Stalwart Server"), ("version", "0.11.0")],
            before: "IMAP4rev2 IMAP4rev1 ENABLE SASL-IR LITERAL+ ID UTF8=ACCEPT JMAPACCESS AUTH=PLAIN",
            after: "IMAP4rev2 IMAP4rev1 ENABLE SASL-IR LITERAL+ ID UNSELECT NAMESPACE UIDPLUS MOVE CONDSTORE "
                + "QRESYNC ESEARCH SEARCHRES LIST-EXTENDED LIST-STATUS SPECIAL-USE IDLE OBJECTID STATUS=SIZE",
            mailboxes: [
                ("INBOX", []), ("Archive", ["\\Archive"]), ("Deleted Items", ["\\Trash"]),
                ("Drafts", ["\\Drafts"]), ("Junk Mail", ["\\Junk"]), ("Sent Items", ["\\Sent"]),
            ])
        profile.goneMove = .no
        profile.splitsFetch = true
        return profile
    }()

    public static let dovecot: DialectProfile = {
        let before = "IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE LITERAL+ AUTH=PLAIN"
        var profile = DialectProfile(
            "dovecot", greeting: "[CAPABILITY \(before)] Dovecot (Debian) ready.",
            id: [("name", "Dovecot")], before: before,
            after: "IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE SORT THREAD=REFS MULTIAPPEND UNSELECT "
                + "CHILDREN NAMESPACE UIDPLUS LIST-EXTENDED I18NLEVEL=1 CONDSTORE QRESYNC ESEARCH ESORT SEARCHRES "
                + "WITHIN CONTEXT=SEARCH LIST-STATUS BINARY MOVE SPECIAL-USE LITERAL+",
            mailboxes: [
                ("INBOX", []), ("Archive", ["\\Archive"]), ("Drafts", ["\\Drafts"]), ("Junk", ["\\Junk"]),
                ("Sent", ["\\Sent"]), ("Trash", ["\\Trash"]), ("Projekte/B&APw-cher", []),
            ])
        profile.tellsCapabilitiesAtLogin = true
        return profile
    }()
}

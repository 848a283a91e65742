import Testing

@testable import IMAPProtocol

/// What a server says of itself, and who it is.
struct ServerRow: Sendable, CustomTestStringConvertible {
    let kind: ServerProfile.Kind
    var greeting = ""
    var capabilities: Set<Capability> = []
    var id: [IDField] = []
    var host = ""

    var testDescription: String { "\(kind.rawValue) by \(host)\(greeting)\(id.first?.value ?? "")" }
}

private func name(_ name: String, _ version: String? = nil) -> [IDField] {
    [IDField(name: "name", value: name), IDField(name: "version", value: version)]
}

@Suite struct ServerProfileTests {
    static let rows: [ServerRow] = [
        ServerRow(kind: .gmail, id: name("GImap")),
        ServerRow(kind: .gmail, capabilities: [.imap4rev1, .gmail]),
        ServerRow(kind: .gmail, greeting: "Gimap ready for requests from 203.0.113.7 5b1f17"),
        ServerRow(kind: .gmail, host: "imap.gmail.com"),
        ServerRow(kind: .outlook, id: name("Microsoft.Exchange.Imap4.Imap4Server", "15.20")),
        ServerRow(
            kind: .outlook, greeting: "The Microsoft Exchange IMAP4 service is ready. [QQBT]",
            host: "outlook.office365.com"),
        ServerRow(
            kind: .outlook, greeting: "The Microsoft Exchange IMAP4 service is ready.",
            capabilities: [Capability("AUTH=XOAUTH2")]),
        ServerRow(kind: .exchange, greeting: "The Microsoft Exchange IMAP4 service is ready."),
        ServerRow(kind: .exchange, id: name("Microsoft.Exchange.Imap4.Imap4Server", "15.0")),
        ServerRow(kind: .icloud, capabilities: [Capability("AUTH=ATOKEN")]),
        ServerRow(kind: .icloud, host: "imap.mail.me.com"),
        ServerRow(kind: .yahoo, capabilities: [Capability("XYMHIGHESTMODSEQ")]),
        ServerRow(kind: .yahoo, greeting: "IMAP4rev1 imapgate-1.8.1_01.20166"),
        ServerRow(kind: .yahoo, host: "imap.aol.com"),
        ServerRow(
            kind: .proton, greeting: "Proton Mail Bridge 03.22.00 - gluon session ID 1", host: "127.0.0.1"),
        ServerRow(kind: .proton, id: name("Proton Mail Bridge")),
        ServerRow(kind: .zimbra, greeting: "mail.example.com Zimbra IMAP4rev1 server ready"),
        ServerRow(kind: .qq, greeting: "QQMail IMAP4Server ready"),
        ServerRow(kind: .netease, greeting: "Coremail System IMap Server Ready(163com[1234])"),
        ServerRow(kind: .courier, greeting: "Courier-IMAP ready. Copyright 1998-2023 Double Precision, Inc."),
        ServerRow(kind: .cyrus, id: name("Cyrus IMAPD", "3.6.1")),
        ServerRow(
            kind: .cyrus, greeting: "mail.example.com Cyrus IMAP 3.6.1-Debian-3.6.1-4+deb12u3 server ready"),
        ServerRow(kind: .stalwart, id: name("Stalwart")),
        ServerRow(kind: .dovecot, greeting: "Dovecot (Debian) ready.", id: name("Dovecot")),
        ServerRow(kind: .domino, greeting: "Domino IMAP4 Server Release 10.0.1FP3 ready"),
        ServerRow(kind: .zoho, host: "imap.zoho.eu"),
        ServerRow(kind: .yandex, greeting: "Yandex IMAP4rev1 at sas1-1.mail.yandex.net:993 ready"),
        ServerRow(kind: .mailRu, host: "imap.mail.ru"),
        ServerRow(kind: .hMailServer, id: name("hMailServer")),
        ServerRow(kind: .purelymail, host: "imap.purelymail.com"),
        ServerRow(
            kind: .davMail,
            greeting: "[CAPABILITY IMAP4REV1 AUTH=LOGIN] IMAP4rev1 DavMail 5.5.1-3299 server ready"),
        ServerRow(kind: .unknown, greeting: "IMAP4 ready", capabilities: [.imap4rev1, .uidPlus]),
        ServerRow(kind: .unknown, greeting: "imap.example.org at your service", id: name("Mailer of my own")),
    ]

    @Test("a server is recognised by its greeting, capabilities and ID", arguments: rows)
    func detect(_ row: ServerRow) {
        let profile = ServerProfile.detect(
            greeting: row.greeting, capabilities: row.capabilities, id: row.id, host: row.host)
        #expect(profile.kind == row.kind)
        #expect(profile == ServerProfile(row.kind))
    }

    @Test("each known server is recognised")
    func complete() {
        #expect(Set(Self.rows.map(\.kind)) == Set(ServerProfile.Kind.allCases))
    }

    @Test("the ID of a server takes precedence over its greeting")
    func order() {
        let profile = ServerProfile.detect(greeting: "proxy for Gimap ready", id: name("Dovecot"))
        #expect(profile.kind == .dovecot)
    }

    @Test("no profile exceeds the limits of its server")
    func bounds() {
        for kind in ServerProfile.Kind.allCases {
            let profile = ServerProfile(kind)
            #expect((1...5).contains(profile.maximumConnections))
            #expect((1...25).contains(profile.pipelineDepth))
            #expect((1_000...8_000).contains(profile.commandLineLimit))
        }
    }

    @Test("profiles turn off what could lose mail")
    func table() {
        #expect(!ServerProfile(.gmail).usesDeletedFlag)
        #expect(ServerProfile(.gmail).sentCopy == .server)
        #expect(!ServerProfile(.icloud).usesQResync)
        #expect(!ServerProfile(.icloud).saysEnabled)
        #expect(ServerProfile(.yahoo).messagesPerMutation == 1)
        #expect(ServerProfile(.yahoo).commandLineLimit == 1_000)
        #expect(!ServerProfile(.proton).uidsAreStable)
        #expect(!ServerProfile(.proton).usesUIDExpunge)
        #expect(!ServerProfile(.courier).showsNewMessages)
        #expect(!ServerProfile(.zoho).usesCondstore)
        #expect(ServerProfile(.netease).requiresID)
        #expect(!ServerProfile(.outlook).sizeIsExact)
        #expect(ServerProfile.standard.usesDeletedFlag && ServerProfile.standard.uidsAreStable)
    }
}

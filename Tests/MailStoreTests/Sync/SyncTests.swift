import Foundation
import MailStore
import Models
import Testing

@Suite struct SyncTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
    }

    @Test("a message is read back as it was written")
    func roundTrip() throws {
        var message = newMessage("m1", uid: 5, subject: "Grüße 🎉", text: "Hello\nworld")
        message.from = [
            EmailAddress(displayName: "Anna, \"the\" <b>", localPart: "Anna.B", domain: "example.org")
        ]
        message.sender = [EmailAddress(localPart: "s", domain: "example.org")]
        message.replyTo = [EmailAddress(localPart: "r", domain: "")]
        message.to = [
            EmailAddress(localPart: "one", domain: "x.org"), EmailAddress(localPart: "two", domain: "x.org"),
        ]
        message.bcc = [EmailAddress(displayName: "", localPart: "", domain: "")]
        message.messageID = MessageID("abc@example.org")
        message.sent = time(900)
        message.headerBlock = [0x53, 0x00, 0xFF, 0x0D, 0x0A]
        message.attachments = [
            Attachment(
                name: "a;b|c.pdf", contentType: "application/pdf", size: 12, section: "2", contentID: ""),
            Attachment(name: "", contentType: "", size: 0, section: "", isInline: true),
        ]
        message.isTruncated = true
        message.exceededLimits = ["tooDeep", "tooManyParts"]
        message.signature = SignatureVerdict(
            .untrusted, signer: "ana@example.org", issuer: "An\u{1F}Authority", reason: "why")
        message.flags = [.seen, .flagged, .draft]
        message.keywords = [Keyword("$Forwarded"), Keyword("work")]
        _ = try store.sync.apply(batch(added: [message]))

        let stored = try #require(try store.messages.detail(of: id("m1")))
        #expect(stored.account == work)
        #expect(stored.fingerprint == "print-m1")
        #expect(stored.subject == message.subject)
        #expect(stored.from == message.from)
        #expect(stored.sender == message.sender)
        #expect(stored.replyTo == message.replyTo)
        #expect(stored.to == message.to)
        #expect(stored.cc == [])
        #expect(stored.bcc == message.bcc)
        #expect(stored.messageID == message.messageID)
        #expect(stored.sent == message.sent)
        #expect(stored.received == message.received)
        #expect(stored.size == 100)
        #expect(stored.headerBlock == message.headerBlock)
        #expect(stored.text == message.text)
        #expect(stored.attachments == message.attachments)
        #expect(stored.isTruncated)
        #expect(stored.exceededLimits == ["tooDeep", "tooManyParts"])
        #expect(
            try store.messages.facts(.ids([id("m1")])).map(\.exceededLimits) == [["tooDeep", "tooManyParts"]])
        let verdict = SignatureVerdict(
            .untrusted, signer: "ana@example.org", issuer: "An\u{FFFD}Authority", reason: "why")
        #expect(stored.signature == verdict)
        #expect(try store.messages.facts(.ids([id("m1")]), including: .text).map(\.signature) == [verdict])
        let place = try #require(stored.places.first)
        #expect(place.key == MessageKey(account: work, mailbox: .inbox, uidValidity: 7, uid: 5))
        #expect(place.flags == message.flags)
        #expect(place.keywords == message.keywords)
    }

    @Test("separators and NULs in foreign text neither cut a field nor start a new one")
    func hostileText() throws {
        var message = newMessage("m1", uid: 1, subject: "be\0fore", text: "visible\0hidden")
        message.from = [EmailAddress(displayName: "a\u{1F}b\u{1E}c\u{1D}\0d", localPart: "x", domain: "y.z")]
        message.attachments = [Attachment(name: "n\u{1F}\0", contentType: "a/b", size: 1, section: "2")]
        _ = try store.sync.apply(batch(added: [message]))

        let stored = try #require(try store.messages.detail(of: id("m1")))
        #expect(stored.subject == "be\u{FFFD}fore")
        #expect(stored.text == "visible\u{FFFD}hidden")
        #expect(stored.from.map(\.displayName) == ["a\u{FFFD}b\u{FFFD}c\u{FFFD}\u{FFFD}d"])
        #expect(stored.attachments.map(\.name) == ["n\u{FFFD}\u{FFFD}"])
        #expect(try store.index.search([SearchTerm(.text, "hidden")], account: nil, limit: 9) == [id("m1")])
    }

    @Test("the outcome of a batch counts what changed")
    func outcome() throws {
        #expect(
            try store.sync.apply(batch(added: [newMessage("a", uid: 1), newMessage("b", uid: 2)]))
                == SyncOutcome(added: 2))
        let second = batch(archive) { $0.placed = [Placement(message: id("a"), uid: 4)] }
        #expect(try store.sync.apply(second) == SyncOutcome(placed: 1))
        #expect(try store.sync.apply(second) == SyncOutcome())
        #expect(try store.sync.apply(batch(added: [newMessage("a", uid: 1)])) == SyncOutcome())
        let third = batch {
            $0.removed = [1, 77]
            $0.flagChanges = [
                MessageMarks(uid: 2, flags: [.seen], keywords: []),
                MessageMarks(uid: 78, flags: [], keywords: []),
            ]
        }
        #expect(try store.sync.apply(third) == SyncOutcome(flagsChanged: 1, removed: 1))
        #expect(try store.sync.apply(third) == SyncOutcome())
        #expect(try store.list() == ["b@2"])
        #expect(try store.list(archive) == ["a@4"])
    }

    @Test("a message with known content gets a place and is not stored twice")
    func sameContent() throws {
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1)]))
        #expect(
            try store.sync.apply(batch(archive, added: [newMessage("a", uid: 3)])) == SyncOutcome(placed: 1))
        #expect(try store.messages.places(of: id("a")).map(\.key.uid) == [1, 3])
        #expect(try store.messages.places(of: id("nobody")) == [])
    }

    @Test("a batch that fails in the middle changes nothing")
    func atomic() throws {
        _ = try store.sync.apply(
            batch(added: [newMessage("a", uid: 1)]) {
                $0.state = MailboxSyncState(uidValidity: 7, uidNext: 2, exists: 1)
            })
        var taken = newMessage("a", uid: 9)
        taken.fingerprint = "other"
        let bad = batch(added: [newMessage("b", uid: 2), taken]) {
            $0.removed = [1]
            $0.state = MailboxSyncState(uidValidity: 7, uidNext: 10, exists: 2)
        }
        #expect(throws: MailStoreError.idTaken(id("a"))) { try store.sync.apply(bad) }
        #expect(try store.list() == ["a@1"])
        #expect(try store.messages.detail(of: id("b")) == nil)
        #expect(try store.index.search([], account: nil, limit: 9) == [id("a")])
        #expect(try store.sync.syncState(of: work, mailbox: .inbox)?.uidNext == 2)

        let unknown = batch { $0.placed = [Placement(message: id("nobody"), uid: 5)] }
        #expect(throws: MailStoreError.unknownMessage(id("nobody"))) { try store.sync.apply(unknown) }
        #expect(try store.integrityCheck() == [])
    }

    @Test("a new UIDVALIDITY removes the places and keeps the messages")
    func reset() throws {
        _ = try store.sync.apply(
            batch(added: [newMessage("a", uid: 1), newMessage("b", uid: 2)]) {
                $0.state = MailboxSyncState(
                    uidValidity: 7, uidNext: 3, highestModSeq: 9, exists: 2, syncedAt: time(5))
            })
        _ = try store.sync.apply(batch(archive, added: [newMessage("c", uid: 1)]))

        let late = batch(validity: 8) { $0.removed = [1] }
        #expect(throws: MailStoreError.uidValidityChanged(mailbox: .inbox, stored: 7, given: 8)) {
            try store.sync.apply(late)
        }
        let known = try store.messages.contents(withHeaders: ["head-b", "head-x"], account: work)
        #expect(known.mapValues { $0.map(\.id) } == ["head-b": [id("b")]])
        _ = try store.sync.apply(
            batch(validity: 8) {
                $0.resetPlacements = true
                $0.placed = [Placement(message: id("b"), uid: 100)]
            })
        #expect(try store.list() == ["b@100"])
        #expect(try store.list(archive) == ["c@1"])
        #expect(try store.messages.detail(of: id("a"))?.places == [])
        #expect(try store.messages.facts(.mailbox(work, .inbox)).map(\.key.uidValidity) == [8])
        #expect(
            try store.sync.syncState(of: work, mailbox: .inbox)
                == MailboxSyncState(uidValidity: 8, uidNext: 1))
    }

    @Test("the state of a mailbox is read back as it was written, with the largest numbers")
    func state() throws {
        #expect(try store.sync.syncState(of: work, mailbox: .inbox) == nil)
        let state = MailboxSyncState(
            uidValidity: .max, uidNext: .max, highestModSeq: .max, exists: 3, signature: "s",
            syncedAt: time(-1))
        _ = try store.sync.apply(batch(validity: .max) { $0.state = state })
        #expect(try store.sync.syncState(of: work, mailbox: .inbox) == state)
        #expect(try store.sync.syncState(of: AccountID("other"), mailbox: .inbox) == nil)
    }

    @Test("each UID of a Maildir is given once, even after the last message is removed")
    func handedOut() throws {
        let first = batch(added: [
            newMessage("a", uid: 0, remoteName: "1.a"), newMessage("b", uid: 0, remoteName: "2.b"),
        ]) { $0.state = MailboxSyncState(uidValidity: 7, uidNext: 0) }
        _ = try store.sync.apply(first)
        #expect(try store.list() == ["a@1", "b@2"])
        #expect(try store.sync.syncState(of: work, mailbox: .inbox)?.uidNext == 3)

        _ = try store.sync.apply(batch { $0.removed = [2] })
        _ = try store.sync.apply(batch(added: [newMessage("c", uid: 0, remoteName: "3.c")]))
        #expect(try store.list() == ["a@1", "c@3"])
        _ = try store.sync.apply(first)
        #expect(try store.list() == ["a@1", "c@3", "b@4"])
        #expect(
            try store.sync.placements(of: work, mailbox: .inbox).map(\.remoteName) == ["1.a", "3.c", "2.b"])
    }

    @Test("a missing mailbox keeps its messages and is not listed")
    func missingMailbox() throws {
        _ = try store.sync.apply(batch(archive, added: [newMessage("a", uid: 1)]))
        try store.sync.saveMailboxes([mailbox("INBOX", .inbox)], of: work)
        #expect(try store.sync.mailboxes(of: work) == [mailbox("INBOX", .inbox)])
        #expect(try store.messages.facts(.everything(nil)).isEmpty)
        #expect(try store.index.search([], account: work, limit: 9).isEmpty)
        #expect(try store.messages.detail(of: id("a"))?.places.map(\.isMissing) == [true])
        try store.saveUsualMailboxes()
        #expect(try store.messages.facts(.role(work, .archive)).map(\.id) == [id("a")])
    }

    @Test("a mailbox name is stored byte for byte")
    func mailboxBytes() throws {
        let odd = Mailbox(
            account: work, name: MailboxName(bytes: [0x26, 0xFF, 0x00, 0x2D]), displayName: "odd\0")
        try store.sync.saveMailboxes([odd], of: work)
        #expect(try store.sync.mailboxes(of: work).map(\.name) == [odd.name])
        _ = try store.sync.apply(batch(odd.name, added: [newMessage("a", uid: 1)]))
        #expect(try store.list(odd.name) == ["a@1"])
    }

    @Test("what the server puts before the user's mailboxes is stored, and forgotten when it is gone")
    func personalPrefix() throws {
        var sent = mailbox("Mail/Sent", .sent)
        sent.personalPrefix = "Mail/"
        try store.sync.saveMailboxes([sent], of: work)
        #expect(try store.sync.mailboxes(of: work) == [sent])
        #expect(sent.plainName == "Sent")
        try store.sync.saveMailboxes([mailbox("Mail/Sent", .sent)], of: work)
        #expect(try store.sync.mailboxes(of: work) == [mailbox("Mail/Sent", .sent)])
    }

    @Test("message ids lead to their thread, and a merge moves messages and ids")
    func threads() throws {
        var first = newMessage("a", uid: 1)
        first.references = [MessageID("1@x"), MessageID("odd\0@x")]
        var second = newMessage("b", uid: 2)
        second.references = [MessageID("2@x")]
        _ = try store.sync.apply(batch(added: [first, second]))
        let asked = ["1@x", "2@x", "3@x", "odd\0@x"].map { MessageID($0) }
        let a = ThreadID(rawValue: "a")
        let b = ThreadID(rawValue: "b")
        #expect(
            try store.sync.threads(forIDs: asked, account: work) == [asked[0]: a, asked[1]: b, asked[3]: a])
        #expect(try store.sync.threads(forIDs: asked, account: AccountID("other")) == [:])

        _ = try store.sync.apply(batch { $0.threadMerges = [ThreadMerge(from: b, into: a)] })
        #expect(try store.sync.threads(forIDs: [asked[1]], account: work) == [asked[1]: a])
        #expect(Set(try store.messages.facts(.thread(a)).map(\.id)) == [id("a"), id("b")])
        #expect(try store.messages.facts(.thread(b)).isEmpty)
    }

    @Test("the recipients of sent mail are known, without those in Bcc")
    func correspondents() throws {
        var sent = newMessage("a", uid: 1)
        sent.to = [EmailAddress(localPart: "Anna", domain: "X.org")]
        sent.cc = [EmailAddress(localPart: "bob", domain: "x.org")]
        sent.bcc = [EmailAddress(localPart: "secret", domain: "x.org")]
        var received = newMessage("b", uid: 1)
        received.to = [EmailAddress(localPart: "me", domain: "x.org")]
        _ = try store.sync.apply(batch(MailboxName("Sent"), added: [sent]))
        _ = try store.sync.apply(batch(added: [received]))
        #expect(try store.sync.writtenTo(accounts: [work]) == ["anna@x.org", "bob@x.org"])
        #expect(try store.sync.writtenTo(accounts: [AccountID("other")]) == [])

        _ = try store.sync.apply(
            batch(MailboxName("Sent")) { $0.placed = [Placement(message: id("b"), uid: 2)] })
        #expect(try store.sync.writtenTo(accounts: [work]).contains("me@x.org"))
    }

    @Test("the recipients in a mailbox that becomes the sent mailbox are known")
    func lateRole() throws {
        var sent = newMessage("a", uid: 1)
        sent.to = [EmailAddress(localPart: "anna", domain: "x.org")]
        _ = try store.sync.apply(batch(MailboxName("Gesendet"), added: [sent]))
        #expect(try store.sync.writtenTo(accounts: [work]) == [])
        try store.sync.saveMailboxes([mailbox("Gesendet", .sent)], of: work)
        #expect(try store.sync.writtenTo(accounts: [work]) == ["anna@x.org"])
    }

    @Test("ten thousand messages are stored and found")
    func many() throws {
        for start in stride(from: 0, to: 10_000, by: 500) {
            let messages = (start..<start + 500).map { number in
                var message = newMessage(
                    "m\(number)", uid: UInt32(number + 1), subject: "Subject \(number)",
                    text: String(repeating: "some words of a body ", count: 20), received: Int64(number))
                message.from = [
                    EmailAddress(displayName: "Sender \(number)", localPart: "s", domain: "x.org")
                ]
                message.references = [MessageID("\(number)@x"), MessageID("\(number / 3)@x")]
                return message
            }
            _ = try store.sync.apply(batch(added: messages))
        }
        #expect(try store.sync.placements(of: work, mailbox: .inbox).count == 10_000)
        #expect(try store.messages.facts(.role(nil, .inbox)).first?.id == id("m9999"))
        #expect(
            try store.index.search([SearchTerm(.subject, "4711")], account: work, limit: 9) == [id("m4711")])
    }
}

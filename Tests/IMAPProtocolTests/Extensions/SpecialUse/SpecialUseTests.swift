import Testing

@testable import IMAPProtocol

@Suite struct SpecialUseTests {
    private func roles(
        _ boxes: [(name: String, attributes: [String])], delimiter: String = "/"
    ) -> [String: SpecialUse] {
        let responses = boxes.map {
            ListResponse(
                attributes: $0.attributes, delimiter: delimiter.utf8.first, name: ModifiedUTF7.encode($0.name)
            )
        }
        let listings = MailboxListing.listings(from: responses)
        return Dictionary(
            uniqueKeysWithValues: listings.compactMap { listing in
                listing.role.map { (listing.displayName, $0) }
            })
    }

    @Test("the attributes of a mailbox take precedence over its name")
    func attributesFirst() {
        let found = roles([
            ("INBOX", ["\\HasChildren"]), ("Archive", []), ("Alles", ["\\Archive"]), ("Sent", []),
            ("Verschickt", ["\\sent"]), ("Stern", ["\\Flagged"]), ("Alle", ["\\All"]),
        ])
        #expect(
            found == [
                "INBOX": .inbox, "Alles": .archive, "Verschickt": .sent, "Stern": .flagged, "Alle": .all,
            ])
    }

    @Test(
        "well-known names give the remaining roles, in any case and below INBOX",
        arguments: [
            ("Sent", SpecialUse.sent), ("Sent Items", .sent), ("sent messages", .sent), ("Gesendet", .sent),
            ("Drafts", .drafts), ("Entwürfe", .drafts), ("ENTWÜRFE", .drafts), ("Trash", .trash),
            ("Deleted Items", .trash), ("Papierkorb", .trash), ("Junk", .junk), ("SPAM", .junk),
            ("Archive", .archive),
            ("Archives", .archive), ("Archiv", .archive), ("INBOX.Archiv", .archive), ("Inbox.Sent", .sent),
            ("Éléments envoyés", .sent), ("Spamverdacht", .junk), ("Elementos eliminados", .trash),
            ("Papperskorgen", .trash), ("INBOX.Wysłane", .sent),
        ])
    func names(_ name: String, _ role: SpecialUse) {
        #expect(roles([("INBOX", []), (name, [])], delimiter: ".")[name] == role)
    }

    @Test(
        "a name deep in the tree or of a mailbox that cannot be opened gives no role",
        arguments: [
            ("Work.Sent", [String]()), ("INBOX.Old.Sent", []), ("Sent", ["\\Noselect"]),
            ("Sent", ["\\NONEXISTENT"]),
            ("Sentry", []),
        ])
    func noRole(_ name: String, _ attributes: [String]) {
        #expect(roles([("INBOX", []), (name, attributes)], delimiter: ".") == ["INBOX": .inbox])
    }

    /// The names of the mailboxes that show others' messages again.
    private func views(
        _ boxes: [(name: String, attributes: [String])], knowsSpecialUse: Bool = true
    ) -> [String] {
        let responses = boxes.map {
            ListResponse(attributes: $0.attributes, delimiter: UInt8(ascii: "/"), name: Array($0.name.utf8))
        }
        return MailboxListing.listings(from: responses, knowsSpecialUse: knowsSpecialUse)
            .filter { $0.isView || $0.role == .all }.map(\.displayName)
    }

    @Test("a view is recognised by SPECIAL-USE or by its name")
    func believedViews() {
        let boxes = [
            ("INBOX", ["\\Important"]), ("Starred", ["\\Flagged"]), ("Prio", ["\\Important"]),
            ("Rest", ["\\All"]),
        ]
        #expect(views(boxes) == ["Starred", "Prio", "Rest"])
        #expect(views(boxes, knowsSpecialUse: false) == ["Starred"])
    }

    @Test("an attribute with the name of a message flag does not make a mailbox a view")
    func flagsOfMessages() {
        #expect(views([("INBOX", []), ("Work", ["\\Flagged", "\\Seen"])]) == [])
        #expect(
            views([("A", ["\\Flagged"]), ("B", ["\\Flagged"]), ("Starred", ["\\Flagged"])]) == ["Starred"])
    }

    @Test("each role is given once, to the first attribute or the likeliest name")
    func once() {
        #expect(roles([("A", ["\\Trash"]), ("B", ["\\Trash"]), ("Trash", [])]) == ["A": .trash])
        #expect(roles([("Sent Messages", []), ("Sent", [])]) == ["Sent": .sent])
    }

    @Test("INBOX in any case is the inbox, and nothing else is")
    func inbox() {
        #expect(roles([("iNbOx", ["\\Noselect"]), ("Eingang", ["\\Inbox"])]) == ["iNbOx": .inbox])
    }

    @Test("a mailbox that the server lists twice appears once, with its exact bytes")
    func twice() {
        let raw: [UInt8] = [0xFF, 0x26]
        let response = ListResponse(delimiter: nil, name: raw)
        let listings = MailboxListing.listings(from: [response, response])
        #expect(listings.map(\.name) == [raw])
        #expect(listings.first?.displayName == "\u{FFFD}&")
    }
}

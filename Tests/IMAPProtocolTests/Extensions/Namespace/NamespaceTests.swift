import Testing

@testable import IMAPProtocol

@Suite struct NamespaceTests {
    private func entries(_ prefixes: [String]) -> [NamespaceResponse.Entry] {
        prefixes.map { .init(prefix: Array($0.utf8), delimiter: UInt8(ascii: ".")) }
    }

    @Test(
        "a mailbox belongs to the kind of owner with the longest prefix of its name",
        arguments: [
            ("INBOX", false), ("INBOX.Deferred", false), ("Deferred", false), ("user.bob.Deferred", true),
            ("shared.Deferred", true),
        ])
    func owners(_ name: String, _ isForeign: Bool) {
        let spaces = NamespaceResponse(
            personal: entries([""]), otherUsers: entries(["user."]), shared: entries(["shared."]))
        #expect(spaces.isForeign(Array(name.utf8)) == isForeign)
    }

    @Test("if the prefix of groups is empty, only what no other prefix names belongs to them")
    func cyrus() {
        let spaces = NamespaceResponse(
            personal: entries(["INBOX."]), otherUsers: entries(["user."]), shared: entries([""]))
        #expect(!spaces.isForeign(Array("INBOX.Deferred".utf8)))
        #expect(spaces.isForeign(Array("team.Deferred".utf8)))
        #expect(!NamespaceResponse().isForeign(Array("team.Deferred".utf8)))
    }

    @Test(
        "the user's mailboxes have a prefix if all personal namespaces have one, with the delimiter at its end",
        arguments: [(["Mail."], "Mail."), (["", "Mail."], nil), (["#mh"], nil), ([], nil)]
            as [([String], String?)])
    func prefix(_ prefixes: [String], _ expected: String?) {
        let spaces = NamespaceResponse(personal: entries(prefixes), shared: entries(["shared."]))
        #expect(spaces.personalPrefix == expected.map { Array($0.utf8) })
    }

    @Test(
        "NAMESPACE is needed if no mailbox has a role, or all of them are below one that is not INBOX",
        arguments: [
            (["INBOX"], true), (["INBOX", "Work"], true), (["INBOX", "Mail/Sent", "Mail/Trash"], true),
            (["INBOX", "Sent"], false), (["INBOX", "INBOX/Sent"], false),
            (["INBOX", "Mail/Sent", "Other/Trash"], false), (["INBOX", "Mail/Sent", "Trash"], false),
        ])
    func question(_ names: [String], _ isOpen: Bool) {
        let roles: [String: String] = ["Sent": "\\Sent", "Trash": "\\Trash"]
        let responses = names.map { name in
            let level = name.split(separator: "/").last.map(String.init) ?? ""
            return ListResponse(
                attributes: roles[level].map { [$0] } ?? [], delimiter: UInt8(ascii: "/"),
                name: Array(name.utf8))
        }
        #expect(MailboxListing.listings(from: responses).mayHavePersonalPrefix == isOpen)
    }

    @Test("well-known names count after the prefix of the user's own mailboxes")
    func roles() {
        let responses = ["INBOX", "Mail/Sent", "Mail/Old/Trash"].map {
            ListResponse(attributes: [], delimiter: UInt8(ascii: "/"), name: Array($0.utf8))
        }
        let listings = MailboxListing.listings(from: responses, personalPrefix: "Mail/")
        #expect(listings.map(\.role) == [.inbox, .sent, nil])
    }
}

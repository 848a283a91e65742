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
}

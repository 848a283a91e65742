import Testing

@testable import Rules

@Suite struct QueryRenamingTests {
    @Test(
        "a mailbox is renamed in each term that names it",
        arguments: [
            ("in:Old", "in:New"),
            ("-in:\"old\" is:unread", "-in:New is:unread"),
            (
                "(in:old or in:Older) thread:has(in:Old from:ana)",
                "(in:New or in:Older) thread:has(in:New from:ana)"
            ),
            ("subject:\"see in:Old\" in:Old", "subject:\"see in:Old\" in:New"),
            ("header:X-A:\"x in:Old\" not in:Old", "header:X-A:\"x in:Old\" not in:New"),
            ("subject:/a in:Old /i in:Old", "subject:/a in:Old /i in:New"),
            ("attachment:name:\"a in:Old\" size>2M in:Old", "attachment:name:\"a in:Old\" size>2M in:New"),
        ])
    func renamed(query: String, expected: String) {
        #expect(QueryRenaming.renamed(query, mailbox: "Old", to: "New") == expected)
    }

    @Test(
        "other queries are not changed",
        arguments: [
            "subject:in:Old", "\"in:Old\"", "in:Older", "body:~\"in:Old x\"", "text:=\"in:Old\"", "", "in:",
            "subject:\"in:Old",
        ])
    func left(query: String) {
        #expect(QueryRenaming.renamed(query, mailbox: "Old", to: "New") == nil)
    }

    @Test("names with blanks and quotes are quoted so that they are read back")
    func spelling() throws {
        var query = "in:Old"
        var old = "Old"
        for name in ["It's: a #box", "x\"y\\z", "a (b)", "Größe/Ü"] {
            query = try #require(QueryRenaming.renamed(query, mailbox: old, to: name))
            old = name
        }
        #expect(query == "in:Größe/Ü")
    }
}

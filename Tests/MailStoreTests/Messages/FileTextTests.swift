import MailStore
import Models
import Testing

/// The text of attached files in the store: which messages are still to be read, what is found, and what goes.
@Suite struct FileTextTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
        let messages = (1...4).map { number in
            var message = newMessage(
                "m\(number)", uid: UInt32(number), subject: "letter", text: "word\(number)")
            if number != 3 {
                message.attachments = [
                    Attachment(name: "a.pdf", contentType: "application/pdf", size: 10, section: "2")
                ]
            }
            return message
        }
        _ = try store.sync.apply(batch(added: messages))
    }

    private func found(_ wanted: SearchCondition) throws -> [String] {
        var walk = store.index.walk(wanted, account: work)
        return try walk.next(9).map(\.rawValue).sorted()
    }

    @Test("messages with unread files are listed once, newest first, without those outside any mailbox")
    func due() throws {
        #expect(try store.fileTexts.due(of: work, limit: 2).map(\.id) == [id("m4"), id("m2")])
        try store.fileTexts.save("", unread: 1, of: id("m4"))
        try store.fileTexts.save("of nobody", unread: 0, of: id("gone"))
        _ = try store.sync.apply(batch { $0.removed = [1] })
        #expect(try store.fileTexts.due(of: work, limit: 9).map(\.id) == [id("m2")])
        #expect(try store.fileTexts.text(of: id("m4"))?.isEmpty == true)
        #expect(try store.fileTexts.text(of: id("m2")) == nil)
    }

    @Test("a search finds words of files in file fields only, alone or combined with words of the message")
    func search() throws {
        let text = { SearchCondition.words(SearchTerm(.fileText, $0)) }
        let any = { SearchCondition.words(SearchTerm(.any, $0)) }
        #expect(try found(text("jars")) == [])
        try store.fileTexts.save("The plain of Järs\n会議室", unread: 0, of: id("m2"))
        try store.fileTexts.save("other", unread: 0, of: id("m4"))
        #expect(try found(text("jars")) == ["m2"])
        #expect(try found(any("plain of")) == ["m2"])
        #expect(try found(text("会議")) == ["m2"])
        #expect(try found(.words(SearchTerm(.fileText, "lain", .part))) == ["m2"])
        #expect(try found(text("letter")) == [])
        #expect(try found(text("word2")) == [])
        #expect(try found(any("letter")) == ["m1", "m2", "m3", "m4"])
        #expect(try found(.words(SearchTerm(.text, "jars"))) == [])
        // Candidates: the query decides.
        #expect(try found(.all([any("jars"), any("word2")])) == ["m2"])
        #expect(try found(.any([text("jars"), any("word3")])) == ["m2", "m3"])
        #expect(try found(.all([text("\"; DROP"), any("word3")])) == [])
        #expect(try store.index.occurs(SearchTerm(.any, "plain")))
        #expect(try !store.index.occurs(SearchTerm(.any, "nowhere")))
        #expect(try store.verify() == [])
    }

    @Test("the text of a file is removed with its message")
    func cleanUp() throws {
        try store.fileTexts.save("jars", unread: 0, of: id("m2"))
        _ = try store.sync.apply(batch { $0.removed = [2] })
        _ = try store.messages.cleanUp(now: time(0))
        #expect(try store.messages.cleanUp(now: time(30 * 86_400)) == 1)
        #expect(try !store.index.occurs(SearchTerm(.fileText, "jars")))
        #expect(try !store.fileTexts.isUsed())
        #expect(try store.verify() == [])
    }

    @Test("a rebuild keeps file texts of removed messages, and reads the others again")
    func rebuild() throws {
        for name in ["m1", "m2"] { try store.fileTexts.save("jars", unread: 0, of: id(name)) }
        _ = try store.sync.apply(batch { $0.removed = [1] })
        let rebuild = try StoreRebuild(at: folder.path + "-new", replacing: store, accounts: [work])
        var again = newMessage("m2", uid: 2, text: "word2")
        again.attachments = [
            Attachment(name: "a.pdf", contentType: "application/pdf", size: 10, section: "2")
        ]
        _ = try rebuild.store.sync.apply(batch(added: [again]))
        _ = try rebuild.carry()
        try rebuild.replace()
        rebuild.close()
        #expect(try store.fileTexts.text(of: id("m1")) == "jars")
        #expect(try store.fileTexts.due(of: work, limit: 9).map(\.id) == [id("m2")])
        #expect(try store.verify() == [])
    }
}

import Foundation
import Models
import TestSupport
import Testing

@testable import MaildirClient

@Suite struct MaildirMailboxTests {
    @Test func `the root is INBOX, and folders are shown with slashes`() throws {
        let box = try Sandbox()
        try box.client.create(MailboxName("Work.Invoices"))
        try box.client.create(MailboxName("Archive"))
        let found = try box.client.mailboxes()
        #expect(found.map(\.displayName) == ["INBOX", "Archive", "Work/Invoices"])
        #expect(found.map(\.role) == [.inbox, .archive, nil])
        #expect(found.map(\.name.description) == ["INBOX", "Archive", "Work.Invoices"])
    }

    @Test func `a name keeps its bytes and is shown decoded`() throws {
        let box = try Sandbox()
        try box.client.create(MailboxName("Entw&APw-rfe"))
        let found = try #require(try box.client.mailboxes().last)
        #expect(found.displayName == "Entwürfe")
        #expect(found.name == MailboxName("Entw&APw-rfe"))
    }

    @Test(arguments: [
        ("Sent Items", MailboxRole.sent), ("INBOX.Trash", .trash), ("SPAM", .junk), ("archives", .archive),
        ("Deferred", .deferred), ("drafts", .drafts), ("Deleted Messages", .trash), ("Papierkorb", .trash),
        ("Entw&APw-rfe", .drafts), ("All Mail", .archive),
    ])
    func `roles are recognised by common names`(_ name: String, _ role: MailboxRole) throws {
        let box = try Sandbox()
        try box.client.create(MailboxName(name))
        #expect(try box.client.mailboxes().last?.role == role)
    }

    @Test func `only one mailbox has a role, and the user's setting counts first`() throws {
        let box = try Sandbox(folders: [.archive: "Old/Mail"])
        for name in ["Archive", "Archives", "Old.Mail"] { try box.client.create(MailboxName(name)) }
        let roles = try box.client.mailboxes().filter { $0.role == .archive }
        #expect(roles.map(\.displayName) == ["Old/Mail"])
    }

    @Test func `a folder without cur, a link and a plain file are not mailboxes`() throws {
        let box = try Sandbox()
        try box.client.create(MailboxName("Real"))
        try FileManager.default.createDirectory(
            atPath: box.path + "/.Empty", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: box.path + "/.Link", withDestinationPath: box.path + "/.Real")
        try box.write("x", to: ".file")
        #expect(try box.client.mailboxes().map(\.displayName) == ["INBOX", "Real"])
        #expect(throws: MaildirError.noSuchMailbox(MailboxName("Link"), path: box.path + "/.Link")) {
            try box.client.list(MailboxName("Link"))
        }
    }

    @Test func `a missing root is distinguished from a folder that is not a Maildir`() throws {
        let box = try Sandbox()
        let nowhere = Maildir(root: box.path + "/nowhere", account: AccountID("a"))
        #expect(throws: MaildirError.missingRoot(path: box.path + "/nowhere")) { try nowhere.mailboxes() }
        #expect(throws: MaildirError.missingRoot(path: box.path + "/nowhere")) { try nowhere.create(.inbox) }
        let plain = Maildir(root: box.path + "/tmp", account: AccountID("a"))
        #expect(throws: MaildirError.notAMaildir(path: box.path + "/tmp")) { try plain.mailboxes() }
    }

    @Test(arguments: ["", "a/b", "..", ".a", "a..b", "a.", "a\u{0}b", "../../etc"])
    func `a name that would leave the root is refused`(_ name: String) throws {
        let box = try Sandbox()
        #expect(throws: MaildirError.invalidName(name)) { try box.client.create(MailboxName(name)) }
        #expect(throws: MaildirError.invalidName(name)) { try box.client.list(MailboxName(name)) }
        #expect(box.files() == [])
    }

    @Test(arguments: [
        ("Work/Invoices", "Work.Invoices"), ("Entwürfe", "Entw&APw-rfe"), ("A & B", "A &- B"),
        ("日本語", "&ZeVnLIqe-"), ("😀", "&2D3eAA-"), ("inbox", "INBOX"),
    ])
    func `display names of mailboxes are converted to folders and back`(_ display: String, _ folder: String)
        throws
    {
        let name = try #require(MaildirLayout.dotted.name(forDisplayName: display))
        #expect(name == MailboxName(folder))
        #expect(MaildirLayout.dotted.displayName(name).lowercased() == display.lowercased())
    }

    @Test(arguments: ["Entw&AP-rfe", "a&", "&ZeV", "&AAA-A&", "caf\u{e9}", "&2D0-"])
    func `broken modified UTF-7 is shown as it is`(_ name: String) {
        #expect(MaildirLayout.dotted.displayName(MailboxName(name)) == name)
    }

    @Test func `every name is read back from disk unchanged`() {
        var generator = SeededGenerator(seed: 7)
        var survived = 0
        for _ in 0..<2_000 {
            let scalars = (0..<Int.random(in: 1...12, using: &generator)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0x20...0x1_F9FF, using: &generator))
            }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            guard let name = MaildirLayout.dotted.name(forDisplayName: String(text)) else { continue }
            #expect(MaildirLayout.dotted.displayName(name) == String(text))
            survived += 1
        }
        #expect(survived > 1_000)
    }
}

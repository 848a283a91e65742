import Foundation
import Models
import Testing

@testable import MaildirClient

/// The times of a Maildir's folders tell whether a sync would find anything.
@Suite("Maildir shape")
struct MaildirShapeTests {
    private let work = MailboxName("Work")

    private func add(_ unique: String, to mailbox: MailboxName, in box: Sandbox) throws {
        _ = try box.client.addMessage(
            to: mailbox, message: Array("Subject: x\r\n\r\nx".utf8), unique: unique,
            received: Timestamp(seconds: 0))
    }

    @Test("the shape changes with each change of the Maildir, and stays the same without one")
    func changes() throws {
        let box = try Sandbox()
        try box.client.create(work)
        try add("1.a", to: work, in: box)
        var last = try box.client.shape()
        #expect(last.isSame(as: try box.client.shape()))
        let steps: [(String, () throws -> Void)] = [
            ("new", { try add("2.a", to: .inbox, in: box) }),
            ("marked", { _ = try box.client.setFlags(work, unique: "1.a", add: [.seen]) }),
            (
                "labelled",
                {
                    _ = try box.client.setFlags(work, unique: "1.a", addKeywords: [Keyword("later")])
                }
            ),
            ("moved", { _ = try box.client.move(unique: "1.a", from: work, to: .inbox) }),
            ("removed", { try box.client.remove(.inbox, unique: "2.a") }),
            ("a new mailbox", { try box.client.create(MailboxName("Other")) }),
            (
                "a keyword file that is written in place",
                { try box.write("0 now\n", to: ".Work/dovecot-keywords") }
            ),
        ]
        for (name, change) in steps {
            usleep(20_000)  // the grain of the file system's clock
            try change()
            let now = try box.client.shape()
            #expect(!now.isSame(as: last), "\(name)")
            last = now
        }
    }

    @Test("a shape read within seconds of a change does not count as settled")
    func settled() throws {
        let box = try Sandbox()
        let now = Int(Date().timeIntervalSince1970)
        #expect(try !box.client.shape(at: now).isSettled)
        #expect(try box.client.shape(at: now + 10).isSettled)
        #expect(try !box.client.shape(at: now - 100).isSettled, "a clock that was set back")
    }

    @Test("a missing Maildir has no shape")
    func gone() throws {
        let box = try Sandbox()
        try FileManager.default.removeItem(atPath: box.path)
        #expect(throws: MaildirError.self) { _ = try box.client.shape() }
    }
}

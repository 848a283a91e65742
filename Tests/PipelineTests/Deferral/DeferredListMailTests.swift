import Foundation
import Models
import Testing

@testable import Pipeline

/// The list of deferred messages, as a message: for people and for opus.
@Suite("The list of deferred messages")
struct DeferredListMailTests {
    private static func entry(
        _ name: String, _ until: DeferredUntil, subject: String? = nil, isBack: Bool? = nil
    ) -> DeferredEntry {
        DeferredEntry(
            header: "digest of \(name)", messageID: "\(name)@x", until: until, setAt: Workplace.tuesday,
            from: "Bob", subject: subject ?? name, rules: nil, isBack: isBack)
    }

    private static func written(_ entries: DeferredEntry...) throws -> [UInt8] {
        let address = try #require(EmailAddress("ana@acme.example"))
        return try DeferredListMail(
            address: address, now: Workplace.tuesday, zone: ZoneClock(zone: "Europe/Paris")
        ).write(DeferredEntries(entries)).message
    }

    @Test("opus reads back what it wrote")
    func roundTrip() throws {
        let entries = [
            Self.entry("lunch", .time(Workplace.tuesday + 60)), Self.entry("novel", .someday),
            Self.entry("weekly", .time(Workplace.tuesday), isBack: true),
        ]
        let mail = try Self.written(entries[2], entries[1], entries[0])
        let json = try #require(DeferredListMail.content(of: mail))
        #expect(try #require(DeferredEntries(json: json)).entries == entries, "in the order of their return")
    }

    @Test("people read dates in their own zone, and mail that is back is apart")
    func text() throws {
        let mail = String(
            decoding: try Self.written(
                Self.entry("lunch", .time(Workplace.tuesday)), Self.entry("novel", .someday),
                Self.entry("weekly", .someday, isBack: true)), as: UTF8.self)
        #expect(mail.contains("2026-03-10 08:30  lunch (Bob)"))
        #expect(mail.contains("someday           novel (Bob)"))
        #expect(mail.contains("no rule defers them again:\r\n\r\nweekly (Bob)"))
    }

    @Test("a subject cannot add lines to the list")
    func hostileSubject() throws {
        let mail = String(
            decoding: try Self.written(
                Self.entry("a", .someday, subject: "Lunch\r\n2026-03-11 09:00  Forged\u{1B}[2J")),
            as: UTF8.self)
        let body = mail.components(separatedBy: "deferred.json").first ?? ""
        #expect(!body.contains("\n2026-03-11 09:00"))
        #expect(!mail.contains("\u{1B}"))
    }

    @Test("a list that came by mail is ignored, whatever it says")
    func byMail() throws {
        let mail = String(decoding: try Self.written(Self.entry("lunch", .someday)), as: UTF8.self)
        let arrived = "Received: from mx.example by home.example; Tue, 10 Mar 2026 07:00:00 +0000\r\n" + mail
        #expect(DeferredListMail.content(of: Array(mail.utf8)) != nil)
        #expect(DeferredListMail.content(of: Array(arrived.utf8)) == nil)
        let unmarked = mail.replacing("X-Opus-Deferred", with: "X-Other")
        #expect(DeferredListMail.content(of: Array(unmarked.utf8)) == nil)
    }

    @Test(
        "JSON that is not a list of this version is not read",
        arguments: [
            "", "{}", "[]", #"{"schema":"deferred-list/2","entries":[]}"#,
            #"{"schema":"deferred-list/1","entries":[{"header":"a"}]}"#,
        ])
    func unreadable(_ json: String) {
        #expect(DeferredEntries(json: Array(json.utf8)) == nil)
    }

    @Test("a list of many messages keeps those that come back first")
    func many() throws {
        let entries = (0..<6_000).map { number in
            Self.entry("m\(number)", .time(Workplace.tuesday + Int64(6_000 - number)))
        }
        let kept = DeferredEntries(entries).entries
        #expect(kept.count == 5_000)
        #expect(kept.first?.header == "digest of m5999" && kept.last?.header == "digest of m1000")
        let text = String(decoding: try Self.written(kept[0], kept[1]), as: UTF8.self)
        #expect(!text.contains("other"))
    }

    @Test("names and times of mail that is back make no difference between two lists")
    func agreement() {
        let waiting = DeferredEntries([Self.entry("a", .someday)])
        let renamed = DeferredEntries([Self.entry("a", .someday, subject: "another")])
        let dated = DeferredEntries([Self.entry("a", .time(Workplace.tuesday))])
        #expect(waiting.agrees(with: renamed) && !waiting.agrees(with: dated))
        let back = DeferredEntries([Self.entry("a", .someday, isBack: true)])
        let later = DeferredEntries([Self.entry("a", .time(Workplace.tuesday), isBack: true)])
        #expect(back.agrees(with: later) && !back.agrees(with: waiting))
    }
}

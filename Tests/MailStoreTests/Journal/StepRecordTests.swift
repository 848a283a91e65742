import Foundation
import Models
import Testing

@testable import MailStore

@Suite struct StepRecordTests {
    private let key = MessageKey(
        account: AccountID("wörk"), mailbox: MailboxName(bytes: [0x49, 0xFF, 0x00]), uidValidity: .max, uid: 1
    )

    private var kinds: [Step.Kind] {
        let named = Mailbox(
            account: AccountID("work"), name: MailboxName("A/&AOk-"), displayName: "A/é", delimiter: "/",
            role: .archive)
        let bare = Mailbox(account: AccountID(""), name: MailboxName(bytes: []), displayName: "")
        return [
            .move(key, to: named), .move(key, to: bare),
            .store(
                key, addFlags: [.seen, .deleted], removeFlags: Set(Flag.allCases),
                addKeywords: [Keyword("todo"), Keyword("$Later")], removeKeywords: []),
            .store(key, addFlags: [], removeFlags: [], addKeywords: [], removeKeywords: [Keyword("x")]),
            .wait(until: .time(Timestamp(seconds: 5)), before: .someday),
            .remove(key, token: MessageID("1@x"), versions: DraftVersions(own: ["ab"], adopted: ["cd"])),
            .remove(key, token: MessageID("2@x"), versions: nil),
        ]
    }

    @Test("the work of a step is read back as it was written")
    func roundTrip() throws {
        for kind in kinds { #expect(try StepRecord.kind(StepRecord.encode(kind)) == kind) }
    }

    @Test("records in the JSON of an earlier version are read")
    func json() throws {
        for kind in kinds { #expect(try StepRecord.kind(JSONEncoder().encode(kind)) == kind) }
        var outcome = StepOutcome()
        outcome.path = "a.ics"
        #expect(try StepRecord.outcome(JSONEncoder().encode(outcome)) == outcome)
    }

    @Test("every field of an outcome is stored, and an empty outcome stays empty")
    func outcomes() throws {
        var outcome = StepOutcome()
        #expect(try StepRecord.outcome(StepRecord.encode(outcome)) == outcome)
        outcome.flagsBefore = []
        outcome.keywordsBefore = []
        outcome.place = key
        outcome.remoteName = ""
        outcome.copied = key
        outcome.path = "a.ics"
        outcome.digest = "d"
        outcome.pathBefore = "b.ics"
        outcome.contentBefore = [0, 255]
        outcome.destinationUIDNext = .max
        outcome.destinationUIDValidity = .max
        outcome.recipients = ["a@x": "550 no", "b@x": ""]
        for field in Mirror(reflecting: outcome).children {
            #expect(
                !Mirror(reflecting: field.value).children.isEmpty || "\(field.value)" != "nil",
                "\(field.label ?? "") is to be set here, so that it is seen to be kept")
        }
        #expect(try StepRecord.outcome(StepRecord.encode(outcome)) == outcome)
    }

    @Test("a truncated record is an error, or lacks only optional fields")
    func damaged() throws {
        for kind in kinds.prefix(4) {
            let whole = try StepRecord.encode(kind)
            for length in 1..<whole.count {
                guard let read = try? StepRecord.kind(whole.prefix(length)) else { continue }
                guard case .move(let key, let destination) = kind, case .move(key, let found) = read else {
                    Issue.record("\(length) of \(whole.count) bytes are \(read)")
                    continue
                }
                #expect(found.name == destination.name)
            }
            #expect(throws: MailStoreError.self) { try StepRecord.kind(whole.prefix(20)) }
        }
        #expect(throws: (any Error).self) { try StepRecord.kind(Data()) }
    }
}

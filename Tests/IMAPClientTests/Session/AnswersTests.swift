import IMAPProtocol
import Testing

@testable import IMAPClient

@Suite struct AnswersTests {
    private static let closed = Untagged.status(StatusResponse(.ok, code: .closed))

    private static func fetch(_ uid: UInt32?) -> Untagged {
        var fetch = FetchResponse(sequenceNumber: 1)
        fetch.uid = uid
        fetch.flags = ["\\Seen"]
        return .fetch(fetch)
    }

    @Test func `responses before CLOSED belong to the previous mailbox and are dropped`() {
        var answers = Answers(from: 0)
        answers.add(.exists(3))
        answers.add(Self.closed)
        answers.add(.exists(5))
        let first = answers.takeUntagged()
        #expect(first == [.exists(5)])
        #expect(answers.untagged.isEmpty)
    }

    @Test func `changes reported by a SELECT with QRESYNC are kept apart from other responses`() {
        var answers = Answers(from: 0, reportsChanges: true)
        answers.add(Self.fetch(9))
        answers.add(Self.closed)
        answers.add(Self.fetch(4))
        answers.add(.vanished(VanishedUIDs([7, 8], isEarlier: true)))
        answers.add(.exists(2))
        #expect(answers.untagged == [.exists(2)])
        #expect(answers.changes?.flags.map(\.uid) == [4])
        #expect(answers.changes?.vanished == [7...8])
        #expect(answers.changes?.isComplete == true)
    }

    @Test func `a change without a UID makes the report incomplete`() {
        var answers = Answers(from: 0, reportsChanges: true)
        answers.add(Self.fetch(nil))
        #expect(answers.changes?.isComplete == false)
    }

    @Test func `the excess of responses or octets counts from the start of the command`() {
        var answers = Answers(from: 1_000, mostResponses: 2)
        answers.add(.exists(1))
        answers.add(.exists(2))
        #expect(answers.excess(at: 1_100) == nil)
        #expect(answers.excess(at: 1_001 + 32 * 1_024 * 1_024) != nil)
        answers.add(.exists(3))
        #expect(answers.excess(at: 1_100) == "3 responses of 100 bytes to one command")
    }
}

import IMAPProtocol
import Testing

@testable import IMAPClient

@Suite struct FetchPipelineTests {
    private static func flags(_ uid: UInt32) -> Untagged {
        var fetch = FetchResponse(sequenceNumber: 1)
        fetch.uid = uid
        fetch.flags = []
        return .fetch(fetch)
    }

    private static func running(_ uids: UIDSet) -> FetchPipeline {
        var pipeline = FetchPipeline([uids], items: .flags, depth: 1, longestSet: 1_000)
        if let set = pipeline.nextSet() { pipeline.start(CommandTag(rawValue: "A1"), set) }
        return pipeline
    }

    @Test func `responses about other messages count as excess until a command ends`() {
        var pipeline = Self.running([5])
        var message = pipeline.receive(Self.flags(9), octets: 256 * 1_024 * 1_024)
        #expect(message == nil)
        #expect(pipeline.excess == nil)
        message = pipeline.receive(.exists(3), octets: 1)
        #expect(message == nil)
        #expect(pipeline.excess != nil)
        let isOurs = pipeline.receiveTagged(CommandTag(rawValue: "A1"), StatusResponse(.ok))
        #expect(isOurs)
        #expect(pipeline.excess == nil)
    }

    @Test func `a requested message is never excess, and comes once`() {
        var pipeline = Self.running([5])
        let message = pipeline.receive(Self.flags(5), octets: 512 * 1_024 * 1_024)
        #expect(message?.uid == 5)
        #expect(pipeline.excess == nil)
        let again = pipeline.receive(Self.flags(5), octets: 10)
        #expect(again == nil)
    }
}

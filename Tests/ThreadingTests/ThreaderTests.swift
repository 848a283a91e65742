import Models
import TestSupport
import Testing

@testable import Threading

/// A message as `name: own id, [what it refers to]`.
private func message(_ name: String, _ id: String?, _ references: [String] = [], replyTo: [String] = [])
    -> ThreadInput
{
    ThreadInput(
        message: EmailID(rawValue: name), messageID: id.map { MessageID($0) },
        inReplyTo: replyTo.map { MessageID($0) }, references: references.map { MessageID($0) })
}

private func known(_ threads: [String: String]) -> [MessageID: ThreadID] {
    Dictionary(uniqueKeysWithValues: threads.map { (MessageID($0), ThreadID(rawValue: $1)) })
}

/// The conversations, without their names.
private func groups(_ threads: [EmailID: ThreadID]) -> Set<Set<String>> {
    Set(Dictionary(grouping: threads.keys, by: { threads[$0] }).values.map { Set($0.map(\.rawValue)) })
}

@Suite struct ThreaderTests {
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let messages: [ThreadInput]
        var existing: [String: String] = [:]
        let threads: [String: String]
        var merges: [[String]] = []
    }

    static let cases = [
        Case(
            testDescription: "a reply joins its parent",
            messages: [message("a", "1@x"), message("b", "2@x", ["1@x"])], threads: ["a": "a", "b": "a"]),
        Case(
            testDescription: "a reply that comes before its parent is joined by it",
            messages: [message("b", "2@x", ["1@x"]), message("a", "1@x")], threads: ["a": "b", "b": "b"]),
        Case(
            testDescription: "siblings find each other over a parent that nobody has",
            messages: [message("b", "2@x", ["1@x"]), message("c", "3@x", ["1@x"])],
            threads: ["b": "b", "c": "b"]),
        Case(
            testDescription: "In-Reply-To is enough",
            messages: [message("a", "1@x"), message("b", "2@x", replyTo: ["1@x"])],
            threads: ["a": "a", "b": "a"]),
        Case(
            testDescription: "strangers stay apart",
            messages: [message("a", "1@x"), message("b", "2@x")], threads: ["a": "a", "b": "b"]),
        Case(
            testDescription: "a message without identifiers is a thread of its own",
            messages: [message("a", nil), message("b", nil)], threads: ["a": "a", "b": "b"]),
        Case(
            testDescription: "what has no @ inside joins nothing",
            messages: [
                message("a", "nonsense"), message("b", "2@x", ["nonsense", "", "@", "x@", "@x"]),
                message("c", "x@"),
            ], threads: ["a": "a", "b": "b", "c": "c"]),
        Case(
            testDescription: "two messages with the same id are one conversation",
            messages: [message("a", "1@x"), message("b", "1@x")], threads: ["a": "a", "b": "a"]),
        Case(
            testDescription: "a loop of references is one thread",
            messages: [
                message("a", "1@x", ["3@x"]), message("b", "2@x", ["1@x"]), message("c", "3@x", ["2@x"]),
            ], threads: ["a": "a", "b": "a", "c": "a"]),
        Case(
            testDescription: "a message that refers to itself is in its thread",
            messages: [message("a", "1@x", ["1@x", "1@x"])], threads: ["a": "a"]),
        Case(
            testDescription: "contradicting references join, and nobody is in two threads",
            messages: [
                message("a", "1@x"), message("b", "2@x"), message("c", "3@x", ["2@x"], replyTo: ["1@x"]),
            ], threads: ["a": "a", "b": "a", "c": "a"]),
        Case(
            testDescription: "a known thread takes the new message",
            messages: [message("b", "2@x", ["1@x"])], existing: ["1@x": "old"], threads: ["b": "old"]),
        Case(
            testDescription: "a message that joins two known threads merges them into the lesser",
            messages: [message("z", "9@x", ["1@x", "2@x"])], existing: ["1@x": "m", "2@x": "k"],
            threads: ["z": "k"], merges: [["m", "k"]]),
        Case(
            testDescription: "a merge also moves a message that only knew the thread that went",
            messages: [message("y", "8@x", ["3@x"]), message("z", "9@x", ["1@x", "2@x"])],
            existing: ["1@x": "m", "2@x": "k", "3@x": "m"], threads: ["y": "k", "z": "k"],
            merges: [["m", "k"]]),
        Case(
            testDescription: "a chain of merges ends in one thread",
            messages: [message("y", "8@x", ["1@x", "2@x"]), message("z", "9@x", ["2@x", "3@x"])],
            existing: ["1@x": "c", "2@x": "b", "3@x": "a"], threads: ["y": "a", "z": "a"],
            merges: [["b", "a"], ["c", "a"]]),
        Case(
            testDescription: "the same message twice is one message",
            messages: [message("a", "1@x"), message("a", "1@x")], threads: ["a": "a"]),
    ]

    @Test(arguments: cases)
    func assigns(_ row: Case) {
        let result = Threader.assign(row.messages, existing: known(row.existing))
        let threads = result.threads.map { ($0.rawValue, $1.rawValue) }
        #expect(Dictionary(uniqueKeysWithValues: threads) == row.threads)
        #expect(result.merges.map { [$0.from.rawValue, $0.into.rawValue] } == row.merges)
        for message in row.messages {
            for id in Threader.ids(of: message) {
                #expect(result.links[id] == result.threads[message.message], "\(id)")
            }
        }
    }

    @Test("of endless references, the root and the last thousand count")
    func bounded() {
        let long = (0..<10_000).map { MessageID("\($0)@x") }
        let input = ThreadInput(
            message: EmailID(rawValue: "a"), messageID: MessageID("own@x"), references: long)
        let ids = Threader.ids(of: input)
        #expect(ids.count == 1_002)
        #expect(ids.prefix(2) == [MessageID("own@x"), MessageID("0@x")])
        #expect(ids.last == MessageID("9999@x"))
        let endless = ThreadInput(
            message: EmailID(rawValue: "b"),
            messageID: MessageID(String(repeating: "a", count: 5_000) + "@x"))
        #expect(Threader.ids(of: endless).isEmpty)
    }

    @Test("conversations do not depend on the order of arrival", arguments: 1...40)
    func anyOrder(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let all = (0..<30).map { number in
            let references = (0..<Int.random(in: 0...2, using: &random)).map { _ in
                "\(Int.random(in: 0..<60, using: &random))@x"
            }
            return message("m\(number)", "\(number)@x", references)
        }
        let atOnce = groups(Threader.assign(all, existing: [:]).threads)

        var threads: [EmailID: ThreadID] = [:]
        var links: [MessageID: ThreadID] = [:]
        var rest = all.shuffled(using: &random)[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Int.random(in: 1...7, using: &random))
            rest = rest.dropFirst(batch.count)
            let result = Threader.assign(Array(batch), existing: links)
            threads.merge(result.threads) { $1 }
            links.merge(result.links) { $1 }
            for merge in result.merges {
                threads = threads.mapValues { $0 == merge.from ? merge.into : $0 }
                links = links.mapValues { $0 == merge.from ? merge.into : $0 }
            }
        }
        #expect(groups(threads) == atOnce)
    }

    @Test("a chain of a hundred thousand replies needs no deep stack")
    func longChain() {
        let chain = (0..<100_000).map { message("m\($0)", "\($0)@x", ["\($0 + 1)@x"]) }
        let result = Threader.assign(chain, existing: [:])
        #expect(Set(result.threads.values) == [ThreadID(rawValue: "m0")])
    }
}

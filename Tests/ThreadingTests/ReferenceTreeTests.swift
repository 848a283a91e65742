import Models
import Testing

@testable import Threading

@Suite struct ReferenceTreeTests {
    static func message(
        _ id: String?, _ references: [String] = [], subject: String = "", isReply: Bool = false, at: Int64 = 0
    ) -> TreeMessage {
        TreeMessage(
            id: id.map { MessageID($0) }, references: references.map { MessageID($0) }, baseSubject: subject,
            isReply: isReply, date: Timestamp(seconds: at))
    }

    static func notation(_ messages: [TreeMessage], joinsSubjects: Bool = true) -> String {
        ReferenceTree.threads(messages, joinsSubjects: joinsSubjects).map(\.notation).joined()
    }

    @Test func `answers are below their originals, in the order of their dates`() {
        #expect(
            Self.notation([
                Self.message("a", at: 1), Self.message("b", ["a"], at: 9), Self.message("c", ["a"], at: 2),
                Self.message("d", ["a", "c"], at: 3),
            ]) == "(1 (3 4)(2))")
    }

    @Test func `the order of the messages does not matter`() {
        let chain = [
            Self.message("a", at: 1), Self.message("b", ["a"], at: 2), Self.message("c", ["a", "b"], at: 3),
        ]
        #expect(Self.notation(chain) == "(1 2 3)")
        #expect(Self.notation(chain.reversed()) == "(3 2 1)")
    }

    @Test func `a missing message is kept where it holds several together`() {
        let two = [Self.message("b", ["a"], at: 1), Self.message("c", ["a"], at: 2)]
        #expect(Self.notation(two) == "((1)(2))")
        #expect(Self.notation([two[0]]) == "(1)")
        #expect(ReferenceTree.threads(two).first?.nodes.first?.id == MessageID("a"))
        let inside = [
            Self.message("a", at: 1), Self.message("c", ["a", "b"], at: 2),
            Self.message("d", ["a", "b"], at: 3),
        ]
        #expect(Self.notation(inside) == "(1 (2)(3))")
    }

    @Test func `a cycle is broken, and every message is shown once`() {
        let loop = [
            Self.message("a", ["c"], at: 1), Self.message("b", ["a"], at: 2), Self.message("c", ["b"], at: 3),
        ]
        let trees = ReferenceTree.threads(loop)
        #expect(trees.flatMap(\.nodes).compactMap(\.message).sorted() == [0, 1, 2])
        #expect(Self.notation([Self.message("a", ["a"])]) == "(1)")
        #expect(
            Self.notation([Self.message("a", ["b"]), Self.message("b", ["a"])]).count { $0.isNumber } == 2)
    }

    @Test func `if two messages have one id, replies belong to the first`() {
        let twice = [Self.message("a", at: 1), Self.message("a", at: 2), Self.message("b", ["a"], at: 3)]
        #expect(Self.notation(twice) == "(1 3)(2)")
    }

    @Test func `the references of a message itself take precedence over those of others`() {
        let cut = [
            Self.message("a", at: 1), Self.message("d", ["a", "c"], at: 4), Self.message("b", ["a"], at: 2),
            Self.message("c", ["a", "b"], at: 3),
        ]
        #expect(Self.notation(cut) == "(1 3 4 2)")
    }

    @Test func `messages with equal subjects are joined, replies below the first message`() {
        let first = Self.message("a", subject: "lunch", at: 1)
        let reply = Self.message("b", subject: "lunch", isReply: true, at: 2)
        let other = Self.message("c", subject: "lunch", at: 3)
        #expect(Self.notation([first, reply]) == "(1 2)")
        #expect(Self.notation([first, other]) == "((1)(2))")
        #expect(Self.notation([first, reply, other], joinsSubjects: false) == "(1)(2)(3)")
        #expect(Self.notation([Self.message("a"), Self.message("b")]) == "(1)(2)")
    }

    @Test func `a hundred thousand answers in a row are one thread`() {
        let count = 100_000
        let chain = (0..<count).map { index in
            Self.message("m\(index)", index == 0 ? [] : ["m\(index - 1)"], at: Int64(index))
        }
        let clock = ContinuousClock()
        let time = clock.measure {
            for messages in [chain, chain.reversed()] {
                let trees = ReferenceTree.threads(messages)
                #expect(trees.count == 1 && trees.first?.nodes.last?.depth == count - 1)
                #expect(trees.first?.notation.hasPrefix("(") == true)
            }
        }
        #expect(time < .seconds(60))
    }
}

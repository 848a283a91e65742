import Models
import Testing

@testable import Threading

/// A message that came at a time, with what it refers to, nearest last.
private func message(
    _ name: String, _ references: [String] = [], from writer: String = "ann", to: Set<String> = [],
    own: Bool = false, at time: Int64, id: String? = nil
) -> ConversationMessage {
    ConversationMessage(
        ids: ThreadInput(
            message: EmailID(rawValue: name), messageID: MessageID((id ?? name) + "@x"),
            references: references.map { MessageID($0 + "@x") }),
        writer: writer, recipients: to, isOwn: own, received: Timestamp(seconds: time))
}

@Suite struct ConversationsTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let messages: [ConversationMessage]
        let groups: Set<Set<String>>

        init(_ name: String, _ messages: [ConversationMessage], _ groups: Set<Set<String>>) {
            testDescription = name
            self.messages = messages
            self.groups = groups
        }
    }

    static let cases = [
        Case(
            "replies join their parents", [message("a", at: 1), message("b", ["a"], at: 2)], [["a", "b"]]),
        Case(
            "one mail that names two conversations joins the nearest",
            [message("a", at: 1), message("b", at: 2), message("s", ["a", "b"], from: "stranger", at: 3)],
            [["a"], ["b", "s"]]),
        Case(
            "a mail that comes before what it names joins the first that comes, and no other",
            [message("s", ["a", "b"], from: "stranger", at: 1), message("a", at: 2), message("b", at: 3)],
            [["a", "s"], ["b"]]),
        Case(
            "two mails of one stranger, the second named by the first, join two conversations in no order",
            [
                message("a", at: 1), message("b", at: 2), message("s", ["t", "a"], from: "stranger", at: 3),
                message("t", ["b"], from: "stranger", at: 4),
            ], [["a", "s"], ["b", "t"]]),
        Case(
            "a Message-ID that another mail has joins that mail, whatever else is named",
            [
                message("a", at: 1), message("b", at: 2),
                message("s", ["b"], from: "stranger", at: 3, id: "a"),
            ], [["a", "s"], ["b"]]),
        Case(
            "the user's own mail joins two",
            [message("a", at: 1), message("b", at: 2), message("m", ["a", "b"], own: true, at: 3)],
            [["a", "b", "m"]]),
        Case(
            "so does somebody to whom the user wrote in both",
            [
                message("a", at: 1), message("b", at: 2),
                message("ra", ["a"], to: ["bob"], own: true, at: 3),
                message("rb", ["b"], to: ["bob"], own: true, at: 4),
                message("m", ["a", "b"], from: "bob", at: 5),
            ], [["a", "b", "ra", "rb", "m"]]),
        Case(
            "somebody to whom the user wrote in one of them does not",
            [
                message("a", at: 1), message("b", at: 2),
                message("ra", ["a"], to: ["bob"], own: true, at: 3),
                message("m", ["a", "b"], from: "bob", at: 5),
            ], [["a", "ra"], ["b", "m"]]),
        Case(
            "a late parent gets its replies",
            [
                message("root", at: 1), message("leaf", ["middle"], at: 2),
                message("middle", ["root"], at: 3),
            ], [["root", "leaf", "middle"]]),
        Case(
            "siblings whose parent nobody has find each other where they know each other",
            [
                message("b", ["gone"], from: "bob", at: 1),
                message("c", ["gone"], from: "carl", to: ["bob"], at: 2),
            ], [["b", "c"]]),
        Case(
            "a stranger who names a missing parent is joined by nobody",
            [
                message("s", ["x", "y"], from: "stranger", at: 1), message("a", ["x"], at: 2),
                message("b", ["y"], from: "bob", at: 3),
            ], [["s"], ["a"], ["b"]]),
    ]

    @Test(arguments: cases)
    func groups(_ example: Case) {
        for messages in [example.messages, example.messages.reversed()] {
            let first = Conversations.firstMessages(messages)
            let groups = Dictionary(grouping: first.keys, by: { first[$0] }).values
            #expect(Set(groups.map { Set($0.map(\.rawValue)) }) == example.groups)
        }
    }

    @Test("a conversation that is too large loses the mail of strangers first")
    func largest() {
        let known = [
            message("a", from: "ann", to: ["me", "carl"], at: 1),
            message("b", ["a"], from: "carl", at: 2),
            message("c", ["a"], from: "me", to: ["dora"], own: true, at: 3),
            message("d", ["c"], from: "dora", at: 4),
        ]
        let strangers = (1...2).map { number in
            message("s\(number)", ["a"], from: "stranger", to: ["stranger", "me"], at: 1)
        }
        let first = Conversations.firstMessages(known + strangers, largest: 5)
        let a = EmailID(rawValue: "a")
        #expect(known.allSatisfy { first[$0.ids.message] == a })
        #expect(strangers.allSatisfy { first[$0.ids.message] == $0.ids.message })
        #expect(Conversations.firstMessages(known + strangers, largest: 6).values.allSatisfy { $0 == a })
        let separate = Conversations.firstMessages(known + strangers, largest: 3)
        #expect(separate.allSatisfy { $0 == $1 })
    }

    @Test("a loop of references ends")
    func loop() {
        let first = Conversations.firstMessages([
            message("a", ["c"], at: 1), message("b", ["a"], at: 2), message("c", ["b", "c"], at: 3),
        ])
        #expect(Set(first.values.map(\.rawValue)) == ["a"])
    }
}

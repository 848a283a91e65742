import MIMEParser
import Models
import Testing

@testable import Rules

/// A sign in a message, and whether a program may still answer it.
struct LoopScenario: CustomTestStringConvertible, Sendable {
    let name: String
    let change: @Sendable (inout MessageFacts) -> Void
    var testDescription: String { name }

    init(_ name: String, _ change: @escaping @Sendable (inout MessageFacts) -> Void) {
        self.name = name
        self.change = change
    }

    /// A header field beside those of an ordinary mail.
    static func header(_ field: String, _ body: String) -> LoopScenario {
        LoopScenario("\(field): \(body)") { $0.headers.append(HeaderField(name: field, body: body)) }
    }

    static func from(_ address: String) -> LoopScenario {
        LoopScenario("from \(address)") { $0.from = [EmailAddress(address)].compactMap(\.self) }
    }
}

/// Who is never answered by a program.
@Suite struct LoopGuardTests {
    private let own = OwnAddressSet(
        ["me@home.example", "ana@acme.example"].compactMap { EmailAddress($0) })

    private func reason(_ scenario: LoopScenario) -> LoopGuard.Reason? {
        LoopGuard.reason(against: mail(scenario.change), own: own)
    }

    static let refused: [LoopScenario] = [
        .header("Auto-Submitted", "auto-replied"),
        .header("Auto-Submitted", "auto-generated"),
        .header("Auto-Submitted", "auto-notified"),
        .header("AUTO-SUBMITTED", "Auto-Replied (vacation)"),
        .header("Auto-Submitted", "auto-replied; owner-email=\"x@y.example\""),
        .header("Auto-Submitted", "nonsense"),
        .header("X-Auto-Response-Suppress", "All"),
        .header("X-Auto-Response-Suppress", "DR, OOF, AutoReply"),
        .header("Precedence", "bulk"),
        .header("Precedence", "JUNK"),
        .header("precedence", "list"),
        .header("List-Id", "<l.example>"),
        .header("List-Unsubscribe", "<https://l.example/u>"),
        .header("List-Post", "NO"),
        .header("List-Help", "<mailto:help@l.example>"),
        .header("Return-Path", "<>"),
        .header("Return-Path", " < > "),
        .header("Return-Path", "<list-bounces@l.example>"),
        .header("Return-Path", "<owner-list@l.example>"),
        .header("Content-Type", "multipart/report; report-type=delivery-status; boundary=x"),
        .header("X-Opus-Loop", "ana@acme.example"),
        .header("X-Opus-Loop", "somebody@far.example"),
        .header("X-Loop", "Ana@ACME.example"),
        .from("MAILER-DAEMON@mx.example"),
        .from("postmaster@mx.example"),
        .from("no-reply@shop.example"),
        .from("noreply+7@shop.example"),
        .from("Do.Not.Reply@shop.example"),
        .from("do_not_reply@shop.example"),
        .from("swift-request@lists.example"),
        .from("owner-swift@lists.example"),
        .from("swift-bounces@lists.example"),
        .from("listserv@lists.example"),
        .from("majordomo@lists.example"),
        .from("me@home.example"),
        .from("ANA@acme.example"),
        .from("ana+shop@acme.example"),
        LoopScenario("without a sender") { $0.from = [] },
        LoopScenario("sent for somebody by a robot") {
            $0.sender = [EmailAddress(localPart: "bounces+1", domain: "mx.example")]
        },
        LoopScenario("answers go to nobody") {
            $0.replyTo = [EmailAddress(localPart: "no-reply", domain: "shop.example")]
        },
        LoopScenario("answers go to a list's program") {
            $0.replyTo = [EmailAddress(localPart: "swift-request", domain: "lists.example")]
        },
        LoopScenario("over thirty servers") { facts in
            for _ in 0..<30 { facts.headers.append(HeaderField(name: "Received", body: "by x")) }
        },
    ]

    @Test(arguments: refused) func `a message with such a sign is not answered automatically`(
        _ scenario: LoopScenario
    ) { #expect(reason(scenario) != nil) }

    static let allowed: [LoopScenario] = [
        LoopScenario("an ordinary mail") { _ in },
        .header("Auto-Submitted", "no"),
        .header("Auto-Submitted", "NO; comment"),
        .header("Precedence", "normal"),
        .header("Return-Path", "<bob@far.example>"),
        .header("X-Auto-Response-Suppress", "DR"),
        .header("X-Loop", "somebody@else.example"),
        .from("reply@shop.example"),
        .from("requests@shop.example"),
        .from("bob.noble@shop.example"),
    ]

    @Test(arguments: allowed) func `a person's mail may be answered`(_ scenario: LoopScenario) {
        #expect(reason(scenario) == nil)
    }

    @Test(arguments: refused) func `each reason has a text`(_ scenario: LoopScenario) {
        #expect(reason(scenario).map { !$0.description.isEmpty } == true)
    }
}

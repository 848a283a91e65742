import Foundation
import Models
import Testing

/// Stored plans and `opus.plan/1` hold actions in this form: it may gain fields, and nothing in it may change.
@Suite("Actions as JSON")
struct ActionCodingTests {
    private static let bob = EmailAddress(displayName: "Bob", localPart: "bob", domain: "acme.example")

    private static func date(_ year: Int, _ month: Int, _ day: Int) throws -> TodoDate {
        .date(try #require(CalendarDate(year: year, month: month, day: day)))
    }

    /// One of each action, or two, with its form.
    private static func samples() throws -> [(action: Action, json: String)] {
        var draft = TodoDraft(summary: "Pay", list: .waiting)
        draft.notes = "n"
        draft.contexts = ["@finance"]
        draft.due = try date(2026, 3, 31)
        draft.start = .instant(Timestamp(seconds: 1_770_000_000))
        draft.priority = 1
        draft.alarmSecondsBefore = 60
        draft.waitingOn = bob
        let mailbox = Mailbox(
            account: AccountID("work"), name: MailboxName("Projects/Acme"), displayName: "Projects/Acme",
            delimiter: "/", role: .archive)
        return [
            (
                .keep,
                #"{"type":"keep"}"#
            ),
            (
                .archive,
                #"{"type":"archive"}"#
            ),
            (
                .trash,
                #"{"type":"trash"}"#
            ),
            (
                .junk,
                #"{"type":"junk"}"#
            ),
            (
                .move(to: mailbox),
                #"{"mailbox":{"account":"work","delimiter":"/","displayName":"Projects/Acme","name":"P"#
                    + #"rojects/Acme","role":"archive"},"type":"move"}"#
            ),
            (
                .deferUntil(Timestamp(seconds: 1_773_129_600)),
                #"{"type":"defer","until":"2026-03-10T08:00:00Z"}"#
            ),
            (
                .label(Keyword("reading")),
                #"{"keyword":"reading","type":"label"}"#
            ),
            (
                .unlabel(Keyword("new")),
                #"{"keyword":"new","type":"unlabel"}"#
            ),
            (
                .flag,
                #"{"type":"flag"}"#
            ),
            (
                .unflag,
                #"{"type":"unflag"}"#
            ),
            (
                .mark(read: true),
                #"{"read":true,"type":"mark"}"#
            ),
            (
                .mark(read: false),
                #"{"read":false,"type":"mark"}"#
            ),
            (
                .task(draft),
                #"{"task":{"alarmSecondsBefore":60,"contexts":["@finance"],"due":"2026-03-31","list":""#
                    + #"waiting","notes":"n","priority":1,"start":"2026-02-02T02:40:00Z","summary":"Pay","wa"#
                    + #"itingOn":{"displayName":"Bob","domain":"acme.example","localPart":"bob"}},"type":"ta"#
                    + #"sk"}"#
            ),
            (
                .task(TodoDraft(summary: "Call")),
                #"{"task":{"contexts":[],"list":"next","notes":"","priority":0,"summary":"Call"},"type"#
                    + #"":"task"}"#
            ),
            (
                .delegate(Delegation(to: bob, note: "Yours", followUp: try date(2026, 4, 2), sending: .now)),
                #"{"delegation":{"followUp":"2026-04-02","note":"Yours","sending":"now","to":{"display"#
                    + #"Name":"Bob","domain":"acme.example","localPart":"bob"}},"type":"delegate"}"#
            ),
            (
                .vacation(AutoReply(to: bob, subject: "Away", text: "Back soon", days: 3)),
                #"{"reply":{"days":3,"sending":"draft","subject":"Away","text":"Back soon","to":{"disp"#
                    + #"layName":"Bob","domain":"acme.example","localPart":"bob"}},"type":"vacation"}"#
            ),
            (
                .letter(Letter(.reply, to: [bob], subject: "Re", text: "Thanks")),
                #"{"letter":{"kind":"reply","sending":"draft","subject":"Re","text":"Thanks","to":[{"d"#
                    + #"isplayName":"Bob","domain":"acme.example","localPart":"bob"}]},"type":"reply"}"#
            ),
            (
                .letter(Letter(.forward, to: [bob], text: "For May", sending: .now)),
                #"{"letter":{"kind":"forward","sending":"now","text":"For May","to":[{"displayName":"B"#
                    + #"ob","domain":"acme.example","localPart":"bob"}]},"type":"forward"}"#
            ),
            (
                .waiting(
                    Waiting(on: bob, title: "Answer", followUp: .instant(Timestamp(seconds: 1_773_129_600)))),
                #"{"type":"waiting","waiting":{"followUp":"2026-03-10T08:00:00Z","on":{"displayName":""#
                    + #"Bob","domain":"acme.example","localPart":"bob"},"title":"Answer"}}"#
            ),
            (
                .copy(to: mailbox),
                #"{"mailbox":{"account":"work","delimiter":"/","displayName":"Projects/Acme","#
                    + #""name":"Projects/Acme","role":"archive"},"type":"copy"}"#
            ),
            (
                .mark(.bundle(Keyword("bundle.reading"))),
                #"{"keyword":"bundle.reading","type":"bundle"}"#
            ),
            (
                .notify("look"),
                #"{"text":"look","type":"notify"}"#
            ),
            (
                .unsubscribe,
                #"{"type":"unsubscribe"}"#
            ),
            (
                .saveFiles(
                    SavedFiles(folder: "Invoices", files: [.init(section: "2", name: "a.pdf", size: 7)])),
                #"{"saving":{"files":[{"name":"a.pdf","section":"2","size":7}],"folder":"Invoices"},"t"#
                    + #"ype":"save-attachment"}"#
            ),
        ]
    }

    @Test("every action is written in its stable form, and read back")
    func form() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for (action, json) in try Self.samples() {
            #expect(String(decoding: try encoder.encode(action), as: UTF8.self) == json)
            #expect(try JSONDecoder().decode(Action.self, from: Data(json.utf8)) == action)
        }
    }

    @Test("the samples have every kind of action")
    func names() throws {
        #expect(Set(try Self.samples().map(\.action.name)) == Set(ActionName.allCases))
    }
}

import Inspection
import Pipeline
import Testing

@testable import opus

/// What `opus inspect imap` prints for people.
@Suite("Responses as lines")
struct ResponseTextTests {
    private func line(_ response: String) throws -> String {
        var transcript = TranscriptInspection(file: "-")
        let bytes = Array((response + "\r\n").utf8)
        let found = try transcript.feed(bytes[...])
        return ResponseText(try #require(found.first)).words
    }

    @Test(
        "each response is shown on one line",
        arguments: [
            ("A1 OK [COPYUID 7 1:2 9,8] moved", "A1  OK  [COPYUID 7 1,2 9,8]  moved"),
            ("* LIST (\\Drafts) \"/\" Entw&APw-rfe", "Entwürfe  (drafts)  delimiter /  \\Drafts"),
            ("* STATUS x (MESSAGES 2 UIDNEXT 9 SIZE 5)", "x  messages 2  uidnext 9  size 5"),
            ("* SEARCH 5 6 7", "3 found  5:7"),
            ("* VANISHED (EARLIER) 1:4,6", "1:4,6  earlier"),
            (
                "* 1 FETCH (UID 5 FLAGS (\\Seen) BODY[1] \"abc\" BODY[2] NIL)",
                "#1  uid 5  flags (\\Seen)  BODY[1] 3 bytes sha256 ba7816bf8f01  BODY[2] NIL"
            ),
            (
                "* 1 FETCH (BODYSTRUCTURE (\"TEXT\" \"PLAIN\" NIL NIL NIL \"7BIT\" 4 1 NIL NIL NIL NIL))",
                "#1  parts (1 text/plain 4)"
            ),
            ("* 1 FETCH (UID %)", "FETCH  number expected at 15  in: * 1 FETCH (UID %)"),
            ("* OK [UIDNEXT 5]", "OK  [UIDNEXT 5]  {missingStatusText}"),
        ])
    func words(_ response: String, _ words: String) throws {
        #expect(try line(response) == words)
    }
}

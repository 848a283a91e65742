import Models
import Testing

@testable import MIMEParser

@Suite struct MailDateTests {
    @Test(
        "valid dates are read",
        arguments: [
            ("Thu, 05 Mar 2026 10:00:00 +0100", "2026-03-05T09:00:00Z"),
            ("5 Mar 2026 10:00:00 -0500", "2026-03-05T15:00:00Z"),
            ("Mon, 05 Mar 2026 10:00:00 +0000", "2026-03-05T10:00:00Z"),
            ("Thu, 05 Mar 2026 10:00 +0000", "2026-03-05T10:00:00Z"),
            ("Thu, 5 Mar 26 10:00:00 GMT", "2026-03-05T10:00:00Z"),
            ("5 Mar 99 10:00:00 GMT", "1999-03-05T10:00:00Z"),
            ("5 Mar 126 10:00:00 GMT", "2026-03-05T10:00:00Z"),
            ("Thu, 05 Mar 2026 10:00:00 PDT", "2026-03-05T17:00:00Z"),
            ("Thu, 05 Mar 2026 10:00:00 EST", "2026-03-05T15:00:00Z"),
            ("Thu, 05 Mar 2026 10:00:00 Z", "2026-03-05T10:00:00Z"),
            ("Thu, 05 Mar 2026 10:00:00 A", "2026-03-05T10:00:00Z"),
            ("Thu, 05 Mar 2026 10:00:00", "2026-03-05T10:00:00Z"),
            ("Thu, 05 Mar 2026 10:00:00 -0000", "2026-03-05T10:00:00Z"),
            ("Thu, 05 Mar 2026 10:00:00 +0530 (IST)", "2026-03-05T04:30:00Z"),
            ("Thu, 05 Mar 2026 10:00:00 +05:30", "2026-03-05T04:30:00Z"),
            ("Thu, 05 Mar 2026 10:00:00 GMT+0100", "2026-03-05T09:00:00Z"),
            ("Thu (today), 05 (five) Mar 2026 10:00:00 +0000", "2026-03-05T10:00:00Z"),
            ("Thu,05 Mar 2026 10:00:00 +0000", "2026-03-05T10:00:00Z"),
            ("Thursday, 05 March 2026 10:00:00 +0000", "2026-03-05T10:00:00Z"),
            ("Thu Mar  5 10:00:00 2026", "2026-03-05T10:00:00Z"),
            ("Thu Mar  5 10:00:00 PST 2026", "2026-03-05T18:00:00Z"),
            ("05-Mar-2026 10:00:00 +0000", "2026-03-05T10:00:00Z"),
            ("2026-03-05T10:00:00Z", "2026-03-05T10:00:00Z"),
            ("2026-03-05 10:00:00 +0100", "2026-03-05T09:00:00Z"),
            ("Thu, 05 Mar 2026 11:00:00 PM +0000", "2026-03-05T23:00:00Z"),
            ("Sun, 29 Feb 2004 23:59:60 +0000", "2004-03-01T00:00:00Z"),
            ("Thu,\r\n 05 Mar 2026\r\n 10:00:00 +0000", "2026-03-05T10:00:00Z"),
            ("Thu, 05 Mar 2026 10:00:00 +9900", "2026-03-05T10:00:00Z"),
            ("Wed, 31 Dec 1969 23:59:59 +0000", "1969-12-31T23:59:59Z"),
        ])
    func dates(_ input: String, _ expected: String) {
        #expect(MailDate.read(input)?.rfc3339 == expected)
    }

    @Test(
        "an invalid date is not read",
        arguments: [
            "", "yesterday", "Thu, 32 Mar 2026 10:00:00 +0000", "Sun, 29 Feb 2026 10:00:00 +0000",
            "Thu, 05 Foo 2026 10:00:00 +0000", "05 Mar 10:00:00", "Thu, 05 Mar 2026 25:00:00 +0000",
            "Thu, 05 Mar 2026 10:61:00 +0000", "10:00:00", "99999999999999999999", "0 Jan 0 0:0:0",
        ])
    func noDates(_ input: String) { #expect(MailDate.read(input) == nil) }

    @Test("a written date is read back")
    func roundTrip() {
        for seconds: Int64 in [0, -1, 951_782_400, 1_772_704_800, 4_102_444_799] {
            for offset in [0, 3_600, -12_600, 50_400] {
                let text = MailDate.write(Timestamp(seconds: seconds), offsetSeconds: offset)
                #expect(MailDate.read(text)?.seconds == seconds, "\(text)")
            }
        }
        let written = MailDate.write(Timestamp(seconds: 1_772_704_800), offsetSeconds: 3_600)
        #expect(written == "Thu, 05 Mar 2026 11:00:00 +0100")
    }
}

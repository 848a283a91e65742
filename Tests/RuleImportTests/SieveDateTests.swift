import Models
import Rules
import Testing

@testable import RuleImport

@Suite struct SieveDateTests {
    /// Times of day, one a line.
    private static func listed(_ indent: Int, _ times: [String]) -> String {
        "time:" + times.map { "\n" + String(repeating: " ", count: indent) + "- '\($0)'" }.joined()
    }

    private static func clock(_ hour: Int, _ minute: Int) -> String {
        [hour, minute].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    static let cases: [SieveCase] = [
        .init("before a day", #"date :value "lt" "date" "date" "2026-01-05""#, "sent: '<2026-01-05'"),
        .init(
            "one of several days", #"date :is "date" "date" ["2026-01-31", "2028-02-29"]"#,
            "sent: ['2026-01-31', '2028-02-29']"),
        .init("a month by its beginning", #"date :matches "date" "date" "2026-03-*""#, march),
        .init("a month by its letters", #"date :matches "date" "date" "2026-03-??""#, march),
        .init(
            "from a day that is not there", #"date :value "ge" "date" "date" "2026-02-31""#,
            "sent: '>=2026-03-01'"),
        .init(
            "not that day", #"currentdate :value "ne" "date" "2026-03-10""#,
            "received: ['<2026-03-10', '>=2026-03-11']"),
        .init("a day by its number", #"date :is "date" "julian" "61000""#, "sent: '2025-11-21'"),
        .init(
            "the year of a day, as a number",
            "date \(numeric) :value \"ge\" \"date\" \"date\" \"2026-07-01\"", "sent: '>=2026-01-01'"),
        .init(
            "a year", #"date "date" "year" "2026""#,
            "\n    all:\n      - sent: '>=2026-01-01'\n      - sent: '<2027-01-01'"),
        .init("until a year", #"currentdate :value "le" "year" "2026""#, "received: '<2027-01-01'"),
        .init("any year", #"date :value "ge" "date" "year" "0000""#, "header:Date: '*'"),
        .init("an hour", #"date "date" "hour" "09""#, "time: '09:00-10:00'"),
        .init("from an hour", #"date :value "ge" "date" "hour" "18""#, "time: '>=18:00'"),
        .init(
            "hours of a list", #"date :is "date" "hour" ["08", "09", "12"]"#,
            "time: ['08:00-10:00', '12:00-13:00']"),
        .init(
            "the night", #"date :is "date" "hour" ["22", "23", "00", "01"]"#, "time: '22:00-02:00'"),
        .init(
            "an hour as a number", "date \(numeric) :value \"lt\" \"date\" \"hour\" \"9\"", "time: '<09:00'"),
        .init(
            "hours by a letter", #"date :contains "date" "hour" "3""#,
            "time: ['03:00-04:00', '13:00-14:00', '>=23:00']"),
        .init(
            "the second half of every hour", #"date :value "ge" "date" "minute" "30""#,
            "\n    " + listed(6, (0..<23).map { "\(clock($0, 30))-\(clock($0 + 1, 0))" } + [">=23:30"])
        ),
        .init(
            "round the full hour, over midnight", #"date "date" "minute" ["58", "59", "00", "01"]"#,
            "\n    " + listed(6, ["23:58-00:02"] + (0..<23).map { "\(clock($0, 58))-\(clock($0 + 1, 2))" })
        ),
        .init("any minute", #"date :value "ge" "date" "minute" "00""#, "header:Date: '*'"),
        .init(
            "a minute of an hour", #"allof(date "date" "hour" "09", date "date" "minute" "15")"#,
            "\n    all:\n      - time: '09:00-10:00'\n      - "
                + listed(10, (0..<24).map { "\(clock($0, 15))-\(clock($0, 16))" })
        ),
        .init("from a time", #"date :value "ge" "date" "time" "18:30:00""#, "time: '>=18:30'"),
        .init("up to a time", #"date :value "le" "date" "time" "18:30:00""#, "time: '<18:30:01'"),
        .init(
            "a time without seconds, as text", #"date :value "gt" "date" "time" "18:30""#, "time: '>=18:30'"),
        .init("a second", #"date "date" "time" "18:30:15""#, "time: '18:30:15-18:30:16'"),
        .init("days of the week", #"date :value "ge" "date" "weekday" "5""#, "weekday: 'fri,sat'"),
        .init("every day of the week", #"date :value "ge" "date" "weekday" "0""#, "header:Date: '*'"),
        .init(
            "office hours",
            #"allof(currentdate :value "ge" "hour" "09", currentdate :value "lt" "hour" "17", not currentdate "weekday" ["0", "6"])"#,
            "\n    all:\n      - time: '>=09:00'\n      - time: '<17:00'\n      - not: { weekday: 'sun,sat' }"
        ),
        .init(
            "a year and a month",
            #"allof(date "date" "year" "2026", header "subject" "a", date "date" "month" "03")"#,
            "\n    all:\n      - sent: '>=2026-03-01'\n      - sent: '<2026-04-01'\n      - subject: { equals: 'a' }"
        ),
        .init(
            "the last day of February",
            #"allof(date "date" "year" ["2027", "2028"], date "date" "month" "02", date :value "ge" "date" "day" "28")"#,
            "\n    any:\n      - sent: '2027-02-28'\n      - all:\n          - sent: '>=2028-02-28'\n          - sent: '<2028-03-01'"
        ),
        .init("a month of every year", #"date "date" "month" "12""#, "month: '12'"),
        .init("the first week of every month", #"date :value "le" "date" "day" "07""#, "day: '<8'"),
        .init(
            "months and days", #"allof(date "date" "month" ["03", "04", "09"], date "date" "day" "01")"#,
            "\n    any:\n      - all:\n          - month: '>=3'\n          - month: '<5'\n      - month: '9'\n    day: '1'"
        ),
        .init("any month", #"date :value "ge" "date" "month" "01""#, "header:Date: '*'"),
        .init(
            "a month of open years",
            #"allof(date :value "ge" "date" "year" "2020", date "date" "month" "03")"#,
            "\n    sent: '>=2020-01-01'\n    month: '3'"
        ),
        .init("the only Date", #"date :index 1 "date" "month" "12""#, "month: '12'"),
        .init(
            "from a moment", #"date :value "ge" "date" "iso8601" "2026-03-10T11:30:00""#,
            "sent: '>=2026-03-10 11:30'"),
        .init(
            "after a moment without its zone", #"date :value "gt" "date" "iso8601" "2026-03-10T11:30:00""#,
            "sent: '>=2026-03-10 11:30'"),
        .init(
            "before a day, as a moment", #"date :value "lt" "date" "iso8601" "2026-03-10""#,
            "sent: '<2026-03-10'"),
        .init(
            "an hour of a day", #"date :matches "date" "iso8601" "2026-03-10T11*""#,
            "\n    all:\n      - sent: '>=2026-03-10 11:00'\n      - sent: '<2026-03-10 12:00'"),
        .init(
            "the zone of the sender", #"date :originalzone "date" "zone" "+0100""#,
            #"header:Date: { matches: '(?i)\s(?:\+0100)\s*(?:\(.*\)\s*)?$' }"#),
        .init("the zone of the test", #"date :zone "+0100" "date" "zone" "+0100""#, "header:Date: '*'"),
    ]
    static let march = "\n    all:\n      - sent: '>=2026-03-01'\n      - sent: '<2026-04-01'"
    static let numeric = #":comparator "i;ascii-numeric""#

    @Test("parts of dates become conditions", arguments: cases)
    func translation(_ item: SieveCase) throws {
        let imported = try Imported("if \(item.script) { keep; }", .sieve)
        let when = item.body.hasPrefix("\n") ? "when:" + item.body : "when: { \(item.body) }"
        #expect(imported.body == "- id: keep\n  \(when)\n  then: keep")
        #expect(imported.dropped.isEmpty)
        #expect(imported.result.testCount > 0)
    }

    @Test(
        "a date test that cannot be translated is reported with its reason",
        arguments: [
            (#"date "date" "second" "30""#, "no condition tests the seconds of a time"),
            (
                #"date "date" "std11" "Tue, 10 Mar 2026 12:00:00 +0000""#,
                "no condition tests a date as text; 'header:Date' tests the field as it is written"
            ),
            (#"date "date" "century" "20""#, "no condition tests this part of a date"),
            (
                #"date "date" "iso8601" "2026-03-10T12:00:00+01:00""#,
                "no condition compares this part of a date in this way"
            ),
            (
                #"date :zone "+0200" "date" "iso8601" "2026-03-10T12:00:00+01:00""#,
                "no condition compares this part of a date in this way"
            ),
            (#"date :index 2 "date" "date" "2026-03-10""#, "a condition tests only the topmost 'date'"),
            (
                #"date :index 1 :last "received" "date" "2026-03-10""#,
                "a condition tests only the topmost 'received'"
            ),
            (
                #"date "date" "minute" ["00", "10", "20", "30", "40"]"#,
                "more than 4 ranges within an hour"
            ),
            (#"date "date" "zone" "+0100""#, "no condition tests the zone of the mail server"),
            (
                #"date :originalzone :contains "date" "zone" "+01""#,
                "no condition compares the zone of a date in this way"
            ),
            (
                #"date :zone "+0200" "date" "zone" "+0100""#,
                "its condition cannot be translated, or never holds"
            ),
            (#"date "resent-date" "date" "2026-03-01""#, "no condition tests the date of this field"),
            (#"date :regex "date" "date" "^2026""#, "no condition compares this part of a date in this way"),
            (
                #"date :matches "date" "date" "*-03-*""#,
                "no condition compares this part of a date in this way"
            ),
            (#"date :count "ge" "date" "hour" "1""#, "no condition compares this part of a date in this way"),
            (#"date :zone "Paris" "date" "hour" "1""#, "':zone' is not translated"),
            (#"date "date" "date" "2026-02-31""#, "its condition cannot be translated, or never holds"),
        ])
    func reports(test: String, reason: String) throws {
        let imported = try Imported("if \(test) { fileinto \"A\"; }", .sieve)
        #expect(imported.dropped.contains(reason), "\(imported.dropped)")
        #expect(imported.result.ruleCount == 0)
    }

    @Test(
        "a different time zone or date is reported",
        arguments: [
            (
                #"date :zone "+0100" "date" "hour" "09""#,
                "in the time zone of the workspace, and not in +0100"
            ),
            (
                #"date :originalzone "date" "date" "2026-03-01""#,
                "in the time zone of the workspace, and not in the sender's"
            ),
            (
                #"date :zone "+0100" "date" "iso8601" "2026-03-10T12:00:00+01:00""#,
                "in the time zone of the workspace, and not in +0100"
            ),
            (#"currentdate "month" "12""#, "tests the month of the message's date"),
            (#"currentdate :value "le" "day" "07""#, "tests the day of the message's date"),
            (#"date "received" "hour" "09""#, "tests the time of day of the message's date"),
            (#"currentdate "weekday" "1""#, "tests the day of the week of the message's date"),
        ])
    func changes(test: String, reason: String) throws {
        let imported = try Imported("if \(test) { keep; }", .sieve)
        #expect(imported.changed == [reason])
        #expect(imported.dropped.isEmpty)
    }

    @Test("a rule on time zones matches mail of these zones in any spelling")
    func zones() throws {
        let imported = try Imported(
            #"if date :originalzone "date" "zone" "+0000" { fileinto "A"; }"#, .sieve)
        for (end, isTaken) in [
            ("+0000", true), ("-0000", true), ("GMT", true), ("+0000 (UTC)", true), ("+0100", false),
            ("EST", false),
            ("+0100 (GMT)", false),
        ] {
            let outcome = imported.outcome {
                $0.headers = [HeaderField(name: "Date", body: "Tue, 10 Mar 2026 12:00:00 \(end)")]
            }
            #expect(outcome == (isTaken ? ["move A"] : []), "\(end)")
        }
    }

    @Test("a rule on hours matches mail of these hours, in the time zone of the rules")
    func hours() throws {
        let imported = try Imported(
            #"if date :is "date" "hour" ["22", "23", "00"] { fileinto "A"; }"#, .sieve)
        let midnight = try #require(Timestamp(rfc3339: "2026-03-10T00:00:00Z"))
        for (hour, isTaken) in [(-3, false), (-2, true), (-1, true), (0, true), (1, false)] {
            let outcome = imported.outcome { $0.sent = midnight + Int64(hour) * 3_600 }
            #expect(outcome == (isTaken ? ["move A"] : []), "\(hour)")
        }
    }
}

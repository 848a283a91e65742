import Models
import TestSupport
import Testing

@testable import MIMEParser

/// Dates as wrong as real mail has them. The offset is what the field says: `?` where it says none.
@Suite struct MailDateRepairTests {
    static func read(_ input: String) -> String {
        guard let (time, offset) = MailDate.readWithOffset(Array(input.utf8)[...]) else { return "none" }
        return time.rfc3339 + " " + (offset.map { String($0 / 60) } ?? "?")
    }

    @Test(
        "dates in wrong but clear forms are read",
        arguments: [
            ("ISO with Z", "2026-03-05T10:00:00Z", "2026-03-05T10:00:00Z 0"),
            ("ISO with a zone", "2026-03-05T10:00:00+01:00", "2026-03-05T09:00:00Z 60"),
            ("ISO with a fraction", "2026-03-05T10:00:00.123456+0100", "2026-03-05T09:00:00Z 60"),
            ("ISO without seconds", "2026-03-05T10:00Z", "2026-03-05T10:00:00Z 0"),
            ("ISO with a blank", "2026-03-05 10:00:00", "2026-03-05T10:00:00Z ?"),
            ("ISO with a weekday", "Thu, 2026-03-05 10:00:00 -0800", "2026-03-05T18:00:00Z -480"),
            ("ISO, basic", "20260305T100000Z", "2026-03-05T10:00:00Z 0"),
            ("ISO, day alone", "2026-03-05", "2026-03-05T00:00:00Z ?"),
            ("ISO with one digit", "2026-3-5 9:05:03", "2026-03-05T09:05:03Z ?"),
            ("asctime", "Thu Mar  5 10:00:00 2026", "2026-03-05T10:00:00Z ?"),
            ("asctime with a zone", "Thu Mar  5 10:00:00 PST 2026", "2026-03-05T18:00:00Z -480"),
            ("asctime with a number", "Thu Mar  5 10:00:00 2026 +0100", "2026-03-05T09:00:00Z 60"),
            ("year first", "2026 Mar 5 10:00:00 +0000", "2026-03-05T10:00:00Z 0"),
            ("year first, joined", "2026-Mar-05 10:00:00", "2026-03-05T10:00:00Z ?"),
            ("slashes, year first", "2026/03/05 10:00:00", "2026-03-05T10:00:00Z ?"),
            ("slashes, day above twelve", "25/03/2026 10:00", "2026-03-25T10:00:00Z ?"),
            ("slashes, month first", "03/25/2026 10:00", "2026-03-25T10:00:00Z ?"),
            ("dots", "05.03.2026 10:00:00", "2026-03-05T10:00:00Z ?"),
            ("a web log", "05/Mar/2026:10:00:00 +0100", "2026-03-05T09:00:00Z 60"),
            ("month first", "March 5, 2026 10:00 AM", "2026-03-05T10:00:00Z ?"),
            ("ordinal", "March 5th, 2026 at 10:00:00 PM", "2026-03-05T22:00:00Z ?"),
            ("glued", "Thu,05Mar2026 10:00:00 GMT", "2026-03-05T10:00:00Z 0"),
            ("joined by hyphens", "Thu, 05-Mar-2026 10:00:00 +0100", "2026-03-05T09:00:00Z 60"),
            ("two digits and hyphens", "Thursday, 05-Mar-26 10:00:00 GMT", "2026-03-05T10:00:00Z 0"),
            ("apostrophe", "5 Mar '26 10:00 UT", "2026-03-05T10:00:00Z 0"),
            ("no time", "Thu, 05 Mar 26", "2026-03-05T00:00:00Z ?"),
            ("no weekday", "05 Mar 2026 10:00:00 +0100", "2026-03-05T09:00:00Z 60"),
            ("a wrong weekday", "Fri, 05 Mar 2026 10:00:00 +0100", "2026-03-05T09:00:00Z 60"),
            ("no commas", "Thu 05 Mar 2026 10:00:00 +0100", "2026-03-05T09:00:00Z 60"),
            ("many commas", "Thu,, 05, Mar, 2026, 10:00:00, +0100", "2026-03-05T09:00:00Z 60"),
            ("time first", "10:00:00 05 Mar 2026", "2026-03-05T10:00:00Z ?"),
            ("one digit of the hour", "5 Mar 2026 9:05:03 +0000", "2026-03-05T09:05:03Z 0"),
            ("blanks instead of zeros", "Thu, 05 Mar 2026  9: 5: 3 +0100", "2026-03-05T08:05:03Z 60"),
            ("dots in the time", "Thu, 05 Mar 2026 10.00.00 +0100", "2026-03-05T09:00:00Z 60"),
            ("dots without seconds", "5 Mar 2026 10.30", "2026-03-05T10:30:00Z ?"),
            ("fraction", "5 Mar 2026 10:00:00.5 +0000", "2026-03-05T10:00:00Z 0"),
            ("fraction behind a comma", "5 Mar 2026 10:00:00,123 +0000", "2026-03-05T10:00:00Z 0"),
            ("noon", "5 Mar 2026 12:00:00 PM +0000", "2026-03-05T12:00:00Z 0"),
            ("midnight", "5 Mar 2026 12:30:00 a.m. +0000", "2026-03-05T00:30:00Z 0"),
            ("p. m.", "5 Mar 2026 3:00 p. m. +0000", "2026-03-05T15:00:00Z 0"),
            ("glued AM and PM", "5 Mar 2026 3:00PM", "2026-03-05T15:00:00Z ?"),
            ("PM in a day of 24 hours", "5 Mar 2026 15:00 PM +0000", "2026-03-05T15:00:00Z 0"),
            ("a day of 24:00", "Thu, 05 Mar 2026 24:00:00 +0000", "2026-03-06T00:00:00Z 0"),
            ("a leap second", "Sat, 31 Dec 2016 23:59:60 +0000", "2017-01-01T00:00:00Z 0"),
            (
                "no-break spaces", "Thu,\u{A0}05\u{202F}Mar 2026 10:00:00\u{202F}AM +0100",
                "2026-03-05T09:00:00Z 60"
            ),
            ("a true minus sign", "5 Mar 2026 10:00:00 \u{2212}0500", "2026-03-05T15:00:00Z -300"),
            ("direction marks", "\u{200E}5 Mar 2026 10:00\u{200E}", "2026-03-05T10:00:00Z ?"),
            ("trailing garbage", "5 Mar 2026 10:00:00 +0100; path=/ 17 x", "2026-03-05T09:00:00Z 60"),
            ("two dates", "5 Mar 2026 10:00:00 +0100Fri, 06 Apr 2027", "2026-03-05T09:00:00Z 60"),
            ("quotes", "\"Thu, 05 Mar 2026 10:00:00 +0100\"", "2026-03-05T09:00:00Z 60"),
            ("comments everywhere", "(a) 5 (b) Mar(c)2026 10:00:00 (d) +0000", "2026-03-05T10:00:00Z 0"),
            ("a comment without its end", "5 Mar 2026 10:00:00 +0000 (UTC", "2026-03-05T10:00:00Z 0"),
            ("three digits of the year", "5 Mar 126 10:00:00 +0000", "2026-03-05T10:00:00Z 0"),
            ("an encoded word", "=?utf-8?Q?5_M=C3=A4rz_2026_10=3A00?=", "2026-03-05T10:00:00Z ?"),
        ])
    func forms(_ name: String, _ input: String, _ expected: String) {
        #expect(Self.read(input) == expected, "\(name)")
    }

    @Test(
        "a numeric zone counts before a zone name, a name before a comment, and a missing zone is unknown",
        arguments: [
            ("number", "+0530", "04:30:00Z 330"),
            ("west", "-0330", "13:30:00Z -210"),
            ("UTC, place unknown", "-0000", "10:00:00Z ?"),
            ("UTC", "+0000", "10:00:00Z 0"),
            ("colon", "+05:30", "04:30:00Z 330"),
            ("one digit", "+1", "09:00:00Z 60"),
            ("two digits", "-05", "15:00:00Z -300"),
            ("three digits", "+100", "09:00:00Z 60"),
            ("one digit and a colon", "-5:00", "15:00:00Z -300"),
            ("comment behind", "+0100 (CET)", "09:00:00Z 60"),
            ("comment glued", "+0100(CET)", "09:00:00Z 60"),
            ("comment that says other", "+0100 (PST)", "09:00:00Z 60"),
            ("comment alone", "(CEST)", "08:00:00Z 120"),
            ("comment alone, unknown", "(Mitteleuropäische Zeit)", "10:00:00Z ?"),
            ("number and name", "+0100 CET", "09:00:00Z 60"),
            ("name and number", "GMT +0100", "09:00:00Z 60"),
            ("name and number, glued", "GMT+0100", "09:00:00Z 60"),
            ("name and digit", "GMT+1", "09:00:00Z 60"),
            ("name and number with a colon", "UTC-05:00", "15:00:00Z -300"),
            ("two numbers", "+0100 +0200", "09:00:00Z 60"),
            ("GMT", "GMT", "10:00:00Z 0"), ("UT", "UT", "10:00:00Z 0"), ("utc", "utc", "10:00:00Z 0"),
            ("EST", "EST", "15:00:00Z -300"), ("EDT", "EDT", "14:00:00Z -240"),
            ("CST", "CST", "16:00:00Z -360"), ("CDT", "CDT", "15:00:00Z -300"),
            ("MST", "MST", "17:00:00Z -420"), ("MDT", "MDT", "16:00:00Z -360"),
            ("PST", "PST", "18:00:00Z -480"), ("PDT", "PDT", "17:00:00Z -420"),
            ("MEZ", "MEZ", "09:00:00Z 60"), ("MET DST", "MET DST", "08:00:00Z 120"),
            ("JST", "JST", "01:00:00Z 540"),
            ("Z", "Z", "10:00:00Z 0"),
            ("military A", "A", "10:00:00Z ?"), ("military Y", "Y", "10:00:00Z ?"),
            ("a name of several zones", "IST", "10:00:00Z ?"),
            ("a name that nobody knows", "XYZT", "10:00:00Z ?"),
            ("a word before the zone", "Uhr +0100", "09:00:00Z 60"),
            ("beyond the earth", "+9900", "10:00:00Z ?"),
            ("minutes that cannot be", "+0175", "10:00:00Z ?"),
            ("far east", "+1400", "2026-03-04T20:00:00Z 840"),
            ("nothing", "", "10:00:00Z ?"),
        ])
    func zones(_ name: String, _ zone: String, _ expected: String) {
        let whole = expected.count > 14 ? expected : "2026-03-05T" + expected
        #expect(Self.read("Thu, 05 Mar 2026 10:00:00 \(zone)") == whole, "\(name)")
    }

    @Test(
        "months and days in other languages are read",
        arguments: [
            ("German", "Do, 5. März 2026 10:00:00 +0100"), ("German, cut", "Do., 5 Mrz 2026 10:00:00 +0100"),
            ("French", "jeu., 5 mars 2026 10:00:00 +0100"),
            ("French, long", "jeudi 5 mars 2026 10:00:00 +0100"),
            ("Spanish", "jue, 5 de marzo de 2026 10:00:00 +0100"),
            ("Italian", "gio, 5 mar 2026 10:00:00 +0100"),
            ("Portuguese", "qui, 5 de março de 2026 10:00:00 +0100"),
            ("Dutch", "do, 5 mrt 2026 10:00:00 +0100"),
            ("Dutch, long", "maandag 5 maart 2026 10:00:00 +0100"),
            ("Swedish", "tor, 5 mars 2026 10:00:00 +0100"), ("Polish", "czw., 5 marca 2026 10:00:00 +0100"),
            ("Czech", "čt, 5. března 2026 10:00:00 +0100"), ("Russian", "Чт, 5 марта 2026 10:00:00 +0100"),
            ("Ukrainian", "5 березня 2026 10:00:00 +0100"),
            ("Turkish", "05 Mart 2026 Perşembe 10:00:00 +0100"),
            ("Finnish", "5. maaliskuuta 2026 10.00.00 +0100"),
            ("Hungarian", "2026. március 5. 10:00:00 +0100"),
            ("Romanian", "5 martie 2026 10:00:00 +0100"), ("Greek", "Πέμ, 5 Μαρ 2026 10:00:00 +0100"),
            ("Japanese", "2026年3月5日(木) 10:00:00 +0100"), ("Chinese", "2026年3月5日 上午10:00:00 +0100"),
            ("Korean", "2026년 3월 5일 오전 10:00:00 +0100"),
        ])
    func languages(_ name: String, _ input: String) {
        #expect(Self.read(input) == "2026-03-05T09:00:00Z 60", "\(name)")
    }

    @Test(
        "a weekday that looks like a month is not read as a month",
        arguments: [
            ("mar, 5 mai 2026", "2026-05-05T00:00:00Z ?"), ("mar., 5 mayo 2026", "2026-05-05T00:00:00Z ?"),
            ("mar 12/05/2026", "none"), ("Mar 17.05.2026", "2026-05-17T00:00:00Z ?"),
            ("Mar 5 10:00:00 2026", "2026-03-05T10:00:00Z ?"),
        ])
    func weekday(_ input: String, _ expected: String) { #expect(Self.read(input) == expected) }

    @Test("a month in windows-1252 is read")
    func latin() {
        let bytes = Array("5. M".utf8) + [0xE4] + Array("rz 2026 10:00:00 +0100".utf8)
        #expect(MailDate.read(bytes[...])?.rfc3339 == "2026-03-05T09:00:00Z")
    }

    @Test(
        "an ambiguous or missing date is not guessed",
        arguments: [
            "05/03/2026 10:00:00", "5-3-2026", "05/03/26", "26-03-05", "05.03.26 10:00", "26.03.05",
            "5 jui 2026", "5 listopad 2026", "5 lip 2026", "5 Foo 2026", "Mar 2026", "5 2026", "5 March",
            "10:00:00", "today", "32 Mar 2026", "29 Feb 2026", "00 Mar 2026", "5 Mar 2026 24:00:01",
            "5 Mar 2026 25:00", "5 Mar 2026 10:60", "5 Mar 2026 10:00:61", "2026-13-05",
            "2026-02-30T10:00:00Z",
            "20261305T100000Z", "1772704800", "99999999999999999999", "5 Mar 99999", ":::", "-", "+0100",
            "((((",
            "2026-W10-4", "2026-064", "5 מרץ 2026",
        ])
    func none(_ input: String) { #expect(Self.read(input) == "none") }

    @Test("random text never crashes the date reader, and a date that is read can be written")
    func noise() {
        var random = SeededGenerator(seed: 3)
        let alphabet = Array("0123456789:.-+/ ,()MarFebPMAT年é\u{A0}".utf8)
        for _ in 0..<Bound.rounds(20_000) {
            let count = Int.random(in: 0..<40, using: &random)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            guard let time = MailDate.read(bytes[...]) else { continue }
            #expect(MailDate.read(MailDate.write(time)) == time, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }
}

import Models
import Testing

@testable import MIMEParser

/// Until when an out-of-office reply says that its writer is away.
@Suite struct ReturnDateTests {
    private func date(_ text: String, on day: String = "2026-03-02") -> String? {
        CalendarDate(day).flatMap { ReturnDate(text, day: $0).value }?.description
    }

    @Test(
        "the day of return is read in many languages",
        arguments: [
            ("I am away until 14 March.", "2026-03-14"),
            ("Out of office till March 14th, 2026", "2026-03-14"),
            ("On leave from March 3–14.", "2026-03-14"), ("I'm away 2026-03-03 to 2026-03-14", "2026-03-14"),
            ("Bin bis einschließlich Samstag, den 14.03. im Urlaub.", "2026-03-14"),
            ("Ab 16. März bin ich zurück.", "2026-03-16"), ("Vom 3.3. bis 14.3.26 abwesend", "2026-03-14"),
            ("Absent du 3 au 14 mars", "2026-03-14"), ("De retour le 1er avril 2026", "2026-04-01"),
            ("Vuelvo el 14 de marzo de 2026.", "2026-03-14"),
            ("Sono in ferie dal 3 al 14 marzo", "2026-03-14"),
            ("Estou ausente do dia 3 de março ao dia 14 de março", "2026-03-14"),
            ("Afwezig t/m 14 maart", "2026-03-14"), ("Jestem na urlopie do 14 marca", "2026-03-14"),
            ("Dovolená do 14. března", "2026-03-14"), ("В отпуске по 14 марта включительно", "2026-03-14"),
            ("У відпустці до 14 березня", "2026-03-14"), ("14 Mart'a kadar izindeyim", "2026-03-14"),
            ("Jag har semester till och med 14 mars", "2026-03-14"),
            ("Jeg er tilbake 14. mars", "2026-03-14"),
            ("Olen lomalla 14. maaliskuuta asti", "2026-03-14"),
            ("Szabadságon vagyok 2026. március 14-ig", "2026-03-14"),
            ("Sunt în concediu până la 14 martie", "2026-03-14"), ("Με άδεια έως 14 Μαρτίου", "2026-03-14"),
            ("3月14日まで休暇です", "2026-03-14"), ("我休假至2026年3月14日", "2026-03-14"), ("휴가: 3월 14일까지", "2026-03-14"),
        ])
    func forms(_ text: String, _ expected: String) { #expect(date(text) == expected) }

    @Test(
        "a weekday means the next one after the day of the message",
        arguments: [
            ("I'm back on Monday", "2026-03-09"), ("Away until Friday.", "2026-03-06"),
            ("Back tomorrow!", "2026-03-03"),
            ("Ich bin am Donnerstag wieder im Büro", "2026-03-05"), ("Je reviens mercredi.", "2026-03-04"),
            ("月曜日に出社します", "2026-03-09"),
        ])
    func weekdays(_ text: String, _ expected: String) { #expect(date(text) == expected) }

    @Test("03/04 is read only if language, calendar or distance decides")
    func ambiguous() {
        #expect(date("I am away until 05/04/2026") == nil)
        #expect(date("I am away until 25/03/2026") == "2026-03-25")
        #expect(date("I am away until 03/25/2026") == "2026-03-25")
        #expect(date("Absente jusqu'au 05/04/2026") == "2026-04-05")
        #expect(date("4/5まで休暇です") == "2026-04-05")
        // 2 November is far, 11 February is past.
        #expect(date("I am away until 02/11/2026", on: "2026-10-05") == "2026-11-02")
        #expect(date("I am away until 04/04") == "2026-04-04")
    }

    @Test(
        "a date that is past, distant, a start, or not about an absence is ignored",
        arguments: [
            "I was away until 27 February.", "I am away until 14 March 2028", "I am away from 9 March.",
            "I am away until further notice.", "Please pay by 14 March.",
            "The fair is on 14 March 2026. Thanks!",
            "I am away until 31/31/2026", "I am away until 30 February", "Call 0171/5 12 34 while I am away",
            "Guten Morgen, ich bin nicht im Büro.", "I am away. The price of 14.50 is valid.", "", "until",
            "3",
        ])
    func none(_ text: String) { #expect(date(text) == nil) }

    @Test("a day without a year is in the coming months, never recently past")
    func years() {
        #expect(date("Back on 4 January", on: "2026-12-21") == "2027-01-04")
        #expect(date("Back on 20 December", on: "2026-12-21") == nil)
    }

    @Test("the first sentence with a date decides, and in it the word for the return")
    func order() {
        #expect(date("I return on 16 March. I am away again from 20 April to 2 May.") == "2026-03-16")
        #expect(date("Away from 3 March, back on 16 March.") == "2026-03-16")
        #expect(date("Your mail of 14 March arrived. I am away until 20 March.") == "2026-03-20")
    }

    @Test("a hostile text takes linear time")
    func bounded() {
        let text = "away until " + String(repeating: "1.1.1.1 2/2/2/2 may ", count: 50_000)
        let clock = ContinuousClock()
        #expect(clock.measure { _ = date(text) } < .seconds(2))
        #expect(date("away until " + String(repeating: "9", count: 5_000) + " March") == nil)
    }
}

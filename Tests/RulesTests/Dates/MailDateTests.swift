import Models
import Testing

@testable import Rules

@Suite struct MailDateTests {
    /// Tuesday 10 March 2026, 09:00 in Paris.
    private func find(subject: String = "", _ text: String) -> String {
        guard let zone = Zone("Europe/Paris") else { return "no zone" }
        let clock = DateClock(
            now: Timestamp(seconds: 1_773_129_600), zone: zone, dayFirst: true, workdayEnd: 18 * 3_600)
        switch MailDate.find(subject: subject, text: text, clock: clock) {
        case .date(let day): return day.description
        case .instant(let time): return "\(zone.local(time).date) \(zone.local(time).clock)"
        case .local: return "local"
        case nil: return "none"
        }
    }

    @Test(
        "a date after a trigger word is found",
        arguments: [
            ("please pay by 31 March.", "2026-03-31"), ("Payment due: 31/03/2026", "2026-03-31"),
            ("due date: March 31, 2026, thanks", "2026-03-31"), ("Deadline is Friday!", "2026-03-13"),
            ("I need it before next Monday.", "2026-03-16"),
            ("valid until 2026-04-01 17:00", "2026-04-01 17:00:00"),
            ("Can you answer by tomorrow?", "2026-03-11"), ("due on the 31st of March", "2026-03-31"),
            ("due in 3 days", "2026-03-13"), ("due:2026-03-31", "2026-03-31"),
            ("(due 5 April)", "2026-04-05"),
            ("à payer avant le 31 mars 2026", "2026-03-31"), ("Échéance : 31/03/2026", "2026-03-31"),
            ("merci d'ici vendredi", "2026-03-13"), ("d’ici le 1er avril", "2026-04-01"),
            ("fällig am 31. März 2026", "2026-03-31"), ("bitte bis zum 31.3.", "2026-03-31"),
            ("spätestens Freitag", "2026-03-13"), ("vence el 31 de marzo de 2026", "2026-03-31"),
            ("antes del viernes", "2026-03-13"), ("was due 1 March", "2026-03-01"),
            ("no later than: 31 March, due date 1 April", "2026-04-01"),
            ("by Friday, 20 March 2026", "2026-03-20"), ("by Fri, 20 Mar 2026 17:00", "2026-03-20"),
            ("spätestens am Freitag, den 20. März", "2026-03-20"), ("by Friday", "2026-03-13"),
            ("by EOD Friday", "2026-03-13 18:00:00"), ("by EOD on Friday, 20 March.", "2026-03-20 18:00:00"),
            ("needed by EOD.", "2026-03-10 18:00:00"), ("by EOD. Friday is free.", "2026-03-10 18:00:00"),
            ("by 5pm on Friday", "2026-03-13 17:00:00"), ("due 17:30, 1 April", "2026-04-01 17:30:00"),
            ("before 5 pm tomorrow", "2026-03-11 17:00:00"),
            ("by EOD and not on Friday", "2026-03-10 18:00:00"),
            ("by Fri at noon", "2026-03-13 12:00:00"), ("by Friday, 3 items", "2026-03-13"),
            ("Invoice\n--------\nPayment is due by 31 March 2026.", "2026-03-31"),
            ("please pay the whole sum of the invoice by 31 March\n2027", "2027-03-31"),
            ("please pay by\n31 March 2026.", "2026-03-31"), ("please pay by 31\nMarch 2026.", "2026-03-31"),
            ("see you by Friday\n12 April is the day", "2026-03-13"),
        ])
    func found(_ text: String, _ expected: String) {
        #expect(find("Hello\n\n" + text + "\nBye") == expected)
        if !text.contains("\n") { #expect(find(subject: text, "") == expected) }
    }

    @Test(
        "a date without a trigger, in a quotation, or far from the trigger is ignored",
        arguments: [
            "We met on 31 March 2026.", "> please pay by 31 March", "  >> due 31 March",
            "On Mon, 9 Mar 2026 at 10:00, Bob <bob@x.example> wrote:\n\nplease pay by 31 March",
            "-----Original Message-----\ndue 31 March", "--- Original Message ---\nFrom: Ana\n\ndue 31 March",
            "Thanks.\n\nFrom: Ana <ana@x.example>\nSent: Monday\nTo: Bob\nSubject: Offer\n\nby 31 March, please",
            "Thanks.\n-- \nOffice closed until 31 March", "delayed by 3 days", "extended by 2 weeks",
            "late by a week",
            "built by 3D Systems", "made by Sun Microsystems", "signed by Mon Tran", "before 1:1 meeting",
            "up by 1.5 % against last year", "stand by me", "due to the weather of 31 March",
            "by 31 March 1999", "until 2199-01-01", "", "by",
        ])
    func absent(_ text: String) {
        #expect(find(text) == "none")
    }

    @Test("a mail made to slow down the search takes bounded time")
    func hostile() {
        let text = String(repeating: "by due until ", count: 100_000)
        let time = ContinuousClock().measure {
            _ = find(text + "\n" + String(repeating: "by\n", count: 100_000))
        }
        #expect(time < .seconds(30))
    }
}

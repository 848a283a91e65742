import Models
import Testing

@testable import Pipeline

/// Which events of a watch are news for a program or the desktop, and what they say.
@Suite("News of a watch")
struct WatchNewsTests {
    private let account = AccountID("work")

    private func mail(_ subject: String) -> ReturnedMail {
        ReturnedMail(id: EmailID(rawValue: subject), shortID: "m\(subject)", from: "Bob", subject: subject)
    }

    /// The news as `event account count text`.
    private func news(_ event: WatchedEvent) -> [String] {
        WatchNews.of(event).map { news in
            "\(news.name) \(news.account?.rawValue ?? "-") \(news.count) \(news.text.joined(separator: "; "))"
        }
    }

    @Test("returned mail, answers and late answers are news of the tasks")
    func followed() {
        var report = FollowReport()
        report.returned = [mail("Lunch"), mail("Report")]
        report.answered = ["Waiting for Bob: Question"]
        report.overdue = ["Waiting for Carla: Offer"]
        #expect(
            news(.tasks(.followed(report))) == [
                "returned - 2 Bob: Lunch; Bob: Report", "answered - 1 Waiting for Bob: Question",
                "overdue - 1 Waiting for Carla: Offer",
            ])
        #expect(WatchNews.of(.tasks(.followed(report))).first?.messages == ["mLunch", "mReport"])
        #expect(news(.tasks(.followed(FollowReport()))).isEmpty)
    }

    @Test("what keeps a watch from its work is a failure")
    func failures() {
        let problem = Problem("refused", exit: .loginRefused, message: "the login was refused")
        #expect(news(.ended(account, problem)) == ["failed work 1 the login was refused"])
        #expect(news(.account(account, .brokenRules(problem))) == ["failed work 1 the login was refused"])
        #expect(
            news(.account(account, .kept(["no mailbox A", "no mailbox B"]))) == [
                "failed work 2 no mailbox A; no mailbox B"
            ])
        #expect(news(.tasks(.stopped(problem))) == ["failed - 1 the login was refused"])
    }

    @Test("new mail alone is not news")
    func quiet() {
        #expect(news(.account(account, .listening("IDLE"))).isEmpty)
        #expect(news(.account(account, .newRules)).isEmpty)
        #expect(news(.account(account, .notices(["Call Bob"]))) == ["notify work 1 Call Bob"])
    }
}

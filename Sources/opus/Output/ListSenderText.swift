import Models
import Pipeline

/// One line for a sender of mailing lists. Names and addresses come from strangers.
enum ListSenderText {
    static func line(_ sender: ListSenders.Sender, _ zone: ZoneClock) -> String {
        let volume = sender.volume
        let share = volume.messages > 0 ? 100 * volume.read / volume.messages : 0
        let last = volume.lastRead.map { "last read \(zone.local($0).date)" } ?? "never read"
        let way =
            switch sender.way {
            case .post: "one request"
            case .mail: "mail"
            case .page: "web page"
            }
        let done = sender.unsubscribedAt.map { ", unsubscribed \(zone.local($0).date)" } ?? ""
        return
            "\(sender.shortID)  \(TerminalText.line(volume.address.description))  \(counted(volume.messages, "message")), \(share) % read, \(last), unsubscribe by \(way)\(done)"
    }
}

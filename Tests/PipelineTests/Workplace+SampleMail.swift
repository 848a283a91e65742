import MIMEParser
import MaildirClient
import Models

/// A mail as a test writes it; what the test does not say is ordinary.
struct SampleMail {
    var subject: String
    var from = "Bob <bob@acme.example>"
    var to = "ana@acme.example"
    /// The subject of the mail that it answers.
    var answers: String?
    /// Whole lines of the header, such as `List-Id: <a.example>`.
    var headers: [String] = []
    var text = "Hello.\r\n"
    /// When it was sent and when it arrived.
    var date = Workplace.tuesday - 3_600
    /// Name and content of a file that comes with it.
    var file: (name: String, content: String)?

    /// The part of the file name that is made of the subject, as ``Workplace/names(_:)`` gives it.
    static func token(_ subject: String) -> String {
        String(subject.map { $0.isLetter || $0.isNumber ? $0 : "-" })
    }

    /// The names of files have no other prefix that `names` would show.
    fileprivate var unique: String { "100." + Self.token(subject) }

    fileprivate var source: String {
        var lines = ["From: \(from)", "To: \(to)", "Subject: \(subject)"]
        lines += ["Message-ID: <\(Self.token(subject))@x>", "Date: \(Self.field(date))"]
        if let answers { lines.append("References: <\(Self.token(answers))@x>") }
        lines += headers
        guard let file else { return (lines + ["", text]).joined(separator: "\r\n") }
        lines += [
            "MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=b", "", "--b",
            "Content-Type: text/plain", "", text, "--b",
            "Content-Type: application/pdf; name=\"\(file.name)\"",
            "Content-Disposition: attachment; filename=\"\(file.name)\"", "", file.content, "--b--", "",
        ]
        return lines.joined(separator: "\r\n")
    }

    /// RFC 5322, in UTC.
    private static func field(_ time: Timestamp) -> String {
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let local = LocalDateTime(secondsSinceEpoch: time.seconds)
        return "\(local.date.day) \(months[local.date.month - 1]) \(local.date.year) \(local.clock) +0000"
    }
}

extension Workplace {
    func deliver(_ mail: SampleMail, flags: Set<Flag> = [], to mailbox: MailboxName = .inbox) throws {
        _ = try client.addMessage(
            to: mailbox, message: Array(mail.source.utf8), flags: flags, unique: mail.unique,
            received: mail.date)
    }

    /// What another program does: it moves the mail with that subject.
    func moveElsewhere(_ subject: String, from: String, to: String) throws {
        let unique = "100." + SampleMail.token(subject)
        _ = try client.move(unique: unique, from: MailboxName(from), to: MailboxName(to))
    }
}

extension String {
    /// A field of the header of this mail.
    func field(_ name: String) -> String? {
        MIMEParser.parse(Array(utf8)).headers.first { $0.name.lowercased() == name.lowercased() }?.body
    }
}

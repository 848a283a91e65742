import Crypto
import MaildirClient

/// What a sync records about a Maildir mailbox for the next sync: the times of its folders, and a hash of the names
/// in each.
///
/// If the times are unchanged, opus does not read the names. If only `new` changed, opus reads only its names, and the
/// hash shows whether all earlier messages are still there.
struct MaildirNote: Hashable, LosslessStringConvertible {
    struct Part: Hashable {
        var count: Int
        /// A hash of names and marks, sorted by name.
        var digest: String
    }

    var times: MailboxTimes
    var cur: Part
    var new: Part

    /// Whether no message was added, removed or changed.
    func hasSameMessages(as other: MaildirNote) -> Bool { cur == other.cur && new == other.new }

    var count: Int { cur.count + new.count }

    /// `before`: the note with whose times the mailbox was opened.
    init(_ mailbox: OpenMailbox, before: MaildirNote?) {
        times = mailbox.times
        if let before, case .nothing = mailbox.extent {
            (cur, new) = (before.cur, before.new)
            return
        }
        new = Self.part(mailbox, inNew: true)
        if let before, case .new = mailbox.extent {
            cur = before.cur
        } else {
            cur = Self.part(mailbox, inNew: false)
        }
    }

    private static func part(_ mailbox: OpenMailbox, inNew: Bool) -> Part {
        Part(count: mailbox.count(inNew: inNew), digest: digest(mailbox, inNew: inNew))
    }

    /// `isWanted` selects messages by their unique names.
    static func digest(
        _ mailbox: OpenMailbox, inNew: Bool, where isWanted: ((String) -> Bool)? = nil
    ) -> String {
        var hash = SHA256.Incremental()
        mailbox.forEachPieceOfMarks(inNew: inNew, where: isWanted) { hash.update($0) }
        return Hex.encode(hash.finalize())
    }

    // MARK: As text

    private static let version = "2"
    private static let unknown = "-"

    var description: String {
        [
            Self.version, times.cur ?? Self.unknown, times.new ?? Self.unknown,
            times.keywords ?? Self.unknown, "\(cur.count)", cur.digest, "\(new.count)", new.digest,
        ].joined(separator: " ")
    }

    /// nil: the note has another version and is not used.
    init?(_ text: String) {
        let fields = text.split(separator: " ").map(String.init)
        guard fields.count == 8, fields[0] == Self.version, let curCount = Int(fields[4]),
            let newCount = Int(fields[6])
        else { return nil }
        let time = { (field: String) in field == Self.unknown ? nil : field }
        times = MailboxTimes(cur: time(fields[1]), new: time(fields[2]), keywords: time(fields[3]))
        cur = Part(count: curCount, digest: fields[5])
        new = Part(count: newCount, digest: fields[7])
    }
}

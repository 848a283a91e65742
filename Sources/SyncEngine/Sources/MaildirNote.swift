import Crypto
import MaildirClient

/// What one sync notes of a Maildir mailbox for the next one: the times of its folders, and a hash over the names in each.
///
/// Where the times are the same, the names are not read. Where only `new` changed, only its names are read, and the hash
/// shows whether all messages of the last reading are still there.
struct MaildirNote: Hashable, LosslessStringConvertible {
    struct Part: Hashable {
        var count: Int
        /// Over names and marks, in the order of the names.
        var digest: String
    }

    var times: MailboxTimes
    var cur: Part
    var new: Part

    /// Equal: no message came, went or changed.
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

    /// `isWanted`: only of messages whose unique name fulfils it.
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

    /// nil: a note of another version, which says nothing.
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

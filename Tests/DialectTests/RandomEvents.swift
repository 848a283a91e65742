import DialectServer
import TestSupport

/// One step of a random life: ours, another client's, or the server's own.
///
/// The numbers choose among what there is when the step comes, so a step means something in any sequence: that is
/// what lets a failing one be made shorter.
struct RandomEvent: Sendable, CustomStringConvertible {
    enum Kind: String, CaseIterable, Sendable {
        // We
        case sync
        case weFlag
        case weUnflag
        case weMove
        // Two other clients
        case deliver
        case flag
        case unflag
        case label
        case move
        case copy
        case expunge
        // The server
        case newUIDValidity
        case lyingVanished
        case lostBefore
        case lostAfter
        case lostWithin
        case garbage
        case backwards
        case twice
        case refuse
        case withoutData
        case bye
    }

    /// What other clients do; such a step may also happen in the middle of a later command of ours.
    static let others: Set<Kind> = [
        .deliver, .flag, .unflag, .label, .move, .copy, .expunge, .newUIDValidity,
    ]

    var kind: Kind
    var first: Int
    var second: Int
    /// Not now, but just before so many further commands of ours; nil: now.
    var delay: Int?

    init(using numbers: inout SeededGenerator) {
        let weighted: [Kind] =
            [.sync, .sync, .sync, .deliver, .deliver, .weMove, .move, .expunge, .flag] + Kind.allCases
        kind = weighted.randomElement(using: &numbers) ?? .sync
        first = Int.random(in: 0..<1_000, using: &numbers)
        second = Int.random(in: 0..<1_000, using: &numbers)
        let mayWait = Self.others.contains(kind) && Int.random(in: 0..<3, using: &numbers) == 0
        delay = mayWait ? Int.random(in: 0..<12, using: &numbers) : nil
    }

    var description: String {
        "\(kind.rawValue)(\(first), \(second))\(delay.map { " before our command \($0)" } ?? "")"
    }
}

/// A whole life: a dialect, and what happens in its account.
struct RandomSequence: Sendable, CustomStringConvertible {
    var seed: UInt64
    var profile: DialectProfile
    var events: [RandomEvent]

    init(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        self.seed = seed
        profile = RandomSequence.small(DialectProfile.all[Int(seed % UInt64(DialectProfile.all.count))])
        let count = Int.random(in: 3...12, using: &numbers)
        events = (0..<count).map { _ in RandomEvent(using: &numbers) }
    }

    var description: String {
        "OPUS_RANDOM_SEED=\(seed) (\(profile)):\n  " + events.map(\.description).joined(separator: "\n  ")
    }

    /// The same dialect with few mailboxes: INBOX, an archive, a trash, and one more.
    private static func small(_ profile: DialectProfile) -> DialectProfile {
        let left: Set<String> = [
            "\\Drafts", "\\Sent", "\\Junk", "\\Flagged", "\\Important",
        ]
        let names = ["Drafts", "Sent", "Junk", "Entw", "Chats", "2024", "Caf"]
        var profile = profile
        profile.mailboxes = profile.mailboxes.filter { mailbox in
            left.isDisjoint(with: mailbox.attributes) && !names.contains { mailbox.name.contains($0) }
        }
        return profile
    }
}

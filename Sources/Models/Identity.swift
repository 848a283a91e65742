/// The identifiers of accounts, messages, threads and runs.
///
/// Each identifier has one spelling. Paths, row numbers and UIDs stay in the layer that owns them.

/// The user's name for an account (`accounts[].name` in `opus.yaml`).
public struct AccountID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: String

    /// The account of the runs that record the user's own changes of task files. A mail account cannot have this name.
    public static let tasks = AccountID("(tasks)")

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// One message of an account, in whatever mailboxes it is: lower-case Crockford base32 of a hash of the account and the
/// `Message-ID`. It depends on the message alone, so it never changes.
///
/// Users see the shortest unique prefix, as in `m:7k2q`.
public struct EmailID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A conversation: the ``EmailID`` of the first of its messages that was stored.
public struct ThreadID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// One applied plan, numbered from 1 in its store; shown as `r:0001`.
public struct RunID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }

    public var description: String {
        let digits = String(rawValue)
        return "r:" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The `Message-ID` of a message, without its angle brackets. RFC 5322 §3.6.4.
///
/// It may be missing, repeated or forged: it links messages but does not prove who wrote one.
public struct MessageID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// Whether there is text on both sides of an `@`. A program that omits it writes the same identifier into every
    /// mail.
    public var namesAMessage: Bool {
        rawValue.firstIndex(of: "@").map {
            $0 > rawValue.startIndex && $0 < rawValue.index(before: rawValue.endIndex)
        }
            ?? false
    }
}

extension AccountID: Codable {}
extension EmailID: Codable {}
extension ThreadID: Codable {}
extension RunID: Codable {}
extension MessageID: Codable {}

/// The names by which modules speak of accounts, messages, threads and runs.
///
/// Every identifier is a value with one spelling: a path, a row number or a UID never leaves the
/// layer that owns it.

/// The user's name for an account (`accounts[].name` in `opus.yaml`).
public struct AccountID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: String

    /// Whose runs are a person's own changes of task files. No account of mail can have this name.
    public static let tasks = AccountID("(tasks)")

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// One message of an account, whichever mailboxes hold it: lower-case Crockford base32 of a hash
/// over the account and the `Message-ID`. It is content, not a row: it never renumbers.
///
/// Users see the shortest unique prefix, as in `m:7k2q`.
public struct EmailID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A conversation: the ``EmailID`` of the first message that was stored of it.
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

/// The identifier that a message carries in `Message-ID`, without its angle brackets.
///
/// It may be missing, repeated or forged: it links messages, it never proves one. RFC 5322 §3.6.4.
public struct MessageID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// A program that writes an identifier without text on both sides of an `@` writes the same one into every mail.
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

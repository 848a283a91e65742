/// The tag of a command, which its tagged response repeats: `A17`. RFC 3501 §2.2.1.
public struct CommandTag: Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
}

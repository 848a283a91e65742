import Glibc

/// The error number of a file operation. Each module turns it into its own error, with the path as the user spells it.
public struct FileFailure: Error, Equatable, Sendable, CustomStringConvertible {
    public let number: Int32

    public init(number: Int32) { self.number = number }

    /// `errno` of the call that has just failed.
    static var last: FileFailure { FileFailure(number: errno) }

    /// The system's text: "No space left on device".
    public var text: String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }

    public var description: String { text }
}

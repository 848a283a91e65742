import Glibc

/// The error number of a file operation. Each module makes its own error of it, with the path as the user knows it.
public struct FileFailure: Error, Equatable, Sendable {
    public let number: Int32

    public init(number: Int32) { self.number = number }

    /// `errno` of the call that just failed.
    static var last: FileFailure { FileFailure(number: errno) }

    /// What the system calls it: "No space left on device".
    public var text: String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }
}

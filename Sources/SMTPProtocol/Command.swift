public import NIOCore

/// One command, or a pipelined group of commands, as bytes to send.
///
/// The text for logs is separate: it names the commands and contains no addresses and no secrets. No printed form
/// contains the bytes.
public struct Command: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public let bytes: ByteBuffer
    /// The text for logs.
    public let logged: String

    /// The caller has checked every part of the line: it contains no CR and no LF.
    init(_ line: String, logged: String) {
        self.bytes = ByteBuffer(string: line + "\r\n")
        self.logged = logged
    }

    private init(bytes: ByteBuffer, logged: String) {
        self.bytes = bytes
        self.logged = logged
    }

    /// The lines to send; a line with a secret is shown as in a log.
    public var traced: [String] {
        guard !logged.contains("•••") else { return [logged] }
        return String(buffer: bytes).split(whereSeparator: \.isNewline).map {
            AddressRedaction.hidden(in: String($0))
        }
    }

    /// Several commands in one go. RFC 2920 §3.1.
    static func group(_ commands: [Command]) -> Command {
        var bytes = ByteBuffer()
        for command in commands { bytes.writeImmutableBuffer(command.bytes) }
        return Command(bytes: bytes, logged: commands.map(\.logged).joined(separator: " "))
    }

    /// The end of the message, on a line of its own. RFC 5321 §4.1.1.4.
    static let finalDot = Command(bytes: ByteBuffer(string: "\r\n.\r\n"), logged: ".")

    /// The announcement of this many octets, which follow it at once. RFC 3030 §2.
    static func chunk(octets: Int) -> Command { Command("BDAT \(octets)", logged: "BDAT") }

    /// The end of a message that went in counted octets: nothing more of it follows. RFC 3030 §2.
    static let lastChunk = Command("BDAT 0 LAST", logged: "BDAT LAST")

    public var description: String { logged }
    public var debugDescription: String { logged }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

/// A whole message in a form that allows comparing a copy on a server with one in a file.
///
/// Line ends are LF; fields that servers write, and empty lines at the end, are omitted. Everything else is unchanged.
public enum ComparableMessage {
    /// Fields that servers add, change and remove. The writer of the message writes none of them.
    private static let serverFields: Set<String> = [
        "content-length", "status", "x-imap", "x-imapbase", "x-keywords", "x-status", "x-uid",
    ]

    public static func bytes(of message: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(message.count)
        let lines = LineReader(message)
        var position = 0
        var isHeader = true
        var isKept = true
        while position < message.count {
            let line = lines.line(at: position, limit: message.count)
            let content = message[line.start..<line.end]
            if isHeader {
                if content.isEmpty {
                    isHeader = false
                    isKept = true
                } else if let first = content.first, first != ASCII.space, first != ASCII.tab {
                    isKept = keeps(content, isFirst: position == 0)
                }
            }
            if isKept {
                output += content
                output.append(ASCII.lf)
            }
            position = line.next
        }
        while output.last == ASCII.lf { output.removeLast() }
        return output
    }

    private static func keeps(_ line: ArraySlice<UInt8>, isFirst: Bool) -> Bool {
        // The `From ` line of an mbox file.
        if isFirst, line.starts(with: "From ".utf8) { return false }
        let name = line.prefix { $0 != ASCII.colon && $0 != ASCII.space && $0 != ASCII.tab }
        return !serverFields.contains(String(decoding: name, as: UTF8.self).lowercased())
    }
}

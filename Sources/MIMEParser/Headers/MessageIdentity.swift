import Models

/// The identity of a message: its header without fields that servers write, and its body.
extension HeaderBlock {
    /// Whether the header is distinctive: it has a Message-ID, and a server added a field when it accepted the message.
    /// Headers of scanners, imports and drafts may be repeated.
    public static func identifies(_ block: some Collection<UInt8>) -> Bool {
        let fields = fields(of: Array(block), named: ["message-id", "received"])
        let hasName = fields.contains { field in
            guard field.name.lowercased() == "message-id", let at = field.body.firstIndex(of: "@") else {
                return false
            }
            return at != field.body.startIndex && field.body.index(after: at) != field.body.endIndex
        }
        return hasName && fields.contains { $0.name.lowercased() == "received" }
    }
}

extension ParsedMessage {
    /// Whether the header alone identifies the message; see ``HeaderBlock/identifies(_:)``.
    public var headerIdentifies: Bool { HeaderBlock.identifies(headerBlock) }

    /// The body for a digest: LF line ends, without empty lines at the end, which some mail stores add.
    public var canonicalBody: [UInt8] {
        var output: [UInt8] = []
        let start = headerRange.upperBound
        output.reserveCapacity(max(0, bytes.count - start))
        bytes.withUnsafeBufferPointer { buffer in
            var position = start
            while position < buffer.count {
                guard let cr = buffer.firstOffset(of: ASCII.cr, from: position, to: buffer.count) else {
                    output.append(contentsOf: buffer[position...])
                    return
                }
                output.append(contentsOf: buffer[position..<cr])
                if cr + 1 >= buffer.count || buffer[cr + 1] != ASCII.lf { output.append(ASCII.cr) }
                position = cr + 1
            }
        }
        while output.last == ASCII.lf || output.last == ASCII.cr { output.removeLast() }
        return output
    }
}

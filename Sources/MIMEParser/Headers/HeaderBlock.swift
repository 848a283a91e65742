public import Models

/// Decodes a header block. Stores keep the original bytes and decode them when needed.
public enum HeaderBlock {
    /// The fields of a block or a whole message in order, each decoded to one line.
    public static func fields(
        of bytes: some Collection<UInt8>, limits: MIMELimits = .standard
    ) -> [HeaderField] {
        let block = Array(bytes)
        let fields = rawFields(of: block, limits: limits)
        return decode(fields, of: fields, in: block, limits: limits)
    }

    /// Only the fields with these names, given in lower case.
    public static func fields(
        of block: [UInt8], named names: Set<String>, limits: MIMELimits = .standard
    ) -> [HeaderField] {
        let wanted = names.map { Array($0.utf8) }
        let all = rawFields(of: block, limits: limits)
        let fields = all.filter { field in
            wanted.contains { $0.count == field.name.count && isName($0, block[field.name]) }
        }
        return decode(fields, of: all, in: block, limits: limits)
    }

    private static func isName(_ wanted: [UInt8], _ name: ArraySlice<UInt8>) -> Bool {
        zip(wanted, name).allSatisfy { $0 == $1 || ((0x41...0x5A).contains($1) && $0 == $1 | 0x20) }
    }

    /// The summary of a block or a whole message.
    public static func envelope(
        of bytes: some Collection<UInt8>, limits: MIMELimits = .standard
    ) -> Envelope {
        let block = Array(bytes)
        return Envelope(fields: rawFields(of: block, limits: limits), in: block, limits: limits)
    }

    /// The block for a digest: LF line ends, without mbox line and empty line, every line ended.
    ///
    /// A message has the same bytes here if a server sends it with CRLF or a Maildir stores it with LF, and whatever
    /// marks a mail store has written into it (``RewrittenFields``).
    public static func canonical(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let block = Array(bytes)
        var reader = HeaderReader(lines: LineReader(block), limits: .standard)
        var defects = DefectLog()
        reader.read(from: 0, to: block.count, defects: &defects)
        return canonical(block, range: reader.range)
    }

    static func canonical(_ bytes: [UInt8], range: Range<Int>) -> [UInt8] {
        let lines = LineReader(bytes)
        var output: [UInt8] = []
        output.reserveCapacity(range.count)
        var position = range.lowerBound
        var isSkipping = false
        while position < range.upperBound {
            let line = lines.line(at: position, limit: range.upperBound)
            if line.start == line.end { break }
            position = line.next
            let first = bytes[line.start]
            if first != ASCII.space, first != ASCII.tab {
                isSkipping = RewrittenFields.begin(bytes[line.start..<line.end])
            }
            guard !isSkipping else { continue }
            output += bytes[line.start..<line.end]
            output.append(ASCII.lf)
        }
        return output
    }

    /// Decodes some fields of a block; `all` are its fields.
    static func decode(
        _ fields: [RawField], of all: [RawField], in bytes: [UInt8], limits: MIMELimits
    ) -> [HeaderField] {
        let unlabelled = UnlabelledHeaders(all, in: bytes, limits: limits)
        return fields.map { field in
            HeaderField(
                name: bytes[field.name].text,
                body: EncodedWord.decode(unlabelled.body(of: field), limit: limits.encodedWords))
        }
    }

    private static func rawFields(of block: [UInt8], limits: MIMELimits) -> [RawField] {
        var reader = HeaderReader(lines: LineReader(block), limits: limits)
        var defects = DefectLog()
        reader.read(from: 0, to: block.count, defects: &defects)
        return reader.fields
    }
}

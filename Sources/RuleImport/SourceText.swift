/// The text of a file, with line and column of each byte.
struct SourceText {
    let bytes: [UInt8]
    private let lineStarts: [Int]

    /// The largest file, in bytes.
    static let maximumBytes = 1 << 20

    /// UTF-8 without NUL, at most ``maximumBytes``. A byte order mark is skipped.
    init(_ bytes: [UInt8]) throws(ImportError) {
        let limit = Self.maximumBytes
        guard bytes.count <= limit else {
            throw ImportError(line: 1, column: 1, message: "\(bytes.count) bytes, at most \(limit)")
        }
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        self.bytes = bytes
        lineStarts = [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
        if let offset = Self.firstFault(bytes) {
            throw error(offset, bytes[offset] == 0 ? "a NUL byte; this is not text" : "this is not UTF-8")
        }
    }

    private static func firstFault(_ bytes: [UInt8]) -> Int? {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar):
                if scalar.count == 1, scalar.first == 0 { return offset }
                offset += scalar.count
            case .error: return min(offset, bytes.count - 1)
            case .emptyInput: return nil
            }
        }
    }

    func line(_ offset: Int) -> Int {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low + 1
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
    }

    func error(_ offset: Int, _ message: String) -> ImportError {
        let line = line(offset)
        let column = text(lineStarts[line - 1]..<max(lineStarts[line - 1], offset)).count + 1
        return ImportError(line: line, column: column, message: message)
    }

    /// Text of the file for a report.
    func piece(_ range: Range<Int>) -> String {
        Self.oneLine(text(range.lowerBound..<min(range.upperBound, range.lowerBound + 1_000)))
    }

    /// One line without control characters, of at most this many Characters.
    static func oneLine(_ text: String, limit: Int = 100) -> String {
        let words = text.unicodeScalars.split {
            $0.properties.isWhitespace || $0.value < 0x20 || isHidden($0)
        }
        let line = words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
        return line.count <= limit ? line : String(line.prefix(limit - 1)) + "…"
    }

    /// Scalars that a line of YAML cannot hold, or that a reader could not see.
    static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            true
        case _: false
        }
    }
}

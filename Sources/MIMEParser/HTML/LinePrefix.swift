/// The beginning of a line: quote marks, indents and list markers, the outermost first.
struct LinePrefix {
    private var bytes: [UInt8] = []
    /// The width that each level added, to remove it again.
    private var widths: [Int] = []
    /// The prefix of the last line. An empty line after it gets the part that both lines share.
    private var last: [UInt8] = []
    /// Replaces the innermost indent on the next line.
    private var marker: [UInt8] = []

    /// The widest prefix in columns. Deeper levels are not shown, because each line would repeat them.
    private static let maximumWidth = 48

    mutating func push(_ text: StaticString, isMarker: Bool = false) {
        text.withUTF8Buffer { push(Array($0), isMarker: isMarker) }
    }

    mutating func push(marker: String) { push(Array(marker.utf8), isMarker: true) }

    private mutating func push(_ text: [UInt8], isMarker: Bool) {
        guard bytes.count + text.count <= Self.maximumWidth else {
            widths.append(0)
            return
        }
        widths.append(text.count)
        bytes += isMarker ? [UInt8](repeating: ASCII.space, count: text.count) : text
        marker = isMarker ? text : []
    }

    mutating func pop() {
        guard let width = widths.popLast() else { return }
        bytes.removeLast(width)
        marker = []
    }

    mutating func begin(_ output: inout [UInt8]) {
        if last != bytes { last = bytes }
        guard !bytes.isEmpty else { return }
        output += bytes.dropLast(marker.count)
        output += marker
        marker = []
    }

    /// Writes the marks without blanks at the end.
    func fillEmptyLine(_ output: inout [UInt8]) {
        guard !bytes.isEmpty, !last.isEmpty else { return }
        let shared = zip(bytes, last).prefix { $0 == $1 }.count
        var end = shared
        while end > 0, bytes[end - 1] == ASCII.space { end -= 1 }
        output += bytes[..<end]
    }
}

/// The open rows of nested tables, to decide whether the next cell goes beside the previous text of its row.
struct TableRows {
    private struct Row {
        /// The line of the last text in the row; nil: the row has no text.
        var line: Int?
        /// Whether a cell has begun and is still empty.
        var isWaiting = true
    }

    private var rows: [Row] = []
    /// Whether the innermost row waits for text. Once it gets text, all rows around it have some.
    private(set) var isWaiting = false

    mutating func beginRow() {
        rows.append(Row())
        isWaiting = true
    }

    mutating func endRow() {
        if !rows.isEmpty { rows.removeLast() }
        isWaiting = rows.last?.isWaiting ?? false
    }

    /// The place of the cell: beside the previous text of the row, if all of that is in the current line.
    mutating func beginCell(at line: Int) -> Place {
        guard let row = rows.last else { return .loose }
        rows[rows.count - 1].isWaiting = true
        isWaiting = true
        guard let before = row.line else { return .first }
        return before == line ? .beside : .below
    }

    enum Place {
        /// Not in a row.
        case loose
        case first
        case beside
        case below
    }

    /// Records that text is written on this line.
    mutating func write(at line: Int) {
        for index in rows.indices.reversed() {
            guard rows[index].isWaiting else { break }
            rows[index].isWaiting = false
            rows[index].line = line
        }
        isWaiting = false
    }
}

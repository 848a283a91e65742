/// The beginning of a line: marks of quotations, indents and markers of lists, outermost first.
struct LinePrefix {
    private var bytes: [UInt8] = []
    /// What each level added, so that it can be taken away.
    private var widths: [Int] = []
    /// Of the last line that was begun: an empty line below it belongs to what both lines share.
    private var last: [UInt8] = []
    /// Takes the place of the innermost indent on the next line.
    private var marker: [UInt8] = []

    /// Deeper levels are not shown: each line would repeat them.
    private static let maximumWidth = 48

    mutating func push(_ text: StaticString, isMarker: Bool = false) {
        text.withUTF8Buffer { push(Array($0), isMarker: isMarker) }
    }

    mutating func push(number: Int) { push(Array("\(number). ".utf8), isMarker: true) }

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

    /// Only the marks, without blanks at the end.
    func fillEmptyLine(_ output: inout [UInt8]) {
        guard !bytes.isEmpty, !last.isEmpty else { return }
        let shared = zip(bytes, last).prefix { $0 == $1 }.count
        var end = shared
        while end > 0, bytes[end - 1] == ASCII.space { end -= 1 }
        output += bytes[..<end]
    }
}

/// The open rows of nested tables: whether the next cell may be beside what was written in its row.
struct TableRows {
    private struct Row {
        /// The line of the last text in the row; nil before there is any.
        var line: Int?
        /// A cell began, and nothing was written in it yet.
        var isWaiting = true
    }

    private var rows: [Row] = []
    /// Rows, from the innermost out, that wait for text. Once one has got some, so have all around it.
    private(set) var isWaiting = false

    mutating func beginRow() {
        rows.append(Row())
        isWaiting = true
    }

    mutating func endRow() {
        if !rows.isEmpty { rows.removeLast() }
        isWaiting = rows.last?.isWaiting ?? false
    }

    /// The place of the cell: beside the text before it in the row, if that is all in the current line.
    mutating func beginCell(at line: Int) -> Place {
        guard let row = rows.last else { return .loose }
        rows[rows.count - 1].isWaiting = true
        isWaiting = true
        guard let before = row.line else { return .first }
        return before == line ? .beside : .below
    }

    enum Place {
        /// In no row.
        case loose
        case first
        case beside
        case below
    }

    /// Text is written on that line.
    mutating func write(at line: Int) {
        for index in rows.indices.reversed() {
            guard rows[index].isWaiting else { break }
            rows[index].isWaiting = false
            rows[index].line = line
        }
        isWaiting = false
    }
}

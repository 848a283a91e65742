/// Rows in columns: cut to the width on a terminal, tab-separated and complete in a pipe.
struct Table {
    struct Column {
        var title: String
        /// Whether the column is cut if the terminal is too narrow.
        var isFlexible = false
        var alignsRight = false
    }

    var columns: [Column]
    /// The cells; their text is escaped.
    var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The table for a terminal: aligned, cut to the width, with a heading.
    func text(width: Int, style: Style, heading: Bool = true) -> String {
        let widths = fitted(to: width)
        var lines: [String] = []
        if heading { lines.append(style.dim(line(columns.map(\.title), widths))) }
        for row in rows { lines.append(line(row, widths)) }
        return lines.joined(separator: "\n")
    }

    /// For programs: no heading, no cutting, one tab between cells.
    var separated: String { rows.map { $0.joined(separator: "\t") }.joined(separator: "\n") }

    /// The least width of a flexible column.
    private static let narrowest = 10

    /// Narrows the widest flexible column first, so that the longest text is cut.
    private func fitted(to width: Int) -> [Int] {
        var widths = columns.indices.map { index in
            rows.reduce(TerminalText.width(columns[index].title)) { widest, row in
                max(widest, row.indices.contains(index) ? TerminalText.width(row[index]) : 0)
            }
        }
        var excess = widths.reduce(0, +) + 2 * (columns.count - 1) - width
        while excess > 0 {
            let flexible = columns.indices.filter { columns[$0].isFlexible && widths[$0] > Self.narrowest }
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var parts: [String] = []
        for (index, cell) in cells.enumerated() where index < widths.count {
            let cut = TerminalText.truncated(cell, to: widths[index])
            let fill = String(repeating: " ", count: max(0, widths[index] - TerminalText.width(cut)))
            parts.append(columns[index].alignsRight ? fill + cut : cut + fill)
        }
        var line = parts.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }
}

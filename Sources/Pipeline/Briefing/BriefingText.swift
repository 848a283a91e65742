/// A briefing as plain text: for the terminal, and for mail programs without HTML.
extension Briefing {
    /// The text of an empty briefing.
    public static let nothing = "Nothing to report."

    public func text(_ zone: ZoneClock) -> String {
        let title = BriefingDays(zone: zone).title(day)
        guard !isEmpty else { return "\(title): nothing to report.\n" }
        var lines = [title]
        for section in sections(zone) {
            lines += ["", HarmlessText.line(section.title)]
            lines += section.chart.map { ["  " + $0.line] } ?? Self.table(section)
            if section.left > 0 { lines.append("  … and \(section.left) more") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Each column is as wide as its widest cell; the last one is not padded.
    private static func table(_ section: BriefingSection) -> [String] {
        let rows = section.rows.map { $0.map { HarmlessText.line($0) } }
        let widths = section.columns.indices.map { column in
            min(rows.map { $0[column].count }.max() ?? 0, widestColumn)
        }
        return rows.map { row in
            var line = " "
            for (column, cell) in row.enumerated() {
                let fill = column == row.count - 1 ? 0 : widths[column] - cell.count
                line += " " + cell + String(repeating: " ", count: max(0, fill)) + " "
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    private static let widestColumn = 40
}

extension BarChart {
    /// The values on one line, with `–` for unknown ones.
    var line: String { bars.map { $0.value.map { "\($0)" } ?? "–" }.joined(separator: " ") }
}

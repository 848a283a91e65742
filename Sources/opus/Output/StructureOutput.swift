import Inspection
import Models
import Pipeline

/// The parts of a message: a tree on a terminal, tab-separated lines in a pipe.
struct StructureOutput {
    let console: Console

    func show(_ structure: MessageStructure, withFile: Bool) {
        guard console.isTerminal else { return printLines(structure, withFile: withFile) }
        let style = console.style
        if withFile {
            console.print(
                style.bold(TerminalText.line(structure.file))
                    + style.dim("  \(counted(structure.size, "byte"))"))
        }
        var table = Table([
            .init(title: "PART"), .init(title: "TYPE", isFlexible: true), .init(title: "ENCODING"),
            .init(title: "SIZE", alignsRight: true), .init(title: "NAME", isFlexible: true),
        ])
        for row in structure.rows {
            let indent = String(repeating: "  ", count: min(row.depth, 16))
            table.add(cells(row, type: indent + type(row)))
        }
        console.print(table)
        if let words = DefectWords.count(structure.defects.count) { console.print(style.yellow(words)) }
        for defect in structure.defects { console.print("  " + defect) }
    }

    private func printLines(_ structure: MessageStructure, withFile: Bool) {
        let file = withFile ? [TerminalText.line(structure.file)] : []
        for row in structure.rows {
            console.print((file + cells(row, type: type(row))).joined(separator: "\t"))
        }
        for defect in structure.defects {
            console.note("opus: \(TerminalText.line(structure.file)): \(defect)")
        }
    }

    private func cells(_ row: MessageStructure.Row, type: String) -> [String] {
        [
            TerminalText.line(row.section), type, TerminalText.line(row.encoding), "\(row.size)",
            TerminalText.line(row.name),
        ]
    }

    private func type(_ row: MessageStructure.Row) -> String {
        TerminalText.line(row.contentType + (row.charset.map { "; charset=\($0)" } ?? ""))
    }
}

enum DefectWords {
    /// `1 defect`, `2 defects`; nil for none.
    static func count(_ number: Int) -> String? {
        number == 0 ? nil : counted(number, "defect")
    }
}

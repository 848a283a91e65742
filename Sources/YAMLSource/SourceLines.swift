/// The lines of a document, divided as in libyaml, and the conversion of libyaml's columns.
///
/// libyaml counts Unicode scalars; people and editors count Characters.
struct SourceLines: Sendable {
    let lines: [String]
    /// For lines that are not ASCII: the Character (from 0) of each scalar.
    private let characterOfScalar: [Int: [Int32]]

    init(_ text: String) {
        var lines: [String] = []
        var current = String.UnicodeScalarView()
        var previousWasReturn = false
        for scalar in text.unicodeScalars {
            if previousWasReturn, scalar == "\n" {
                previousWasReturn = false
                continue
            }
            previousWasReturn = scalar == "\r"
            switch scalar {
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
                lines.append(String(current))
                current = .init()
            case _:
                current.append(scalar)
            }
        }
        lines.append(String(current))
        self.lines = lines
        characterOfScalar = Dictionary(
            uniqueKeysWithValues: lines.enumerated()
                .filter { !$0.element.utf8.allSatisfy { $0 < 0x80 } }
                .map { ($0.offset, Self.characters(of: $0.element)) })
    }

    private static func characters(of line: String) -> [Int32] {
        var result: [Int32] = []
        for (index, character) in line.enumerated() {
            for _ in character.unicodeScalars { result.append(Int32(index)) }
        }
        return result
    }

    /// The line by its 1-based number.
    func line(_ number: Int) -> String? {
        lines.indices.contains(number - 1) ? lines[number - 1] : nil
    }

    /// The 1-based Character column of a 1-based scalar column.
    func column(line: Int, scalarColumn: Int) -> Int {
        guard let table = characterOfScalar[line - 1], let last = table.last else {
            return max(scalarColumn, 1)
        }
        let index = scalarColumn - 1
        if table.indices.contains(index) { return Int(table[index]) + 1 }
        return Int(last) + 2 + max(0, index - table.count)
    }
}

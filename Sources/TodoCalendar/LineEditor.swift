/// Replaces, removes and inserts content lines of single components. All other bytes stay.
///
/// A new line has the line end of the line that it replaces, or of the component's BEGIN.
struct LineEditor {
    private let outline: CalendarOutline
    /// The component to change.
    var component: Int
    /// By line index; an empty value removes the line.
    private var replacements: [Int: [UInt8]] = [:]
    /// By the index of the line before which they are inserted.
    private var insertions: [Int: [UInt8]] = [:]

    init(_ outline: CalendarOutline, component: Int) {
        self.outline = outline
        self.component = component
    }

    /// Replaces the first line of this name, or adds the line after the component's own lines.
    mutating func set(_ name: String, _ line: String) {
        let crlf = Array(line.utf8)
        if let index = lines(named: name).first {
            replacements[index] = ended(crlf, like: index)
        } else {
            insertions[end, default: []] += ended(crlf, like: begin)
        }
    }

    /// Replaces the first line of this name, and removes the others.
    mutating func setOnly(_ name: String, _ line: String) {
        for index in lines(named: name).dropFirst() { replacements[index] = [] }
        set(name, line)
    }

    /// Replaces these lines, at the position of the first one; without lines, adds the new ones at the end.
    mutating func replace(_ indices: [Int], _ new: [String]) {
        for index in indices { replacements[index] = [] }
        guard let first = indices.first else {
            return insertions[end, default: []] += new.flatMap { ended(Array($0.utf8), like: begin) }
        }
        replacements[first] = new.flatMap { ended(Array($0.utf8), like: first) }
    }

    mutating func remove(_ name: String) {
        for index in lines(named: name) { replacements[index] = [] }
    }

    /// Adds lines after the END of the component.
    mutating func append(_ new: [[UInt8]]) {
        let next = outline.components[component].lines.upperBound + 1
        insertions[next, default: []] += new.flatMap { ended($0, like: begin) }
    }

    func lines(named name: String) -> [Int] {
        outline.ownLines(of: component).filter { outline.lines[$0].name == name }
    }

    /// The lines that are replaced or removed, ascending.
    var changedLines: [Int] { replacements.keys.sorted() }

    func edited() -> [UInt8] {
        let bytes = outline.bytes
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 2_048)
        // Keeps a byte order mark before the first line.
        result += bytes[..<(outline.lines.first?.range.lowerBound ?? 0)]
        for (index, line) in outline.lines.enumerated() {
            if let new = insertions[index] { result += new }
            if let replacement = replacements[index] {
                result += replacement
            } else {
                result += bytes[line.range]
            }
        }
        return result
    }

    private var begin: Int { outline.components[component].lines.lowerBound }

    /// Before the first inner component, because properties come first. RFC 5545 §3.6.
    private var end: Int {
        let children = outline.components.lazy.filter { $0.parent == component }
        return children.map(\.lines.lowerBound).min() ?? outline.components[component].lines.upperBound
    }

    private func ended(_ crlf: [UInt8], like index: Int) -> [UInt8] {
        guard outline.lines[index].endsInBareLineFeed(in: outline.bytes) else { return crlf }
        return crlf.filter { $0 != 0x0D }
    }
}

/// Replaces, removes and inserts content lines of one component; every other byte stays.
///
/// A new line takes the line ending of the line it replaces, or of the component's BEGIN.
struct LineEditor {
    private let outline: CalendarOutline
    private let component: Int
    /// By line index; nil bytes remove the line.
    private var replacements: [Int: [UInt8]] = [:]
    private var insertions: [UInt8] = []

    init(_ outline: CalendarOutline, component: Int) {
        self.outline = outline
        self.component = component
    }

    /// Puts the line in place of the first of its name, or at the end of the component's own lines.
    mutating func set(_ name: String, _ line: String) {
        let crlf = Array(line.utf8)
        if let index = lines(named: name).first {
            replacements[index] = ended(crlf, like: index)
        } else {
            insertions += ended(crlf, like: outline.components[component].lines.lowerBound)
        }
    }

    /// The one line of its name: others of it go.
    mutating func setOnly(_ name: String, _ line: String) {
        for index in lines(named: name).dropFirst() { replacements[index] = [] }
        set(name, line)
    }

    /// Puts lines in place of these, the first of which gives them their place; else at the end.
    mutating func replace(_ indices: [Int], _ new: [String]) {
        for index in indices { replacements[index] = [] }
        guard let first = indices.first else {
            let begin = outline.components[component].lines.lowerBound
            return insertions += new.flatMap { ended(Array($0.utf8), like: begin) }
        }
        replacements[first] = new.flatMap { ended(Array($0.utf8), like: first) }
    }

    mutating func remove(_ name: String) {
        for index in lines(named: name) { replacements[index] = [] }
    }

    func lines(named name: String) -> [Int] {
        outline.ownLines(of: component).filter { outline.lines[$0].name == name }
    }

    func edited() -> [UInt8] {
        let bytes = outline.bytes
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + insertions.count + 512)
        let end = insertionIndex
        // A byte order mark comes before the first line.
        result += bytes[..<(outline.lines.first?.range.lowerBound ?? 0)]
        for (index, line) in outline.lines.enumerated() {
            if index == end { result += insertions }
            if let replacement = replacements[index] {
                result += replacement
            } else {
                result += bytes[line.range]
            }
        }
        return result
    }

    /// Before the first component inside, because properties come first. RFC 5545 §3.6.
    private var insertionIndex: Int {
        let children = outline.components.lazy.filter { $0.parent == component }
        return children.map(\.lines.lowerBound).min() ?? outline.components[component].lines.upperBound
    }

    private func ended(_ crlf: [UInt8], like index: Int) -> [UInt8] {
        guard outline.lines[index].endsInBareLineFeed(in: outline.bytes) else { return crlf }
        return crlf.filter { $0 != 0x0D }
    }
}

/// The links of a text: numbered in their order, and written below the text.
struct LinkNotes {
    private var open: [(target: LinkTarget?, start: Int)] = []
    private var numbers: [String: Int] = [:]
    private var targets: [String] = []

    private static let limit = 500

    mutating func begin(_ target: LinkTarget?, at start: Int) { open.append((target, start)) }

    /// The mark after the text of a link; nil: the link has no text, or its text is the target.
    mutating func end(_ output: [UInt8]) -> String? {
        guard let link = open.popLast(), let target = link.target else { return nil }
        let text = output[min(link.start, output.count)...].trimmed
        guard !text.isEmpty else { return nil }
        // A link at the beginning of a line is preceded by quote marks and list markers.
        let said = text.drop { $0 == ASCII.greater || $0 == ASCII.hyphen || $0.isBlank }
        guard !target.isSaid(by: said) else { return nil }
        let url = target.text
        if let number = numbers[url] { return " [\(number)]" }
        guard targets.count < Self.limit else { return nil }
        targets.append(url)
        numbers[url] = targets.count
        return " [\(targets.count)]"
    }

    /// Writes lines such as `[1] https://…` after an empty line, as many as fit.
    func write(to output: inout [UInt8], limit: Int) {
        for (index, target) in targets.enumerated() {
            let line = Array("\(index == 0 ? "\n\n" : "\n")[\(index + 1)] \(target)".utf8)
            guard output.count + line.count <= limit else { return }
            output += line
        }
    }
}

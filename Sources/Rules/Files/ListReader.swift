import Models
import YAMLSource

/// Reads `lists:`: named lists of addresses and domains, inline or one entry per line in a file of the
/// workspace.
struct ListReader {
    static let maximumBytes = 4 << 20

    let report: Report
    let readList: (String) -> String?
    /// Findings in the list files themselves.
    private(set) var diagnostics: [Diagnostic] = []

    init(report: Report, readList: @escaping (String) -> String?) {
        self.report = report
        self.readList = readList
    }

    mutating func read(_ root: YAMLNode) -> [(name: String, list: AddressList, node: YAMLNode)] {
        guard let node = root["lists"], let pairs = report.mapping(node, "'lists'") else { return [] }
        var result: [(name: String, list: AddressList, node: YAMLNode)] = []
        for (key, value) in pairs {
            guard let name = key.scalar else { continue }
            guard RuleFileReader.isName(name), !name.contains(".") else {
                report.error(
                    "R020", key, "'\(name)' cannot be the name of a list", "letters, digits, - and _")
                continue
            }
            result.append((name, list(value), key))
        }
        return result
    }

    private mutating func list(_ node: YAMLNode) -> AddressList {
        guard let pairs = node.mapping else { return inline(node) }
        report.checkKeys(pairs, ["file"], code: "R014", "field of a list")
        guard let file = node["file"], let path = report.text(file, "'file'") else {
            report.error(
                "R003", node, "a list must contain addresses, or name a 'file'", "{ file: lists/vip.txt }")
            return AddressList()
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !path.hasPrefix("/"), !parts.contains(".."), !path.isEmpty else {
            report.error("R020", file, "the file of a list must be inside the workspace", "lists/vip.txt")
            return AddressList()
        }
        guard let text = readList(path) else {
            report.error(
                "R045", file, "file '\(path)' is not in the workspace, or cannot be read",
                "a text in UTF-8, of at most 1 MiB")
            return AddressList()
        }
        return lines(text, path: path, at: file)
    }

    private func inline(_ node: YAMLNode) -> AddressList {
        var list = AddressList()
        for (text, item) in report.texts(node, "an entry of a list") where !list.add(text) {
            report.error(
                "R023", item, "'\(text)' is neither an address nor a domain",
                "ana@example.org or '@example.org'")
        }
        return list
    }

    /// One entry per line; `#` begins a comment. A wrong line is reported and left out.
    private mutating func lines(_ text: String, path: String, at node: YAMLNode) -> AddressList {
        var list = AddressList()
        guard text.utf8.count <= Self.maximumBytes else {
            report.error("R045", node, "'\(path)' is larger than \(Self.maximumBytes) bytes")
            return list
        }
        // Some Windows editors write a byte order mark at the beginning of a file.
        let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let entry = line.prefix { $0 != "#" }.trimmingBlanks()
            guard !entry.isEmpty, !list.add(entry), diagnostics.count < Report.maximum else { continue }
            diagnostics.append(
                Diagnostic(
                    code: "R023", file: path, line: index + 1, column: 1, length: max(1, entry.count),
                    message: "'\(entry)' is neither an address nor a domain", sourceLine: String(line)))
        }
        return list
    }
}

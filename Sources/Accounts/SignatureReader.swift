import YAMLSource

/// Reads the signature of an account: `signature: |`, or the file of `signature-file`.
struct SignatureReader {
    static let keys = ["signature", "signature-file"]
    private static let longest = 16 << 10

    let location: WorkspaceLocation

    func signature(_ section: ConfigReader.Section, _ title: String, _ reader: inout ConfigReader) -> String?
    {
        if let node = section.node("signature") {
            if let file = section.node("signature-file") {
                reader.report(
                    "C005", at: file, "\(title) has both 'signature' and 'signature-file'; remove one")
            }
            guard let text = node.scalar else {
                reader.report(
                    "C006", at: node, "'signature' is \(node.kindName), not text; write signature: |")
                return nil
            }
            return checked(text, at: node, &reader)
        }
        guard let name = reader.text("signature-file", in: section), let node = section.node("signature-file")
        else { return nil }
        let path = Paths.absolute(name, below: location.root, home: location.home)
        switch Disk.read(path, limit: Self.longest) {
        case .text(let text): return checked(text, at: node, &reader)
        case .missing: reader.report("C011", at: node, "file \(path) not found")
        case .unreadable(let reason):
            reader.report("C011", at: node, "the file \(path) cannot be read: \(reason)")
        }
        return nil
    }

    private func checked(_ text: String, at node: YAMLNode, _ reader: inout ConfigReader) -> String? {
        let isClean = text.unicodeScalars.allSatisfy {
            $0 == "\n" || $0 == "\t" || ($0.value >= 0x20 && !(0x7F...0x9F).contains($0.value))
        }
        guard isClean, text.utf8.count <= Self.longest else {
            reader.report("C007", at: node, "the signature holds control characters, or more than 16 KiB")
            return nil
        }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        while lines.last?.allSatisfy(\.isWhitespace) == true { lines.removeLast() }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}

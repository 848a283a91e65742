import Foundation

/// The Swift files below `Sources`, and what they import.
enum SourceTree {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The files of each module, by the module's name.
    static func modules() throws -> [String: [URL]] {
        var found: [String: [URL]] = [:]
        let sources = root.appending(path: "Sources")
        for folder in try FileManager.default.contentsOfDirectory(
            at: sources, includingPropertiesForKeys: nil)
        {
            let walker = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            found[folder.lastPathComponent] = (walker?.allObjects as? [URL] ?? []).filter {
                $0.pathExtension == "swift"
            }
        }
        return found
    }

    static func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

    /// The modules that a text imports, in every form of import.
    static func imports(of text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            var words = line.split(separator: " ").map(String.init)
            while let first = words.first,
                first.hasPrefix("@")
                    || ["public", "internal", "package", "private", "fileprivate"].contains(first)
            {
                words.removeFirst()
            }
            guard words.first == "import", words.count >= 2 else { return nil }
            let kinds = ["struct", "class", "enum", "func", "protocol", "var", "let", "typealias", "actor"]
            let name = kinds.contains(words[1]) && words.count > 2 ? words[2] : words[1]
            return name.split(separator: ".").first.map(String.init)
        }
    }
}

import Models
import YAMLSource

/// Hides passwords in `opus.yaml` in all messages about that file.
///
/// It works on the text instead of the parsed tree, because a file that is not valid YAML has no tree, and
/// its error shows a line. It hides too much rather than too little: the rest of the line, and more deeply
/// indented lines below.
struct SecretRedaction {
    static let keys: Set<String> = [
        "password", "passwd", "passphrase", "passcode", "pass", "pwd", "secret", "app-password",
        "app_password", "token", "access-token", "access_token", "refresh-token", "refresh_token",
        "client-secret", "client_secret",
    ]
    static let mark = "•••"

    /// Lines with hidden text, and the column where that starts (in Characters, from 0).
    private var hidden: [Int: Int] = [:]
    private var values: [String] = []
    private let document: YAMLDocument?

    init(_ text: String, document: YAMLDocument?) {
        self.document = document
        var deeperThan: Int?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let indent = line.prefix { $0 == " " }.count
            if let limit = deeperThan {
                if indent > limit || line.allSatisfy(\.isWhitespace) {
                    hidden[index + 1] = 0
                    continue
                }
                deeperThan = nil
            }
            guard let start = Self.secretStart(line) else { continue }
            hidden[index + 1] = start
            deeperThan = indent
        }
        if let root = document?.root {
            values = Self.places(in: root).compactMap(\.value.scalar).filter { $0.count > 3 }
        }
    }

    /// The column where the value of a secret begins in a line.
    private static func secretStart(_ line: Substring) -> Int? {
        let characters = Array(line.lowercased())
        var index = 0
        while index < characters.count {
            guard characters[index].isLetter else {
                index += 1
                continue
            }
            var end = index
            while end < characters.count, characters[end].isLetter || "-_".contains(characters[end]) {
                end += 1
            }
            let word = String(characters[index..<end])
            var colon = end
            while colon < characters.count, "\"' ".contains(characters[colon]) { colon += 1 }
            if keys.contains(word), colon < characters.count, characters[colon] == ":" { return colon + 1 }
            index = end
        }
        return nil
    }

    /// All keys that contain secrets and have a value, in the order of the file. Not recursive.
    static func places(in root: YAMLNode) -> [(key: YAMLNode, value: YAMLNode)] {
        var found: [(key: YAMLNode, value: YAMLNode)] = []
        var waiting = [root]
        while let node = waiting.popLast() {
            switch node.kind {
            case .scalar: break
            case .sequence(let nodes): waiting += nodes
            case .mapping(let pairs):
                for pair in pairs {
                    if let key = pair.key.scalar, keys.contains(key.lowercased()) { found.append(pair) }
                    waiting.append(pair.value)
                }
            }
        }
        return found.sorted { ($0.key.line, $0.key.column) < ($1.key.line, $1.key.column) }
    }

    func apply(_ diagnostic: Diagnostic) -> Diagnostic {
        var clean = diagnostic
        if let line = diagnostic.sourceLine, let start = hidden[diagnostic.line] {
            clean.sourceLine = line.prefix(start) + " " + Self.mark
            // A YAML syntax error may quote the word at which parsing stopped.
            if document == nil {
                clean.message = "the text after a password's key is not YAML"
                clean.suggestion = "remove the password: password-command gets it from elsewhere"
            }
        }
        clean.sourceLine = clean.sourceLine.map(hidingValues)
        clean.message = hidingValues(clean.message)
        clean.suggestion = clean.suggestion.map(hidingValues)
        return clean
    }

    private func hidingValues(_ text: String) -> String {
        values.reduce(text) {
            $0.split(separator: $1, omittingEmptySubsequences: false).joined(separator: Self.mark)
        }
    }
}

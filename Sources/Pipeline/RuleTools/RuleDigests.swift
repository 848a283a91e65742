import Accounts
import Crypto
import Models
import Rules
import YAMLSource

/// A digest of the text of a rule, so that a run can tell later whether the rule has changed since.
///
/// Layout, comments, the description and the order of keys do not count. What the rule refers to (`is:`, `matched:`,
/// `@list`) is part of it: a list that changed is a rule that changed.
struct RuleDigest: Hashable {
    /// SHA-256 of the rule's own text, hex: what runs kept before references were part of it.
    let own: String
    /// `2:` and SHA-256 of the rule and of all that it refers to.
    let whole: String
    /// SHA-256 of the rule and of the definitions and rules that it refers to. An address that was added to a list does not
    /// change what a rule says.
    let text: String
    let refers: Bool

    /// The form that runs keep now.
    var kept: String { "3:\(text):\(whole)" }

    /// Whether a rule had the same text when a run kept this.
    func saysTheSame(as kept: String) -> Bool {
        if kept.hasPrefix("3:") { return kept.dropFirst(2).prefix { $0 != ":" } == text }
        return kept == whole || kept == own
    }

    /// Compares the digest that a run kept with the rule as it is now.
    func change(since kept: String) -> PastStep.RuleChange {
        if kept.hasPrefix("3:") { return kept == self.kept ? .same : .changed }
        if kept.hasPrefix(Self.version) { return kept == whole ? .same : .changed }
        guard kept == own else { return .changed }
        return refers ? .unknown : .same
    }

    static let version = "2:"
}

/// The digests of all rules of a library.
enum RuleDigests {
    /// By rule. Files that cannot be read have none.
    static func of(_ library: RuleLibrary) -> [String: RuleDigest] {
        let parts = Parts(library)
        var digests: [String: RuleDigest] = [:]
        for (id, text) in parts.rules {
            let references = library.rules.references(of: id)
            let others =
                references.rules.map { "r" + frame($0) + (parts.rules[$0] ?? "") }
                + references.defines.map { "d" + frame($0) + (parts.defines[$0] ?? "") }
            let lists = references.lists.map { "l" + frame($0) + (parts.lists[$0] ?? "") }
            digests[id] = RuleDigest(
                own: hash(text), whole: RuleDigest.version + hash(text + (others + lists).joined()),
                text: hash(text + others.joined()), refers: !references.isEmpty)
        }
        return digests
    }

    /// The texts that digests are made of, by name.
    private struct Parts {
        var rules: [String: String] = [:]
        var defines: [String: String] = [:]
        var lists: [String: String] = [:]

        init(_ library: RuleLibrary) {
            for source in library.sources {
                guard let root = YAMLDocument.read(file: source.file, text: source.text).document?.root else {
                    continue
                }
                for rule in (root["rules"]?.sequence ?? []).flatMap({ $0["choose"]?.sequence ?? [$0] }) {
                    guard let id = rule["id"]?.scalar else { continue }
                    rules[id] = canonical(rule, isRule: true)
                }
                for (key, value) in root["define"]?.mapping ?? [] {
                    if let name = key.scalar { defines[name] = canonical(value) }
                }
                for (key, value) in root["lists"]?.mapping ?? [] {
                    guard let name = key.scalar else { continue }
                    let file = value["file"]?.scalar.flatMap { library.listTexts[$0] }
                    lists[name] = canonical(value) + (file.map(entries) ?? "")
                }
            }
        }
    }

    /// The entries of a list file; the text between them does not count.
    private static func entries(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.split(separator: " ").joined(separator: " ") }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }.map(frame).joined()
    }

    private static func hash(_ text: String) -> String { Hex.encode(SHA256.hash(Array(text.utf8))) }

    /// The length comes before the text, so that no two of them look alike.
    private static func frame(_ text: String) -> String { "s\(text.utf8.count):\(text)" }

    /// Keys of a rule that say nothing about which mail it takes, and what it does with it.
    private static let unsaid = ["description", "id", "auto"]

    private static func canonical(_ node: YAMLNode, isRule: Bool = false) -> String {
        switch node.kind {
        case .scalar(let text, _): frame(text)
        case .sequence(let nodes): "[" + nodes.map { canonical($0) }.joined() + "]"
        case .mapping(let pairs):
            "{"
                + pairs.filter { pair in !isRule || !unsaid.contains { pair.key.scalar == $0 } }
                .map { canonical($0.key) + canonical($0.value) }.sorted().joined() + "}"
        }
    }
}

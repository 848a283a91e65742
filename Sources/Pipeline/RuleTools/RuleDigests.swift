import Accounts
import Crypto
import Models
import Rules
import YAMLSource

/// A digest of the text of a rule, so that opus can later tell whether the rule has changed since a run.
///
/// Layout, comments, the id, the description, `auto` and the order of keys do not count. Definitions, rules and lists that
/// the rule refers to (`is:`, `matched:`, `@list`) are included: a rule changes when its list changes.
struct RuleDigest: Hashable {
    /// SHA-256 of the rule's own text, in hex: the form in old runs, without references.
    let own: String
    /// `2:` and SHA-256 of the rule and of everything that it refers to.
    let whole: String
    /// SHA-256 of the rule and of the definitions and rules that it refers to. Adding an address to a list
    /// does not change it.
    let text: String
    let refers: Bool

    /// The current form in runs.
    var kept: String { "3:\(text):\(whole)" }

    /// Whether the rule had the same text when a run stored this digest.
    func saysTheSame(as kept: String) -> Bool {
        if kept.hasPrefix("3:") { return kept.dropFirst(2).prefix { $0 != ":" } == text }
        return kept == whole || kept == own
    }

    /// Compares the digest in a run with the current rule.
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
    /// By rule id. Rules in unreadable files are left out.
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

    /// The texts from which digests are computed, by name.
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

    /// The entries of a list file, without the text between them.
    private static func entries(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.split(separator: " ").joined(separator: " ") }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }.map(frame).joined()
    }

    private static func hash(_ text: String) -> String { Hex.encode(SHA256.hash(Array(text.utf8))) }

    /// Prefixed with its length, so that different texts cannot be confused.
    private static func frame(_ text: String) -> String { "s\(text.utf8.count):\(text)" }

    /// Keys of a rule that affect neither its conditions nor its actions.
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

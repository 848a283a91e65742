import Accounts
import Crypto
import Models
import Rules
import YAMLSource

/// One name for what a rule says, so that a run can tell later whether the rule has changed since.
///
/// Layout, comments, the description and the order of keys do not count; what it refers to (`is:`, `matched:`, `@list`)
/// counts by its name.
enum RuleDigests {
    /// SHA-256, hex, by rule. Files that cannot be read have none.
    static func of(_ sources: [RuleSet.Source]) -> [String: String] {
        var digests: [String: String] = [:]
        for source in sources {
            guard let root = YAMLDocument.read(file: source.file, text: source.text).document?.root else {
                continue
            }
            for rule in rules(root) {
                guard let id = rule["id"]?.scalar else { continue }
                digests[id] = Hex.encode(SHA256.hash(Array(canonical(rule, isRule: true).utf8)))
            }
        }
        return digests
    }

    private static func rules(_ root: YAMLNode) -> [YAMLNode] {
        (root["rules"]?.sequence ?? []).flatMap { $0["choose"]?.sequence ?? [$0] }
    }

    /// Lengths stand before texts, so that no two nodes look alike.
    private static func canonical(_ node: YAMLNode, isRule: Bool = false) -> String {
        switch node.kind {
        case .scalar(let text, _): "s\(text.utf8.count):\(text)"
        case .sequence(let nodes): "[" + nodes.map { canonical($0) }.joined() + "]"
        case .mapping(let pairs):
            "{"
                + pairs.filter { !isRule || ($0.key.scalar != "description" && $0.key.scalar != "id") }
                .map { canonical($0.key) + canonical($0.value) }.sorted().joined() + "}"
        }
    }
}

extension Session {
    /// The rules of a plan as they are written now; none where they are no longer those that made the plan.
    func ruleDigests(of plan: Plan) -> [String: String] {
        let library = RuleLibrary.load(workspace)
        return library.digest == plan.rulesDigest ? RuleDigests.of(library.sources) : [:]
    }
}

public import Models
import YAMLSource

/// An entry of `bundles:` in opus.yaml: its labels, and when it is delivered.
public struct BundleSettings: Hashable, Sendable {
    public var bundle: Bundle
    public var labels: [Keyword] = []
    /// A date phrase, such as `saturday 10:00`; nil: at once.
    public var deliver: String?
}

/// `bundles: { Reading: { labels: [news], deliver: saturday 10:00 } }`.
enum BundlesReader {
    static func read(_ node: YAMLNode, _ reader: inout ConfigReader) -> [BundleSettings] {
        guard let pairs = node.mapping else {
            reader.report(
                "C006", at: node,
                "bundles is \(node.kindName), not a mapping; write Reading: { labels: [news] }")
            return []
        }
        return pairs.compactMap { key, value in
            guard let name = key.scalar, let bundle = Bundle(name: name) else {
                reader.report(
                    "C007", at: key, "a key of bundles cannot be the name of a bundle",
                    suggestion: "a to z, digits and - _ . without spaces")
                return nil
            }
            guard let section = reader.section(value, "bundles: \(name)", keys: ["labels", "deliver"]) else {
                return nil
            }
            var settings = BundleSettings(bundle: bundle)
            settings.deliver = reader.text("deliver", in: section)
            for item in reader.list("labels", in: section) ?? [] {
                guard let text = item.scalar, Keyword.isValid(text) else {
                    reader.report("C007", at: item, "this cannot be a label")
                    continue
                }
                settings.labels.append(Keyword(text))
            }
            return settings
        }
    }
}

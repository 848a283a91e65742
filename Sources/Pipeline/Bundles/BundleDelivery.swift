import Accounts
import Models

/// When the mail of bundles is delivered, according to `deliver:` in opus.yaml.
struct BundleDelivery {
    let workspace: Workspace
    let now: Timestamp

    /// The name under which the list of deferred mail notes that a message waits, or waited, for its bundle. It cannot be
    /// the id of a rule.
    static let mark = "bundle:"

    /// A date phrase; nil: mail of the bundle does not wait.
    func phrase(of bundle: Bundle) -> String? {
        workspace.bundles.first { $0.bundle == bundle && $0.deliver != nil }?.deliver
    }

    /// Whether the first delivery after the arrival of the message is over. A message waits for no other one.
    func isOver(_ message: MessageFacts, phrase: String) -> Bool {
        let arrived = min(message.received, now)
        return DeferPhrase(workspace: workspace, now: arrived).until(phrase)?.isOver(at: now) ?? false
    }

    /// Whether a store that knows nothing of the message may let it wait. Rules may bundle a message that has no bundle
    /// now.
    func mayWait(_ message: MessageFacts) -> Bool {
        let bundle = MailBundle.bundle(of: message, labels: workspace.bundleLabels)
        let phrases = bundle.map { [phrase(of: $0)] } ?? workspace.bundles.map(\.deliver)
        return phrases.compactMap(\.self).contains { !isOver(message, phrase: $0) }
    }
}

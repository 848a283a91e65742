import Accounts
import Models

/// When the mail of bundles is delivered, according to `deliver:` in opus.yaml.
struct BundleDelivery {
    let workspace: Workspace
    let now: Timestamp

    /// The name under which the list of deferred mail notes that a message waits, or waited, for its bundle. It cannot be
    /// the id of a rule.
    static let mark = "bundle:"
    /// The verb in the journal for mail that waits for its bundle.
    static let verb = "bundle"

    /// A date phrase; nil: mail of the bundle does not wait.
    func phrase(of bundle: Bundle) -> String? {
        workspace.bundles.first { $0.bundle == bundle && $0.deliver != nil }?.deliver
    }

    /// The first delivery after the arrival of the message; nil: the phrase is not a date, or not in the future then. A
    /// message waits for no other one.
    func first(for message: MessageFacts, phrase: String) -> DeferredUntil? {
        DeferPhrase(workspace: workspace, now: min(message.received, now)).until(phrase)
    }

    /// Whether that delivery is over.
    func isOver(_ message: MessageFacts, phrase: String) -> Bool {
        first(for: message, phrase: phrase)?.isOver(at: now) ?? false
    }

    /// Until when a message waits that opus deferred for its bundle, by the settings of today; nil: it is not known.
    func until(_ message: MessageFacts) -> DeferredUntil? {
        guard let bundle = MailBundle.bundle(of: message, labels: workspace.bundleLabels) else { return nil }
        guard let phrase = phrase(of: bundle) else { return .time(now) }
        return first(for: message, phrase: phrase)
    }

    /// Whether a store that knows nothing of the message may let it wait. Rules may bundle a message that has no bundle
    /// now.
    func mayWait(_ message: MessageFacts) -> Bool {
        let bundle = MailBundle.bundle(of: message, labels: workspace.bundleLabels)
        let phrases = bundle.map { [phrase(of: $0)] } ?? workspace.bundles.map(\.deliver)
        return phrases.compactMap(\.self).contains { !isOver(message, phrase: $0) }
    }
}

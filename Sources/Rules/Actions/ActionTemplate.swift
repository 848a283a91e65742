import Models
import YAMLSource

/// One action of the rules language: its help, its parser, its effect on a message, the expectation for rule
/// tests, and its Sieve command.
///
/// To add an action, see "Where do I …?" in docs/Modules.md.
protocol ActionTemplate: Sendable {
    static var entry: ActionEntry { get }

    /// The meaning of the name alone; nil: it needs a value.
    static var plain: Self? { get }
    /// The meaning of the name with its value: several actions for a list of labels, none after an error.
    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self]

    /// The action for one message; nil if it cannot be made (after ``ActionMaker/fail(_:)``), or if there is
    /// nothing to do.
    func make(_ maker: inout ActionMaker) -> Action?

    /// Its key under `expect:`; nil: it has no key, or uses that of another action.
    static var expectation: ActionExpectation? { get }

    /// Adds its Sieve command; false if a mail server cannot do it (after ``SieveCommands/refuse(_:_:)``).
    func export(to script: inout SieveCommands) -> Bool

    /// Whether it uses the text of the message.
    var usesText: Bool { get }
    /// The facts that it needs in addition to those of the conditions.
    var needs: FactNeeds { get }
    /// The mailbox that it names, which must exist unless ``createsMailbox``.
    var mailboxName: String? { get }
    var createsMailbox: Bool { get }
    /// The recipient, if it is the same for every message.
    var fixedRecipient: EmailAddress? { get }
}

extension ActionTemplate {
    static var plain: Self? { nil }
    static var expectation: ActionExpectation? { nil }

    func export(to script: inout SieveCommands) -> Bool {
        script.refuse(name.rawValue, "only opus can do it")
    }

    var usesText: Bool { false }
    var needs: FactNeeds { [] }
    var mailboxName: String? { nil }
    var createsMailbox: Bool { false }
    var fixedRecipient: EmailAddress? { nil }

    var name: ActionName { Self.entry.action }
    var isDisposition: Bool { Self.entry.isDisposition }
}

/// An action without a value.
protocol PlainAction: ActionTemplate {
    init()
    static var action: Action { get }
}

extension PlainAction {
    static var plain: Self? { Self() }
    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] { [Self()] }
    func make(_ maker: inout ActionMaker) -> Action? { Self.action }
}

/// Translates `vacation` (RFC 5230) to an action.
///
/// Both reply to a sender once in a number of days, and never to lists, programs or mail without the user's address.
/// The report names the differences: an imported rule sends nothing before the user has read it.
struct SieveVacation {
    /// Why it cannot become an action.
    struct Refusal: Error {
        let reason: String
    }

    private(set) var action: DraftAction
    /// The differences from its meaning in Sieve.
    private(set) var changes = [
        "its answers are drafts until the rule says 'send: now'; mail that a rule above has filed is not answered"
    ]

    init(_ arguments: [SieveArgument], constants: [String: String]) throws(Refusal) {
        var text: String?
        var subject: String?
        var days: Int?
        var rest = arguments[...]
        func string() throws(Refusal) -> String {
            guard case .strings(let texts)? = rest.popFirst(), let first = texts.first else {
                throw Refusal(reason: "a text is missing")
            }
            guard let expanded = SieveVariables.expand(first, constants) else {
                throw Refusal(reason: "its text depends on the mail or on a variable that changes")
            }
            guard !expanded.contains("{{") else { throw Refusal(reason: "'{{' begins a field of the mail") }
            return expanded
        }
        func number() throws(Refusal) -> Int {
            guard case .number(let number)? = rest.popFirst() else {
                throw Refusal(reason: "a number is missing")
            }
            return number
        }
        while let argument = rest.popFirst() {
            switch argument {
            case .tag("days"): days = try number()
            case .tag("seconds"): days = try number() / 86_400
            case .tag("subject"): subject = try string()
            case .tag("from"):
                _ = try string()
                changes.append("the answer comes from the account's own address")
            case .tag("addresses"):
                _ = rest.popFirst()
                changes.append("only mail to the addresses under 'me:' in opus.yaml is answered")
            case .tag("handle"): _ = try string()
            case .tag("mime"): throw Refusal(reason: "a text that is a MIME part is not translated")
            case .tag(let name): throw Refusal(reason: "':\(SourceText.oneLine(name))' is not translated")
            case .strings(let texts):
                rest = [.strings(texts)] + rest
                text = try string()
            case .number: throw Refusal(reason: "this number has no tag before it")
            }
        }
        guard let text, text.contains(where: { !$0.isWhitespace }) else {
            throw Refusal(reason: "it has no text")
        }
        var fields = ["text: \(RuleWriter.lines(text))"]
        if let subject { fields.append("subject: \(RuleWriter.lines(subject))") }
        if let days { fields.append("days: \(min(max(days, 1), 365))") }
        action = .vacation(fields)
    }
}

import Pipeline
import Rules

/// The pages of `opus help` that no command has: `rules`, `query`, `dates`, made from the tables of the language.
enum HelpTopics {
    static let names = ["rules", "query", "dates"]

    /// The page that these arguments ask for; nil: none of these.
    static func page(_ arguments: [String]) -> String? {
        guard arguments.count == 2, arguments[0] == "help" else { return nil }
        switch arguments[1] {
        case "rules": return rules
        case "query": return query
        case "dates": return dates
        case _: return nil
        }
    }

    /// Why there is no page; nil: the parser of commands has one.
    static func problem(_ arguments: [String], commands: [String]) -> Problem? {
        guard arguments.count > 1, arguments[0] == "help", let word = arguments.dropFirst().first,
            !word.hasPrefix("-"), !commands.contains(word), !names.contains(word), word != "help"
        else { return nil }
        return Problem(
            "no-such-help", exit: .usage, message: "there is no command and no page \"\(word)\"",
            next: ["opus --help", "opus help \(names.joined(separator: ", opus help "))"])
    }

    private static var rules: String {
        """
        RULES are text in rules/*.yaml, read in name order, from top to bottom. A rule has an id, conditions (when, \
        unless)
        and actions (then). One that disposes of a message ends its triage; one that only marks lets it go on.

          rules-version: 1
          rules:
            - id: invoice
              when: { has: pdf, subject: invoice }      # or, as a query: 'has:pdf subject:invoice'
              then: [{ task: 'Pay {{subject}}' }, archive]

        ACTIONS
        \(RulesLanguage.actionHelp)

        TEMPLATES
          \(RulesLanguage.templateNames.map { "{{\($0)}}" }.joined(separator: " "))
          and the named groups of the rule's patterns: (?P<number>\\d+) makes {{number}}

        CONDITIONS   opus help query
        DATES        opus help dates
        COMMANDS     opus rules --help: check, test, list, import and more
        EDITORS      opus rules schema
        """
    }

    private static var query: String {
        """
        A QUERY asks about messages: in opus search, opus list, and behind when: and unless: of rules. Terms stand side \
        by
        side (and), with or, not, - and brackets; words without a prefix are looked for in the whole message.

        \(RulesLanguage.conditionHelp)

        VALUES
          invoice, "q3 plan"            words next to one another, from the beginning of a word
          ~voice                        anywhere, also inside of words
          =exact                        the whole text
          *voice*, inv?ice*             any text, one character
          /INV-\\d+/i                    a regular expression (RE2); i ignores case
          @x.org, me, known, @list      of addresses: a domain and below, you, written to before, a list
          <2M, >=3d                     of numbers and times
        """
    }

    private static var dates: String {
        """
        DATES are understood in defer:, due:, follow-up: and the like, and in date:, sent: and received:.

        \(RulesLanguage.dateHelp)

        A date without a time is a day; defer needs a time, and a day means 08:00.
        """
    }
}

import Models
import Pipeline
import Rules

/// The pages of `opus help` that no command has: `config`, and `rules`, `query`, `dates`, made from the tables of the
/// language.
enum HelpTopics {
    static let names = ["config", "rules", "query", "dates"]

    /// The page that these arguments ask for; nil: none of these.
    static func page(_ arguments: [String]) -> String? {
        guard arguments.count == 2, arguments[0] == "help" else { return nil }
        switch arguments[1] {
        case "config": return config
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

    private static var config: String {
        """
        CONFIG is the file opus.yaml: --workspace FOLDER, else $OPUS_WORKSPACE, else the nearest folder upwards that has \
        one,
        else ~/.config/opus. It holds no password. Only you (or root) may be able to write it.

          config-version: 1
          me: { name: Ana Ruiz, addresses: [ana@acme.example] }
          time-zone: Europe/Paris
          accounts:
            - name: work
              address: ana@acme.example
              imap: { host: imap.acme.example, port: 993, security: tls }
              smtp: { host: smtp.acme.example, port: 587, security: starttls }
              login: { user: ana, password-command: [pass, show, mail/work] }
            - { name: old, address: ana@example.org, maildir: ~/Mail/old }

        KEYS of the file
          config-version, me, time-zone, work-hours, dates, tasks, rules, store, attachments, allow-send, brakes, send, \
        accounts
        KEYS of an account
          name, address, maildir, imap, smtp, sendmail, tls, login, folders, sync, authserv-id, smime, signature, signature-file

        EVERYTHING   man opus-config
        CHECK        opus doctor, opus account check
        """
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
        EVERYTHING   man 5 opus-rules
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

        EVERYTHING   man opus-dates
        """
    }
}

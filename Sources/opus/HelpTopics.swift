import Models
import Pipeline
import Rules

/// Help pages that do not describe a command. Those of rules, queries and dates come from the tables of the rule language.
enum HelpTopics {
    private static var pages: KeyValuePairs<String, () -> String> {
        [
            "config": { config }, "rules": { rules }, "query": { query }, "dates": { dates },
            "exit-codes": { exitCodes }, "environment": { environment },
        ]
    }
    static let names = pages.map(\.key)

    /// The page that the arguments request; nil: they request something else.
    static func page(_ arguments: [String]) -> String? {
        guard arguments.count == 2, arguments[0] == "help" else { return nil }
        return pages.first { $0.key == arguments[1] }?.value()
    }

    /// The error for an unknown page; nil: the page belongs to a command.
    static func problem(_ arguments: [String], commands: [String]) -> Problem? {
        guard arguments.count > 1, arguments[0] == "help", let word = arguments.dropFirst().first,
            !word.hasPrefix("-"), !commands.contains(word), !names.contains(word), word != "help"
        else { return nil }
        return Problem(
            "no-such-help", exit: .usage, message: "no command or help page is called \"\(word)\"",
            next: ["opus --help", "opus help \(names.joined(separator: ", opus help "))"])
    }

    private static var config: String {
        """
        CONFIG is the file opus.yaml in the folder given by --workspace, else by $OPUS_WORKSPACE, else in the nearest parent
        folder that has one, else in ~/.config/opus. It contains no passwords. Only you (or root) may have write access.

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
          config-version, me, time-zone, work-hours, dates, tasks, rules, store, originals, attachments, attachment-text,
          allow-send, brakes, send, defer, first-run, command-mailboxes, people, screener, threads, bundles, watch,
          searches, accounts
        KEYS of an account
          name, address, maildir, imap, smtp, sendmail, tls, login, folders, sync, allow, authserv-id, smime, signature,
          signature-file, identities
        KEYS of an identity
          from, name, signature, signature-file, sent
        KEYS of login
          user, password-command, token-command, oauth, mechanism
        KEYS of oauth
          client-id, client-secret-command, authorize-url, token-url, device-url, scope, redirect, parameters, store,
          load-command, store-command, credential, ca-file

        EVERYTHING   man opus-config
        CHECK        opus doctor, opus account check
        OAUTH        opus account login
        """
    }

    private static var rules: String {
        """
        RULES are in rules/*.yaml. Files are read in the order of their names, rules from top to bottom. A rule has an id,
        conditions (when, unless) and actions (then). An action that moves or keeps a message ends its triage; after actions
        that only mark it, triage continues with the next rule.

          rules-version: 1
          rules:
            - id: invoice
              when: { has: pdf, subject: invoice }      # or, as a query: 'has:pdf subject:invoice'
              then: [{ task: 'Pay {{subject}}' }, archive]

        ACTIONS
        \(RulesLanguage.actionHelp)

        TEMPLATES
          \(RulesLanguage.templateNames.map { "{{\($0)}}" }.joined(separator: " "))
          and the named groups in the patterns of the rule: (?P<number>\\d+) defines {{number}}

        CONDITIONS   opus help query
        DATES        opus help dates
        COMMANDS     opus rules --help: check, test, list, import and more
        EDITORS      opus rules schema
        EVERYTHING   man 5 opus-rules
        """
    }

    private static var query: String {
        """
        A QUERY selects messages: in opus search and opus list, and after when: and unless: in rules. All terms must match;
        combine them with or, not, - and brackets. Words without a prefix are searched in the whole message.

        \(RulesLanguage.conditionHelp)

        VALUES
          invoice, "q3 plan"            consecutive words, from the beginning of a word
          ~voice                        anywhere, even inside words
          =exact                        the whole text
          *voice*, inv?ice*             any text, one character
          /INV-\\d+/i                    a regular expression (RE2); i ignores case
          @x.org, me, known, @list      of addresses: a domain with its subdomains, you, people you wrote to, a list
          <2M, >=3d                     of numbers and times

        SAVED SEARCHES
          query:bills                   the query saved under that name (opus search --save bills QUERY); not in rules
        """
    }

    private static var dates: String {
        """
        DATES can be used in defer:, due:, follow-up: and similar keys, and in date:, sent: and received:.

        \(RulesLanguage.dateHelp)

        A date without a time is a day. defer: needs a time; for a day it uses 08:00.

        EVERYTHING   man opus-dates
        """
    }

    private static var exitCodes: String {
        table(
            "EXIT CODES of all commands", ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) }, more: ""
        )
    }

    private static var environment: String {
        table(
            "ENVIRONMENT variables that opus reads", EnvironmentVariable.all.map { ($0.names, $0.meaning) },
            more: "\n\nEVERYTHING   man opus")
    }

    private static func table(_ title: String, _ rows: [(name: String, meaning: String)], more: String)
        -> String
    {
        let column = 4 + (rows.map(\.name.count).max() ?? 0)
        let lines = rows.flatMap { row in
            WrappedText.lines(row.meaning, width: 100 - column).enumerated().map { index, line in
                named(index == 0 ? row.name : "", column)
                    + (line.hasSuffix(" ") ? line.dropLast() : line[...])
            }
        }
        return title + "\n\n" + lines.joined(separator: "\n") + more
    }

    private static func named(_ name: String, _ column: Int) -> String {
        "  " + name + String(repeating: " ", count: column - 2 - name.count)
    }
}

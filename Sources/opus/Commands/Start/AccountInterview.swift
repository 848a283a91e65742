import Discovery
import Foundation
import Glibc
import Models
import Pipeline

/// Makes an account from options, discovery and a few questions, and tests its login.
struct AccountInterview {
    let options: NewAccountOptions
    let console: Console
    let setup: AccountSetup
    let environment: [String: String]
    /// The command that the user typed, for hints: `opus init`.
    let command: String

    private var canAsk: Bool { console.canAsk && !options.yes && !console.isJSON }

    /// The given address; without one, opus asks for it.
    func address(_ imported: ImportedAccount?) throws -> EmailAddress {
        let text: String
        if let given = options.address ?? imported?.address?.addrSpec {
            text = given
        } else if canAsk {
            text = console.read("Your mail address:")
        } else {
            throw Problem(
                "no-address", exit: .usage, message: "no address was given",
                next: ["\(command) you@example.org"] + Self.offers(environment, command))
        }
        guard let address = EmailAddress(text),
            address.domain.contains(".") || options.imap != nil || options.maildir != nil || imported != nil
        else {
            throw Problem(
                "bad-address", exit: .usage, message: "\"\(text)\" is not a mail address",
                next: ["\(command) you@example.org"])
        }
        return address
    }

    /// Settings of other programs that could be taken over.
    static func offers(_ environment: [String: String], _ command: String) -> [String] {
        let programs = Set(SettingsImport(environment: environment).all().map(\.program)).sorted()
        return programs.map { "\(command) --from \($0)" }
    }

    func imported() throws -> ImportedAccount? {
        let search = SettingsImport(environment: environment)
        guard let from = options.from else { return nil }
        let found = try search.accounts(of: from)
        if let text = options.address, let wanted = EmailAddress(text) {
            let match = SettingsImport.match(found, wanted, user: options.user)
            if let match { return match }
            throw Problem(
                "no-settings", exit: .notFound, message: "\(from) has no account for \(wanted.addrSpec)",
                details: found.map {
                    "it has " + ($0.address?.addrSpec ?? $0.imap?.host ?? $0.maildir ?? "one")
                },
                next: found.compactMap { $0.address.map { "\(command) \($0.addrSpec) --from \(from)" } }
                    + ["\(command) \(wanted.addrSpec)"])
        }
        guard found.count <= 1 else {
            let known = found.compactMap { $0.address.map { "\(command) \($0.addrSpec) --from \(from)" } }
            throw Problem(
                "several-accounts", exit: .usage, message: "\(from) has \(found.count) accounts",
                next: known.isEmpty ? ["\(command) ADDRESS --from \(from)"] : known)
        }
        return found.first
    }

    /// The account, with servers that are proven and a login that works.
    func wish(_ address: EmailAddress, _ imported: ImportedAccount?, besides names: [String]) async throws
        -> AccountWish
    {
        let name = options.name ?? AccountWish.name(for: address, besides: names)
        try setup.check(name: name, address)
        if let maildir = options.maildir ?? imported?.maildir {
            let wish = AccountWish(name: name, address: address, mail: .maildir(absolute(maildir)))
            try await setup.tryLogin(wish, provider: nil)
            return wish
        }
        var user = options.user ?? imported?.user
        var provider = setup.provider(of: address)
        var smtp = try options.smtp.map { try ServerWish($0, .smtp) } ?? imported?.smtp
        let imap: ServerWish
        if let known = try options.imap.map({ try ServerWish($0, .imap) }) ?? imported?.imap {
            imap = known
        } else {
            let found = try await search(address)
            provider = found.provider ?? provider
            guard let proven = found.imap else { throw setup.notFound(address, found, command) }
            try confirm(found, address)
            imap = ServerWish(proven.candidate)
            smtp = smtp ?? found.smtp.map { ServerWish($0.candidate) }
            user = user ?? proven.candidate.user
        }
        var wish = AccountWish(name: name, address: address, mail: .servers(imap: imap, smtp: smtp))
        wish.user = user
        wish.caFile = options.certificates.caFile.map(absolute)
        wish.pin = setup.pin
        let typed = try await password(for: &wish, provider, imported)
        console.progress("Logging in at \(imap.host)")
        defer { console.endProgress() }
        do {
            try await setup.tryLogin(wish, provider: provider)
        } catch {
            if let typed { setup.place.forgetPassword(in: typed) }
            throw error
        }
        return wish
    }

    // MARK: Servers

    private func search(_ address: EmailAddress) async throws -> ServerSearch.Result {
        defer { console.endProgress() }
        let console = console
        return try await setup.search(address) { step, candidate in
            let words = candidate.map { "\($0.host):\($0.port)" } ?? step.rawValue
            console.progress("Looking for the servers of \(address.domain): \(TerminalText.line(words))")
        }
    }

    /// Shows the servers; asks when anyone on the way could have changed the answer.
    private func confirm(_ found: ServerSearch.Result, _ address: EmailAddress) throws {
        let candidates = [found.imap, found.smtp].compactMap { $0?.candidate }
        for candidate in candidates {
            console.note(
                TerminalText.line(
                    "\(candidate.service.rawValue.uppercased())  \(candidate.host):\(candidate.port) "
                        + "\(candidate.security.rawValue)   \(candidate.origin)"
                        + (candidate.isTrusted ? "" : "   not trusted: the connection was not protected")))
        }
        let doubtful = candidates.filter { !$0.isTrusted }
        guard let first = doubtful.first else { return }
        let hosts = doubtful.map(\.host).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            .joined(separator: " and ")
        let user = candidates.compactMap(\.user).first.map { " --user \($0)" } ?? ""
        let sure =
            " \(address.addrSpec)\(options.user.map { " --user \($0)" } ?? user) "
            + candidates.map { "--\($0.service.rawValue) \(Self.option($0))" }.joined(separator: " ")
        guard canAsk else {
            throw Problem(
                "untrusted-server", exit: .unavailable,
                message:
                    "the \(hosts.contains(" ") ? "names" : "name") \(hosts) came over a connection that was not protected",
                details: ["\(first.origin): someone on the network could have changed it"],
                next: ["if the server is right: \(command)\(sure)"])
        }
        guard console.ask("Send your password to \(TerminalText.line(hosts))?") else {
            throw Problem(
                "untrusted-server", exit: .unavailable, message: "you did not accept the server",
                next: ["\(command) --imap HOST --smtp HOST"])
        }
    }

    /// The value of `--imap` or `--smtp` that means this server.
    private static func option(_ server: ServerCandidate) -> String {
        let scheme =
            switch server.security {
            case .tls: ""
            case .startTLS: "\(server.service.rawValue)://"
            }
        return "\(scheme)\(server.host):\(server.port)"
    }

    // MARK: Password

    /// - Returns: The file that has it now; nil: the user did not type it.
    private func password(
        for wish: inout AccountWish, _ provider: Provider?, _ imported: ImportedAccount?
    ) async throws -> String? {
        if let token = options.tokenCommand {
            wish.passwordCommand = try words(token)
            wish.printsToken = true
            return nil
        }
        if let given = options.passwordCommand ?? environment["OPUS_PASSWORD_COMMAND"] {
            wish.passwordCommand = try words(given)
            return nil
        }
        if let command = imported?.passwordCommand, !command.isEmpty {
            wish.passwordCommand = command
            wish.printsToken = imported?.printsToken ?? false
            return nil
        }
        if let provider, provider.login == [.oauth] {
            throw Problem(
                "needs-oauth", exit: .configuration, message: "\(provider.name) does not accept passwords",
                details: provider.blocks,
                next: ["\(provider.step): \(provider.page)", "--token-command COMMAND"])
        }
        let help = provider.map { "\($0.name): \($0.step): \($0.page)" }
        guard canAsk else {
            throw Problem(
                "no-password-command", exit: .usage, message: "no command was given that prints the password",
                details: [help].compactMap(\.self),
                next: ["\(command) \(wish.address.addrSpec) --password-command 'pass show mail/\(wish.name)'"]
            )
        }
        if let provider {
            console.note(TerminalText.line("\(provider.name): \(provider.step)"))
            console.note(TerminalText.line("  \(provider.page)"))
            for block in provider.blocks { console.note(TerminalText.line("  · \(block)")) }
        }
        let typed = console.read(
            "Command that prints the password, such as pass show mail (empty: type the password):")
        guard typed.isEmpty else {
            wish.passwordCommand = try words(typed)
            return nil
        }
        let file = setup.place.passwordFile(of: wish.name)
        let password = console.readSecret("Password (kept in \(setup.place.folder)/\(file), mode 600):")
        guard !password.isEmpty else {
            throw Problem("no-password", exit: .usage, message: "no password was typed", next: [command])
        }
        wish.passwordCommand = try setup.place.keep(password: password, in: file)
        return file
    }

    /// Words at blanks; quotes keep blanks together. No variables, no expansion.
    private func words(_ text: String) throws -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for letter in text {
            if let open = quote {
                if letter == open { quote = nil } else { word = (word ?? "") + String(letter) }
            } else if letter == "'" || letter == "\"" {
                quote = letter
                word = word ?? ""
            } else if letter == " " {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(letter)
            }
        }
        if let done = word { words.append(done) }
        guard quote == nil, words.first?.isEmpty == false else {
            throw Problem(
                "bad-command", exit: .usage, message: "\"\(text)\" is not a command",
                next: ["--password-command 'pass show mail/work'"])
        }
        return words
    }

    private func absolute(_ path: String) -> String {
        path.hasPrefix("/") || path.hasPrefix("~")
            ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}

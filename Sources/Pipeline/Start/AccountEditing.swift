import Accounts
public import Models

/// Adds an account to the existing opus.yaml, or removes one. Everything else in the file stays unchanged,
/// including comments.
///
/// The new text is parsed before it is written: the only difference must be the one account.
public struct AccountEditing: Sendable {
    let place: NewWorkspace

    public init(_ place: NewWorkspace) { self.place = place }

    /// - Returns: An account that has the same mailboxes: their mail will be read twice. nil: there is none.
    @discardableResult
    public func add(_ wish: AccountWish) throws -> AccountID? {
        let (edited, wanted) = try addition(of: wish)
        try write(edited, wanted: wanted)
        return try twin(of: AccountID(wish.name), in: accounts(in: edited))
    }

    /// Throws the reason if ``add(_:)`` cannot add the account. Changes nothing.
    func check(_ wish: AccountWish) throws {
        let (edited, wanted) = try addition(of: wish)
        try check(edited, wanted: wanted)
    }

    private func addition(of wish: AccountWish) throws -> (text: String, accounts: [AccountID]) {
        let (text, workspace) = try read()
        if workspace.accounts.contains(where: { $0.address.comparable == wish.address.comparable }) {
            throw Problem(
                "account-exists", exit: .cannotCreate,
                message: "\(wish.address.addrSpec) already has an account",
                place: place.location.shownFile, next: ["opus account check"])
        }
        let edited = text.addingAccount { AccountText(wish: wish).entry(indent: $0) }
        return (edited, workspace.accounts.map(\.id) + [AccountID(wish.name)])
    }

    /// Another account with the same folder, or with the same login to the same server.
    private func twin(of id: AccountID, in accounts: [Account]) -> AccountID? {
        guard let account = accounts.first(where: { $0.id == id }) else { return nil }
        return accounts.first {
            $0.id != id && $0.login?.user == account.login?.user && isSame($0.source, account.source)
        }?.id
    }

    private func isSame(_ a: Account.Source, _ b: Account.Source) -> Bool {
        switch (a, b) {
        case (.maildir(let a), .maildir(let b)): a == b
        case (.imap(let a), .imap(let b)): a.host.lowercased() == b.host.lowercased() && a.port == b.port
        case _: false
        }
    }

    /// The mail on the server stays there. The local copy stays in the store, and is used again if the
    /// account is added again.
    public func remove(_ name: String) throws {
        let edit = try removal(of: name)
        try write(edit.text, wanted: edit.left)
    }

    /// Throws the reason if ``remove(_:)`` cannot remove the account. Changes nothing.
    public func checkRemoval(of name: String) throws { _ = try removal(of: name) }

    private func removal(of name: String) throws -> (text: String, left: [AccountID]) {
        let (text, workspace) = try read()
        guard let account = workspace.accounts.first(where: { $0.id.rawValue == name }) else {
            throw Problem(
                "no-such-account", exit: .notFound, message: "opus.yaml has no account \"\(name)\"",
                place: place.location.shownFile,
                next: ["one of: " + workspace.accounts.map(\.id.rawValue).joined(separator: ", ")])
        }
        guard let edited = text.removingAccount(at: account.place.line) else {
            throw cannotEdit("the account is not a list entry of its own")
        }
        return (edited, workspace.accounts.map(\.id).filter { $0 != account.id })
    }

    // MARK: Text

    private func read() throws -> (ConfigText, Workspace) {
        let text = try file().text
        let workspace = try place.parsed(text)
        guard let readable = ConfigText(text) else { throw cannotEdit("it is not YAML") }
        return (readable, workspace)
    }

    private func file() throws -> ConfigFile {
        do throws(ConfigFile.Failure) {
            return try ConfigFile(place.location)
        } catch {
            throw Problem.of(error, place.location)
        }
    }

    private func check(_ text: String, wanted: [AccountID]) throws {
        guard try accounts(in: text).map(\.id).sorted() == wanted.sorted() else {
            throw cannotEdit("its accounts are written in a way that opus does not edit")
        }
    }

    private func write(_ text: String, wanted: [AccountID]) throws {
        try check(text, wanted: wanted)
        let file = try file()
        do throws(ConfigFile.Failure) {
            try file.write(text)
        } catch {
            throw Problem.of(error, place.location)
        }
    }

    private func accounts(in text: String) throws -> [Account] {
        do {
            return try place.parsed(text).accounts
        } catch let failure as DiagnosticFailure {
            let errors = failure.diagnostics.filter { $0.severity == .error }.map(\.message)
            var problem = cannotEdit("it would be invalid: " + (errors.first ?? "it cannot be read"))
            problem.details = Array(errors.dropFirst())
            throw problem
        }
    }

    private func cannotEdit(_ reason: String) -> Problem {
        Problem(
            "cannot-edit", exit: .configuration, message: "opus.yaml was not changed: \(reason)",
            place: place.location.shownFile, next: ["edit the file; opus help config explains its keys"])
    }
}

import Accounts

/// Checks that the programs exist that opus.yaml names or that its settings require, such as `secret-tool`
/// for a keyring.
struct HelperPrograms {
    private let named: [(key: String, program: String)]

    init(_ workspace: Workspace) {
        var named: [(key: String, program: String)] = []
        func add(_ key: String, _ command: [String]?) {
            if let program = command?.first { named.append((key, program)) }
        }
        for account in workspace.accounts {
            let login = account.login
            add("the login of \(account.id)", login?.command)
            add("sendmail of \(account.id)", account.sendmail?.command)
            add("client-secret-command of \(account.id)", login?.oauth?.clientSecretCommand)
            switch login?.oauth?.store {
            case .commands(let load, let store):
                add("load-command of \(account.id)", load)
                add("store-command of \(account.id)", store)
            case .secretService: add("store: secret-service of \(account.id)", ["secret-tool"])
            case .file, .credential, nil: break
            }
        }
        add("watch.hook", workspace.watch.hook)
        if workspace.watch.showsOnDesktop { add("watch.desktop", ["notify-send"]) }
        if workspace.fileText.isOn {
            add("attachment-text", ["pdftotext"])
            add("attachment-text", ["prlimit"])
        }
        self.named = named
    }

    var finding: Finding {
        guard let missing = named.first(where: { !isThere($0.program) }) else {
            let programs = Set(named.map(\.program)).sorted()
            return .good("programs", programs.isEmpty ? "none needed" : programs.joined(separator: ", "))
        }
        return .bad(
            "programs", "\(missing.key): program \(missing.program) not found",
            next: "opus config edit")
    }

    private func isThere(_ program: String) -> Bool {
        Sendmail(command: [program], place: SourcePlace(file: "", line: 0)).program != nil
    }
}

import Models
import SASL
import YAMLSource

/// Reads `login:` of an account: the user name, the command that prints the password or token, and the
/// mechanism.
struct LoginReader {
    let location: WorkspaceLocation

    private static let keys = ["user", "password-command", "token-command", "oauth", "mechanism"]
    private static let mechanisms = SASLMechanism.allCases.map { ($0.rawValue.lowercased(), $0) }

    func login(
        _ node: YAMLNode, _ title: String, _ address: EmailAddress?, _ reader: inout ConfigReader
    ) -> Login? {
        guard let section = reader.section(node, "login of \(title)", keys: Self.keys)
        else {
            return nil
        }
        let user = reader.text("user", in: section) ?? address?.addrSpec
        if let node = section.node("oauth") {
            return oauth(node, user, section, title, &reader)
        }
        let command: YAMLNode
        let proof: Login.Proof
        switch (section.node("password-command"), section.node("token-command")) {
        case (nil, nil):
            if SecretRedaction.places(in: node).isEmpty { reader.missing("password-command", in: section) }
            return nil
        case (.some, .some(let token)):
            reader.report(
                "C005", at: token,
                "login of \(title) has both 'password-command' and 'token-command'; remove one")
            return nil
        case (.some(let node), nil): (command, proof) = (node, .password)
        case (nil, .some(let node)): (command, proof) = (node, .token)
        }
        let mechanism = mechanism(section, proof, &reader)
        guard let arguments = arguments(command, "\(proof.rawValue)-command", &reader), let user else {
            return nil
        }
        return Login(
            user: user, proof: proof, command: arguments, mechanism: mechanism, folder: location.root,
            place: SourcePlace(file: location.shownFile, line: command.line))
    }

    private func oauth(
        _ node: YAMLNode, _ user: String?, _ section: ConfigReader.Section, _ title: String,
        _ reader: inout ConfigReader
    ) -> Login? {
        for key in ["password-command", "token-command"] {
            guard let other = section.node(key) else { continue }
            reader.report("C005", at: other, "login of \(title) has both 'oauth' and '\(key)'; remove one")
        }
        let mechanism = mechanism(section, .token, &reader)
        guard let settings = OAuthReader(location: location).settings(node, title, &reader), let user else {
            return nil
        }
        var login = Login(
            user: user, proof: .token, command: [], mechanism: mechanism, folder: location.root,
            place: settings.place)
        login.oauth = settings
        return login
    }

    private func mechanism(
        _ section: ConfigReader.Section, _ proof: Login.Proof, _ reader: inout ConfigReader
    ) -> SASLMechanism? {
        guard let chosen = reader.choice("mechanism", in: section, Self.mechanisms),
            let node = section.node("mechanism")
        else { return nil }
        guard chosen.usesToken == (proof == .token) else {
            let fitting = Self.mechanisms.filter { $0.1.usesToken == (proof == .token) }.map(\.0)
            reader.report(
                "C007", at: node,
                "\(chosen.rawValue.lowercased()) does not log in by \(proof.rawValue), but the account has \(proof.rawValue)-command",
                suggestion: "one of: " + fitting.joined(separator: ", "))
            return nil
        }
        return chosen
    }

    /// Expands `~`, because no shell does; the path of a program that contains a slash is relative to
    /// `opus.yaml`.
    func arguments(
        _ node: YAMLNode, _ key: String, _ reader: inout ConfigReader
    ) -> [String]? {
        guard let nodes = node.sequence, !nodes.isEmpty else {
            let words =
                node.scalar.map { $0.split(separator: " ").joined(separator: ", ") }
                ?? "pass, show, mail/work"
            reader.report(
                "C012", at: node, "\(key) is \(node.kindName), not a list of program and arguments",
                suggestion: "write [\(words)]; no shell reads it")
            return nil
        }
        var arguments: [String] = []
        for node in nodes {
            guard let text = node.scalar, !text.unicodeScalars.contains("\0") else {
                reader.report("C012", at: node, "an argument of \(key) is \(node.kindName), not text")
                return nil
            }
            arguments.append(Paths.expandingHome(text, home: location.home))
        }
        guard let program = arguments.first, !program.isEmpty else {
            reader.report("C012", at: node, "\(key) begins with an empty word; write the program first")
            return nil
        }
        if program.contains("/") {
            arguments[0] = Paths.absolute(program, below: location.root, home: location.home)
        }
        return arguments
    }
}

import Models
import YAMLSource

/// Reads `login: { oauth: … }` of an account.
struct OAuthReader {
    let location: WorkspaceLocation

    static let keys = [
        "client-id", "issuer", "client-secret-command", "authorize-url", "token-url", "device-url", "scope",
        "redirect", "parameters", "refresh-life", "store", "load-command", "store-command", "credential",
        "ca-file",
    ]
    static let stores = ["file", "secret-service", "command", "credential"]

    func settings(
        _ node: YAMLNode, _ title: String, _ reader: inout ConfigReader
    ) -> OAuthSettings? {
        guard let section = reader.section(node, "oauth of \(title)", keys: Self.keys) else { return nil }
        let issuer = url("issuer", section, &reader)
        let isOpen = section.node("issuer") != nil
        let client = reader.text("client-id", in: section, required: !isOpen)
        let token = url("token-url", section, &reader)
        if !isOpen, section.node("token-url") == nil { reader.missing("token-url", in: section) }
        let authorize = url("authorize-url", section, &reader)
        let device = url("device-url", section, &reader)
        if !isOpen, section.node("authorize-url") == nil, section.node("device-url") == nil {
            reader.missing("authorize-url", in: section)
        }
        let redirect = url("redirect", section, &reader)
        let store = store(section, &reader)
        guard let store, issuer != nil || (client != nil && token != nil) else { return nil }
        return OAuthSettings(
            clientID: client, issuer: issuer,
            clientSecretCommand: command("client-secret-command", section, &reader),
            authorizeURL: authorize, tokenURL: token, deviceURL: device, scopes: scopes(section, &reader),
            pasteRedirect: redirect ?? "https://localhost",
            parameters: parameters(section, &reader), refreshLife: life(section, &reader), store: store,
            caFile: reader.text("ca-file", in: section).map {
                Paths.absolute($0, below: location.root, home: location.home)
            }, place: SourcePlace(file: location.shownFile, line: node.line))
    }

    /// `refresh-life: 7d`
    private func life(_ section: ConfigReader.Section, _ reader: inout ConfigReader) -> Int64? {
        guard let text = reader.text("refresh-life", in: section), let node = section.node("refresh-life")
        else { return nil }
        guard let days = SyncReader.days(text) else {
            reader.report(
                "C007", at: node, "'\(text)' is not a span of time",
                suggestion: "write a number and d, w or mo, as in 7d")
            return nil
        }
        return Int64(days) * 86_400
    }

    /// An HTTPS URL, or one on this machine.
    private func url(
        _ key: String, _ section: ConfigReader.Section, _ reader: inout ConfigReader
    ) -> String? {
        guard let text = reader.text(key, in: section), let node = section.node(key) else { return nil }
        let rest = text.hasPrefix("http://") ? text.dropFirst("http://".count) : ""
        let host = rest.prefix { $0 != ":" && $0 != "/" }
        guard text.hasPrefix("https://") || ServerSettings.isLoopback(String(host)) else {
            reader.report("C007", at: node, "'\(key)' is not an https: address")
            return nil
        }
        return text
    }

    /// A list, or one text with spaces between the scopes.
    private func scopes(_ section: ConfigReader.Section, _ reader: inout ConfigReader) -> [String] {
        guard let node = section.node("scope") else { return [] }
        let texts = node.sequence?.compactMap(\.scalar) ?? node.scalar.map { [$0] } ?? []
        let scopes = texts.flatMap { $0.split(separator: " ").map(String.init) }
        if scopes.isEmpty {
            reader.report("C006", at: node, "'scope' is \(node.kindName), not a list of texts")
        }
        return scopes
    }

    private func parameters(
        _ section: ConfigReader.Section, _ reader: inout ConfigReader
    ) -> [String: String] {
        guard let node = section.node("parameters") else { return [:] }
        guard let pairs = node.mapping else {
            reader.report("C006", at: node, "'parameters' is \(node.kindName), not a mapping")
            return [:]
        }
        var found: [String: String] = [:]
        for (key, value) in pairs {
            guard let name = key.scalar, let text = value.scalar else {
                reader.report("C006", at: value, "a parameter is \(value.kindName), not text")
                continue
            }
            found[name] = text
        }
        return found
    }

    private func store(
        _ section: ConfigReader.Section, _ reader: inout ConfigReader
    ) -> OAuthSettings.Store? {
        let load = command("load-command", section, &reader)
        let store = command("store-command", section, &reader)
        let credential = reader.text("credential", in: section)
        let usual = store != nil || load != nil ? "command" : credential != nil ? "credential" : "file"
        let choice =
            reader.choice("store", in: section, Self.stores.map { ($0, $0) })
            ?? (section.node("store") == nil ? usual : "")
        switch choice {
        case "file": return .file
        case "secret-service": return .secretService
        case "command":
            guard let load, let store else {
                reader.report(
                    "C005", at: section.node,
                    "\(section.title) needs both 'load-command' (prints the refresh token) and 'store-command' (takes a new one on "
                        + "standard input)")
                return nil
            }
            return .commands(load: load, store: store)
        case "credential":
            guard let credential, !credential.contains("/"), !credential.isEmpty else {
                reader.missing("credential", in: section)
                return nil
            }
            return .credential(credential)
        case _: return nil
        }
    }

    private func command(
        _ key: String, _ section: ConfigReader.Section, _ reader: inout ConfigReader
    ) -> [String]? {
        section.node(key).flatMap { LoginReader(location: location).arguments($0, key, &reader) }
    }
}

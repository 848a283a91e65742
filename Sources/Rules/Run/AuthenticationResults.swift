import Models

/// The results of trusted servers about the origin of a message. RFC 8601.
///
/// Anyone can write such a field into a mail, so only fields of servers that are named in the settings count.
/// Of these, only those above the next `Received` count, because each server adds its fields at the top.
/// Comments in a field are ignored.
struct AuthenticationResults {
    private var found: [String: [String]] = [:]

    private static let mostFields = 20
    private static let mostResults = 50

    init(_ headers: [HeaderField], trusted: Set<String>) {
        guard !trusted.isEmpty else { return }
        var count = 0
        for field in headers {
            let name = field.name.lowercased()
            // Below the field of the next server, nothing can be trusted.
            if name == "received", count > 0 { return }
            guard name == "authentication-results" else { continue }
            let pieces = Self.withoutComments(field.body).split(
                separator: ";", omittingEmptySubsequences: false)
            guard let server = Self.words(pieces.first ?? "").first?.lowercased(), trusted.contains(server)
            else { continue }
            count += 1
            guard count <= Self.mostFields else { return }
            let results = pieces.dropFirst().prefix(Self.mostResults).compactMap(Self.result)
            let one = Dictionary(grouping: results, by: \.method).mapValues { $0.map(\.result) }
            found.merge(one) { above, _ in above }
        }
    }

    /// The results of one method, in lower case, from the topmost field that contains it.
    func results(of method: AuthenticationMethod) -> [String] { found[method.rawValue] ?? [] }

    /// `dkim=pass header.d=example.org`: the first word of a piece. RFC 8601 §2.2.
    private static func result(_ piece: Substring) -> (method: String, result: String)? {
        let words = words(piece).joined(separator: " ").replacing(" =", with: "=").replacing("= ", with: "=")
        guard let first = words.split(separator: " ").first else { return nil }
        let parts = first.lowercased().split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let method = parts[0].split(separator: "/").first else { return nil }
        return (String(method), String(parts[1]))
    }

    private static func words(_ text: Substring) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// Comments may be nested; quoted text contains none. RFC 5322 §3.2.2.
    static func withoutComments(_ text: String) -> String {
        var result = ""
        var depth = 0
        var isQuoted = false
        var isEscaped = false
        for letter in text {
            if isEscaped {
                isEscaped = false
                if depth == 0 { result.append(letter == ";" ? "_" : letter) }
                continue
            }
            switch letter {
            case "\\": isEscaped = true
            case "\"" where depth == 0: isQuoted.toggle()
            case "(" where !isQuoted: depth += 1
            case ")" where !isQuoted && depth > 0:
                depth -= 1
                result.append(" ")
            case ";" where isQuoted && depth == 0: result.append("_")
            case _ where depth == 0: result.append(letter)
            case _: break
            }
        }
        return result
    }
}

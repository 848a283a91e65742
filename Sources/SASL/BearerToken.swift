/// The messages of the two mechanisms that carry an OAuth 2.0 access token. RFC 7628, RFC 6750.
enum BearerToken {
    /// The whole of what a client says. `^A` separates, so ``SASLCredentials/check()`` came before.
    static func message(
        _ mechanism: SASLMechanism, user: String, token: Secret, server: SASLServer
    ) -> String {
        let bearer = "auth=Bearer \(token.reveal())\u{1}\u{1}"
        guard mechanism == .oauthBearer else { return "user=\(user)\u{1}\(bearer)" }
        return "n,a=\(SCRAM.escaped(user)),\u{1}host=\(server.host)\u{1}port=\(server.port)\u{1}\(bearer)"
    }

    /// The answer to the server's error message, so that its refusal can be read. RFC 7628 §3.2.3 wants
    /// `^A`; XOAUTH2 an empty response.
    static func acknowledgement(_ mechanism: SASLMechanism) -> String {
        mechanism == .oauthBearer ? "\u{1}" : ""
    }

    /// `status` of the server's JSON, when it is one plain word: `invalid_token`. Everything else in there is
    /// left, because it may repeat the token.
    static func status(_ challenge: String, hiding token: Secret) -> String? {
        // A reader that cut it off marked that with a character of its own: decode what is before.
        let text = challenge.utf8.prefix { $0 < 0x80 }
        guard let bytes = Base64.decode(text.prefix(text.count / 4 * 4)) else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(
            separator: "\"", omittingEmptySubsequences: false)
        guard let key = words.firstIndex(of: "status"), key + 2 < words.count,
            words[key + 1].filter({ $0 != " " }) == ":"
        else { return nil }
        let status = String(words[key + 2])
        let isWord = status.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
        guard !status.isEmpty, status.utf8.count <= 40, isWord, !token.reveal().contains(status) else {
            return nil
        }
        return status
    }
}

/// The server that a token is for, as the client names it. RFC 7628 §3.1.
public struct SASLServer: Hashable, Sendable {
    public var host: String
    public var port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}

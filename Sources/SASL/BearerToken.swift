/// The messages of the two mechanisms with an OAuth 2.0 access token. RFC 7628, RFC 6750.
enum BearerToken {
    /// The complete message of the client. `^A` separates its fields, so call ``SASLCredentials/check()`` first.
    static func message(
        _ mechanism: SASLMechanism, user: String, token: Secret, server: SASLServer
    ) -> String {
        let bearer = "auth=Bearer \(token.reveal())\u{1}\u{1}"
        guard mechanism == .oauthBearer else { return "user=\(user)\u{1}\(bearer)" }
        return "n,a=\(SCRAM.escaped(user)),\u{1}host=\(server.host)\u{1}port=\(server.port)\u{1}\(bearer)"
    }

    /// The answer to the server's error message, after which the server sends its refusal. RFC 7628 §3.2.3 requires
    /// `^A`, and XOAUTH2 an empty response.
    static func acknowledgement(_ mechanism: SASLMechanism) -> String {
        mechanism == .oauthBearer ? "\u{1}" : ""
    }

    /// The `status` in the server's JSON, if it is a single word: `invalid_token`. The rest is ignored, because it may
    /// repeat the token.
    static func status(_ challenge: String, hiding token: Secret) -> String? {
        // Text that was cut to a limit ends with a character outside ASCII. This decodes the text before it.
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

import Foundation
public import SASL

/// The output of a password or token command: the secret, and how long a token is valid.
///
/// A password is the first line. A token is the first line, too, optionally with `expires_in: SECONDS` on a
/// later line; or the command prints the JSON response of a token endpoint, with `access_token` and
/// `expires_in`. RFC 6749 §5.1.
struct PrintedSecret {
    var secret: Secret
    var life: Duration?

    /// Why the output cannot be used.
    struct Unusable: Error {
        var code: AccountError.Code
    }

    init(_ bytes: [UInt8], _ proof: Login.Proof) throws(Unusable) {
        if proof == .token, let answer = Self.tokenAnswer(bytes) {
            secret = Secret(answer.token)
            life = answer.life
            return
        }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        var line = lines.popFirst() ?? []
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard !line.isEmpty else { throw Unusable(code: .emptyOutput) }
        guard !line.contains(0), let text = String(validating: line, as: UTF8.self) else {
            throw Unusable(code: .unreadableOutput)
        }
        secret = Secret(text)
        life = proof == .token ? lines.lazy.compactMap(Self.life).first : nil
    }

    private static func tokenAnswer(_ bytes: [UInt8]) -> (token: String, life: Duration?)? {
        guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"),
            let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            let token = object["access_token"] as? String, !token.isEmpty
        else { return nil }
        let seconds = object["expires_in"].flatMap { ($0 as? Int) ?? ($0 as? String).flatMap { Int($0) } }
        return (token, seconds.map(duration))
    }

    /// `expires_in: 3599`, `expires_in=3599`.
    private static func life(_ line: ArraySlice<UInt8>) -> Duration? {
        let words = String(decoding: line.prefix(100), as: UTF8.self).split { ":= \t\r\"".contains($0) }
        guard words.count == 2, words[0] == "expires_in" else { return nil }
        return Int(words[1]).map(duration)
    }

    private static func duration(_ seconds: Int) -> Duration { .seconds(max(0, min(seconds, 366 * 86_400))) }
}

/// Credentials, and how long they are valid; nil: the command did not report it.
public struct IssuedCredentials: Sendable {
    public var credentials: SASLCredentials
    public var life: Duration?

    public init(credentials: SASLCredentials, life: Duration?) {
        self.credentials = credentials
        self.life = life
    }
}

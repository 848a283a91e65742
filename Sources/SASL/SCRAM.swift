import Crypto

/// The client's side of a SCRAM login without channel binding. RFC 5802, RFC 7677.
///
/// User and password are sent as UTF-8 without SASLprep. That is correct for printable ASCII; ``SASLChoice`` prefers
/// PLAIN for other text.
struct SCRAM: Sendable {
    /// With fewer iterations, a recorded exchange is easy to attack (RFC 7677 §4); with more, a server could keep the
    /// client busy too long.
    static let iterations = 4_096...5_000_000
    private static let saltLimit = 1_024
    private static let messageLimit = 8_192

    private enum State: Sendable {
        /// Waits for salt and iterations. Valid transitions: `.final`.
        case first
        /// Waits for the server's proof. Valid transitions: `.verified`, `.refused`.
        case final(signature: [UInt8])
        /// The server has proven that it knows the password.
        case verified
        /// The server reported an error, and its refusal follows.
        case refused
    }

    let mechanism: SASLMechanism
    private let user: String
    private let password: Secret
    private let nonce: String
    private var state = State.first

    /// The nonce must be new, printable and without comma: ``SASLNonce/make()``.
    init(_ mechanism: SASLMechanism, user: String, password: Secret, nonce: String) {
        self.mechanism = mechanism
        self.user = user
        self.password = password
        self.nonce = nonce
    }

    /// `n,,` means that there is no channel binding. RFC 5802 §7.
    private static let header = "n,,"

    private var firstBare: String { "n=\(Self.escaped(user)),r=\(nonce)" }

    var first: String { Self.header + firstBare }

    /// Whether the server came as far as to know the password.
    var wasAsked: Bool {
        switch state {
        case .first: false
        case .final, .verified, .refused: true
        }
    }

    mutating func answer(_ challenge: [UInt8]) throws(SASLError) -> String {
        guard challenge.count <= Self.messageLimit, let text = String(validating: challenge, as: UTF8.self)
        else { throw .malformedChallenge(mechanism) }
        switch state {
        case .first: return try answerFirst(text)
        case .final(let signature): return try answerFinal(text, signature)
        case .verified, .refused: throw .unexpectedChallenge(mechanism)
        }
    }

    /// The server let us in: only a server that proved itself may.
    func finish() throws(SASLError) {
        guard case .verified = state else { throw .serverNotVerified }
    }

    /// `=` and `,` are SCRAM's own. RFC 5802 §5.1.
    static func escaped(_ user: String) -> String {
        var output = ""
        for scalar in user.unicodeScalars {
            switch scalar {
            case "=": output += "=3D"
            case ",": output += "=2C"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}

// MARK: - The two challenges

extension SCRAM {
    /// `r=…,s=…,i=…`: in this order, and `m=` before them would be an extension that we must know.
    private mutating func answerFirst(_ text: String) throws(SASLError) -> String {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count >= 3, let common = Self.value("r", fields[0]),
            let salt = Self.value("s", fields[1]).flatMap({ Base64.decode($0.utf8) }),
            (1...Self.saltLimit).contains(salt.count),
            let count = Self.value("i", fields[2]).flatMap({ Int($0) })
        else { throw .malformedChallenge(mechanism) }
        guard common.hasPrefix(nonce), common.utf8.count > nonce.utf8.count,
            common.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .foreignNonce }
        guard Self.iterations.contains(count) else { throw .badIterations(count, allowed: Self.iterations) }
        return prove(first: text, common: String(common), salt: salt, iterations: count)
    }

    /// RFC 5802 §3.
    private mutating func prove(first: String, common: String, salt: [UInt8], iterations: Int) -> String {
        let hash = mechanism == .scramSHA1 ? HashFunction.sha1 : .sha256
        let salted = hash.derive(
            password: Array(password.reveal().utf8), salt: salt, iterations: iterations)
        let bare = "c=\(Base64.encode(Array(Self.header.utf8))),r=\(common)"
        let exchange = Array("\(firstBare),\(first),\(bare)".utf8)
        let clientKey = hash.authenticate("Client Key".utf8, key: salted)
        let signature = hash.authenticate(exchange, key: hash.hash(clientKey))
        let serverKey = hash.authenticate("Server Key".utf8, key: salted)
        state = .final(signature: hash.authenticate(exchange, key: serverKey))
        return "\(bare),p=\(Base64.encode(zip(clientKey, signature).map { $0 ^ $1 }))"
    }

    /// `v=…` is the server's proof; `e=…` its reason, after which it refuses in its own protocol.
    private mutating func answerFinal(_ text: String, _ signature: [UInt8]) throws(SASLError) -> String {
        let field = text.prefix { $0 != "," }
        if Self.value("e", field) != nil {
            state = .refused
            return ""
        }
        guard let proof = Self.value("v", field).flatMap({ Base64.decode($0.utf8) }) else {
            throw .malformedChallenge(mechanism)
        }
        guard ConstantTime.equals(proof, signature) else { throw .serverNotVerified }
        state = .verified
        return ""
    }

    private static func value(_ name: String, _ field: Substring) -> Substring? {
        field.hasPrefix("\(name)=") ? field.dropFirst(2) : nil
    }
}

/// What makes one login differ from every other.
public enum SASLNonce {
    /// 144 bits, in characters that every mechanism can carry.
    public static func make() -> String { Base64.encode(RandomBytes.make(count: 18)) }
}

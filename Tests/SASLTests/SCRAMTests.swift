import Testing

@testable import SASL

@Suite struct SCRAMTests {
    static let nonce = "fyko+d2lbbFgONRv9qkxdawL"
    /// RFC 5802 §5.
    static let first = "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096"

    static func scram(_ mechanism: SASLMechanism = .scramSHA1, nonce: String = nonce) -> SCRAM {
        SCRAM(mechanism, user: "user", password: Secret("pencil"), nonce: nonce)
    }

    private func answer(_ scram: inout SCRAM, _ text: String) throws(SASLError) -> String {
        try scram.answer(Array(text.utf8))
    }

    @Test func `SCRAM-SHA-1 gives the values of RFC 5802`() throws {
        var scram = Self.scram()
        #expect(scram.first == "n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL")
        #expect(
            try answer(&scram, Self.first)
                == "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=")
        #expect(throws: SASLError.serverNotVerified) { try scram.finish() }
        #expect(try answer(&scram, "v=rmF9pqV8S7suAoZWja4dJRkFsKQ=") == "")
        try scram.finish()
    }

    @Test func `SCRAM-SHA-256 gives the values of RFC 7677`() throws {
        var scram = Self.scram(.scramSHA256, nonce: "rOprNGfwEbeRWgbNEkqO")
        let common = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
        #expect(scram.first == "n,,n=user,r=rOprNGfwEbeRWgbNEkqO")
        #expect(
            try answer(&scram, "r=\(common),s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096")
                == "c=biws,r=\(common),p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
        #expect(try answer(&scram, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=") == "")
        try scram.finish()
    }

    @Test(arguments: [("a,b=c", "a=2Cb=3Dc"), ("ann", "ann"), ("=2C", "=3D2C"), ("zoë", "zoë")])
    func `separators in a user name are escaped`(user: String, escaped: String) {
        let scram = SCRAM(.scramSHA1, user: user, password: Secret("pw"), nonce: "x")
        #expect(scram.first == "n,,n=\(escaped),r=x")
    }

    @Test(arguments: [
        ("", SASLError.malformedChallenge(.scramSHA1)),
        ("r=\(nonce)X", .malformedChallenge(.scramSHA1)),
        ("m=x,r=\(nonce)X,s=QSXCR+Q6sek8bf92,i=4096", .malformedChallenge(.scramSHA1)),
        ("s=QSXCR+Q6sek8bf92,r=\(nonce)X,i=4096", .malformedChallenge(.scramSHA1)),
        ("r=\(nonce)X,s=,i=4096", .malformedChallenge(.scramSHA1)),
        ("r=\(nonce)X,s=!!!!,i=4096", .malformedChallenge(.scramSHA1)),
        ("r=\(nonce)X,s=\(String(repeating: "AAAA", count: 400)),i=4096", .malformedChallenge(.scramSHA1)),
        ("r=\(nonce)X,s=QSXCR+Q6sek8bf92,i=many", .malformedChallenge(.scramSHA1)),
        ("r=\(nonce)X,s=QSXCR+Q6sek8bf92,i=99999999999999999999", .malformedChallenge(.scramSHA1)),
        ("e=other-error", .malformedChallenge(.scramSHA1)),
        (String(repeating: "r", count: 10_000), .malformedChallenge(.scramSHA1)),
        ("r=\(nonce),s=QSXCR+Q6sek8bf92,i=4096", .foreignNonce),
        ("r=other,s=QSXCR+Q6sek8bf92,i=4096", .foreignNonce),
        ("r=\(nonce)\u{1},s=QSXCR+Q6sek8bf92,i=4096", .foreignNonce),
        ("r=\(nonce)X,s=QSXCR+Q6sek8bf92,i=4095", .badIterations(4_095, allowed: SCRAM.iterations)),
        ("r=\(nonce)X,s=QSXCR+Q6sek8bf92,i=0", .badIterations(0, allowed: SCRAM.iterations)),
        ("r=\(nonce)X,s=QSXCR+Q6sek8bf92,i=-1", .badIterations(-1, allowed: SCRAM.iterations)),
        ("r=\(nonce)X,s=QSXCR+Q6sek8bf92,i=5000001", .badIterations(5_000_001, allowed: SCRAM.iterations)),
    ])
    func `an invalid challenge is not answered`(challenge: String, error: SASLError) {
        var scram = Self.scram()
        #expect(throws: error) { try answer(&scram, challenge) }
        #expect(!error.description.contains("pencil"))
    }

    @Test func `a challenge that is not text is refused`() {
        var scram = Self.scram()
        #expect(throws: SASLError.malformedChallenge(.scramSHA1)) { try scram.answer([0x72, 0x3D, 0xFF]) }
    }

    @Test(arguments: ["v=AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "v=", "v=rmF9"])
    func `a server that does not prove the password is refused`(proof: String) throws {
        var scram = Self.scram()
        _ = try answer(&scram, Self.first)
        #expect(throws: SASLError.serverNotVerified) { try answer(&scram, proof) }
        #expect(throws: SASLError.serverNotVerified) { try scram.finish() }
    }

    @Test func `an error of the server is never a successful login`() throws {
        var scram = Self.scram()
        _ = try answer(&scram, Self.first)
        #expect(try answer(&scram, "e=invalid-proof") == "")
        #expect(throws: SASLError.serverNotVerified) { try scram.finish() }
        #expect(throws: SASLError.unexpectedChallenge(.scramSHA1)) { try answer(&scram, Self.first) }
    }

    @Test func `nonces are unique and can be sent`() {
        let nonces = Set((0..<100).map { _ in SASLNonce.make() })
        #expect(nonces.count == 100)
        #expect(nonces.allSatisfy { $0.utf8.count == 24 && !$0.contains(",") && !$0.contains("=") })
    }
}

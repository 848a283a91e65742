// A server that says anything at all while we log in: it gets an answer or an error, never our trust.

import Crypto
import Oracle
import SASL

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = input(data, count)
    let words = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false).map { Array($0) }
    for mechanism in [SASLMechanism.scramSHA256, .scramSHA1, .xoauth2, .oauthBearer] {
        check(mechanism, words.map { Base64.encode($0) })
        check(mechanism, words.map { String(decoding: $0, as: UTF8.self) })
    }
    if let text = String(validating: bytes, as: UTF8.self), let read = Base64.decode(text.utf8) {
        promise(Base64.encode(read) == text, "base 64 has one spelling")
    }
    promise(Base64.decode(Base64.encode(bytes).utf8) == bytes, "base 64 is read as written")
    return 0
}

private let password = "correct horse"

private func check(_ mechanism: SASLMechanism, _ challenges: [String]) {
    let proof: SASLCredentials.Proof =
        mechanism.usesToken ? .token(Secret(password)) : .password(Secret(password))
    let credentials = SASLCredentials(user: "ann", proof: proof, mechanism: mechanism)
    do throws(SASLError) {
        var login = try SASLLogin(
            credentials, offered: [mechanism.rawValue], channel: .encrypted,
            server: SASLServer(host: "mail.example", port: 993), nonce: "fyko")
        for challenge in challenges where !isDear(challenge) {
            let answer = try login.answer(challenge)
            let said = Base64.decode(answer.reveal().utf8)
            promise(said != nil, "an answer is base 64")
            promise(!contains(said ?? [], password), "a password is never said in an exchange of proofs")
        }
        let reason = login.reason(challenges.joined())
        promise(!reason.contains(password), "a reason does not repeat the password")
        guard !mechanism.usesToken else { return }
        // Without the password, no server can sign.
        try login.finish()
        promise(false, "a server that proves nothing is not believed")
    } catch {
        promise(!error.description.contains(password), "an error does not name the password")
    }
}

/// Whether the server asks for so many rounds that the fuzzer would do nothing else.
private func isDear(_ challenge: String) -> Bool {
    guard let words = Base64.decode(challenge.utf8) else { return false }
    return words.split(separator: UInt8(ascii: ",")).contains {
        $0.first == UInt8(ascii: "i") && $0.count > 6
    }
}

private func contains(_ bytes: [UInt8], _ word: String) -> Bool {
    String(decoding: bytes, as: UTF8.self).contains(word)
}

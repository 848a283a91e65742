// Any bytes as a signed message, and as a signature of a text: a verdict, and never our trust.

import Crypto
import MIMEParser
import Oracle

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = input(data, count)
    judge(bytes, of: nil)
    judge(bytes, of: Array("Content-Type: text/plain\r\n\r\nHello\r\n".utf8))
    switch WholeSignature(of: MIMEParser.parse(bytes), limit: 8_192) {
    case .detached(let content, let signature):
        promise(content.count <= 2 * bytes.count, "what was signed is a part of the message")
        promise(!hasBareLineFeed(content), "what was signed has CRLF")
        judge(signature, of: content)
    case .enclosed(let signature): judge(signature, of: nil)
    case .pgp, .unknownProtocol, .malformed, .tooLarge, nil: break
    }
    return 0
}

/// Without trusted authorities, every "valid" would be wrong.
private let trust = try? MailTrust(usesSystem: false)

private func judge(_ signature: [UInt8], of content: [UInt8]?) {
    guard let trust else { return promise(false, "a store without a file can be made") }
    let mail = SignedMail(
        content: content, signature: signature, from: ["ana@example.org"], received: 1_772_700_000)
    if case .valid = mail.verdict(trust: trust) { promise(false, "without an authority nothing is valid") }
}

private func hasBareLineFeed(_ bytes: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0] == 0x0A && ($0 == 0 || bytes[$0 - 1] != 0x0D) }
}

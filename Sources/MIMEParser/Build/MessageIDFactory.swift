public import Models

/// Makes message ids: a time, sixteen bytes of chance, our domain. Nothing of the machine or the user is in them.
///
/// The chance is the caller's, so that a test's ids are the same in every run. RFC 5322 §3.6.4.
public enum MessageIDFactory {
    /// `<base-36 seconds>.<32 hex digits>@domain`; of the random bytes the first sixteen count.
    public static func make(at time: Timestamp, random: [UInt8], domain: String) -> MessageID {
        let digits = random.prefix(16).flatMap { byte in
            [QuotedPrintable.hexDigits[Int(byte >> 4)], QuotedPrintable.hexDigits[Int(byte & 0x0F)]]
        }
        let unique = String(decoding: digits, as: UTF8.self).lowercased()
        let host = InternationalDomain.toASCII(domain) ?? domain
        return MessageID("\(String(time.seconds, radix: 36)).\(unique)@\(host)")
    }

    /// Sixteen bytes that follow from a text: for ids that must come out the same again.
    public static func bytes(seed: String) -> [UInt8] {
        var hash = Fingerprint()
        hash.add(seed.utf8)
        let numbers = [hash.high, hash.low]
        return numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        }
    }
}

public import Models

/// Makes message ids from a time, sixteen random bytes and a domain, without data about the machine or the user.
/// RFC 5322 §3.6.4.
///
/// The caller supplies the random bytes, so that the ids of a test are the same in every run.
public enum MessageIDFactory {
    /// `<base-36 seconds>.<32 hex digits>@domain`; only the first sixteen random bytes count.
    public static func make(at time: Timestamp, random: [UInt8], domain: String) -> MessageID {
        let digits = random.prefix(16).flatMap { byte in
            [QuotedPrintable.hexDigits[Int(byte >> 4)], QuotedPrintable.hexDigits[Int(byte & 0x0F)]]
        }
        let unique = String(decoding: digits, as: UTF8.self).lowercased()
        let host = InternationalDomain.toASCII(domain) ?? domain
        return MessageID("\(String(time.seconds, radix: 36)).\(unique)@\(host)")
    }

    /// Sixteen bytes derived from a text, for ids that must be the same again.
    public static func bytes(seed: String) -> [UInt8] {
        var hash = Fingerprint()
        hash.add(seed.utf8)
        let numbers = [hash.high, hash.low]
        return numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        }
    }
}

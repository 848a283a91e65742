import Crypto
import Foundation

/// The configuration document of a provider, and its digest in DNS. draft-ietf-mailmaint-pacc-02.
///
/// The document names hosts without ports: TLS from the first byte on the usual port. It counts only if a TXT record of
/// `_ua-auto-config.DOMAIN` has its SHA-256, so that an attacker needs more than the web server of the domain.
struct PACCDocument {
    private(set) var candidates: [ServerCandidate] = []
    /// The issuer that registers open OAuth clients for this provider.
    private(set) var issuer: String?
    /// Whether the provider accepts passwords; nil: unknown.
    private(set) var takesPasswords: Bool?

    static let path = "/.well-known/user-agent-configuration.json"

    /// nil: the text is not such a document, or no record has its digest.
    init?(_ bytes: [UInt8], records: [String], origin: String, isTrusted: Bool) {
        let digest = SHA256.hash(bytes)
        guard records.contains(where: { Self.digest(in: $0) == digest }),
            let root = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any],
            let protocols = root["protocols"] as? [String: Any]
        else { return nil }
        for (key, service, port) in [("imap", ServerCandidate.Service.imap, 993), ("smtp", .smtp, 465)] {
            guard let host = (protocols[key] as? [String: Any])?["host"] as? String,
                HostName.isSound(host.lowercased())
            else { continue }
            candidates.append(
                ServerCandidate(
                    service, host: host.lowercased(), port: port, security: .tls,
                    origin: .pacc(address: origin), isTrusted: isTrusted))
        }
        let authentication = root["authentication"] as? [String: Any]
        takesPasswords = authentication?["password"] as? Bool
        let named = (authentication?["oauth-public"] as? [String: Any])?["issuer"] as? String
        issuer = named.flatMap { $0.hasPrefix("https://") && $0.utf8.count <= 1_000 ? $0 : nil }
    }

    /// The digest of a record `v=UAAC1; a=sha256; d=BASE64`; nil: another record.
    static func digest(in record: String) -> [UInt8]? {
        var tags: [String: String] = [:]
        for part in record.split(separator: ";").prefix(16) {
            let pair = part.split(separator: "=", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard pair.count == 2, tags[pair[0].lowercased()] == nil else { continue }
            tags[pair[0].lowercased()] = pair[1]
        }
        guard tags["v"]?.uppercased() == "UAAC1", tags["a"]?.lowercased() == "sha256" else { return nil }
        return tags["d"].flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
}

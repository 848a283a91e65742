import Foundation
public import HTTPClient
import MIMEParser
import Models

/// The ways to unsubscribe that a message contains. RFC 2369 §3.2, RFC 8058.
public struct ListUnsubscribe: Hashable, Sendable {
    public enum Way: Hashable, Sendable {
        /// One POST request without a web page. RFC 8058 §3.1.
        case post(WebAddress)
        /// A mail. RFC 6068.
        case mail(to: String, subject: String, body: String)
        /// A web page, which requires the user and a browser.
        case page(String)
    }

    /// The best way first.
    public var ways: [Way]
    /// Addresses that were rejected, with the reason.
    public var refused: [String]
    /// Whether a signature of the domain covers the fields, as RFC 8058 §4 requires; it was not verified.
    public var isSigned: Bool

    /// Reads the header fields of a message.
    init(_ message: ParsedMessage) {
        let isOneClick = message.header("List-Unsubscribe-Post").contains {
            $0.lowercased().filter { $0 != " " } == "list-unsubscribe=one-click"
        }
        isSigned = message.header("DKIM-Signature").contains(where: Self.covers)
        var posts: [Way] = []
        var others: [Way] = []
        refused = []
        for address in message.header("List-Unsubscribe").flatMap(ListAddresses.read) {
            let scheme = address.prefix { $0 != ":" }.lowercased()
            if scheme == "mailto", let way = Self.mail(address) {
                others.append(way)
            } else if scheme == "https", let url = WebAddress(address), url.hasNumericHost {
                refused.append(
                    "\(address) (a number instead of a name: it may be a machine of your own network)")
            } else if scheme == "https", let url = WebAddress(address) {
                if isOneClick { posts.append(.post(url)) } else { others.append(.page(address)) }
            } else {
                refused.append(
                    scheme == "http"
                        ? "\(address) (not encrypted: someone else could answer the request)" : address)
            }
        }
        ways = posts + others.sorted { Self.rank($0) < Self.rank($1) }
    }

    private static func rank(_ way: Way) -> Int {
        switch way {
        case .post: 0
        case .mail: 1
        case .page: 2
        }
    }

    /// Whether both fields are signed (`h=`). RFC 8058 §4, RFC 6376 §3.5.
    private static func covers(_ signature: String) -> Bool {
        let tags = signature.split(separator: ";").map {
            $0.split(separator: "=", maxSplits: 1).map(String.init)
        }
        guard
            let signed = tags.first(where: {
                $0.count == 2 && $0[0].trimmingCharacters(in: .whitespaces) == "h"
            })
        else { return false }
        let names = signed[1].lowercased().split(separator: ":").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        return names.contains("list-unsubscribe") && names.contains("list-unsubscribe-post")
    }

    /// `mailto:leave@l.example?subject=leave`: one address, subject and body; other fields are ignored.
    private static func mail(_ address: String) -> Way? {
        let rest = address.dropFirst("mailto:".count)
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let target = parts.first?.description.removingPercentEncoding,
            let found = try? DraftText.addresses(target, field: "List-Unsubscribe"), found.count == 1
        else { return nil }
        var (subject, body) = ("unsubscribe", "")
        for pair in parts.dropFirst().flatMap({ $0.split(separator: "&") }) {
            let words = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard words.count == 2, let value = words[1].removingPercentEncoding else { continue }
            switch words[0].lowercased() {
            case "subject":
                subject = UnsubscribeWords.isCommand(value) ? HeaderText.clean(value) : UnsubscribeWords.plain
            case "body": body = UnsubscribeWords.isCommand(value) ? value : UnsubscribeWords.plain
            case _: continue
            }
        }
        return .mail(to: found[0].addrSpec, subject: subject, body: body)
    }
}

extension WebAddress {
    /// Whether the host is an IP address, in any of the forms that the system reads: `127.0.0.1`, `0x7f.1`, `2130706433`.
    fileprivate var hasNumericHost: Bool {
        guard let last = host.split(separator: ".").last else { return true }
        return last.allSatisfy(\.isNumber) || last.hasPrefix("0x")
    }

    /// The host of the request, as shown to users.
    public var server: String { host }
}

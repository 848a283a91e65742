import CLinux
import Foundation

/// Queries SRV, MX and TXT records, from the system's resolver or another one that the user names.
public struct Resolver: Sendable {
    /// An IPv4 address and a port, used in place of /etc/resolv.conf.
    public struct Server: Hashable, Sendable {
        public var address: String
        public var port: Int

        /// `127.0.0.1` or `127.0.0.1:5353`.
        public init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count <= 2, numbers.count == 4, numbers.allSatisfy({ UInt8($0) != nil }),
                let port = parts.count == 2 ? Int(parts[1]) : 53, (1...65_535).contains(port)
            else { return nil }
            address = String(parts[0])
            self.port = port
        }
    }

    let server: Server?
    private static let seconds: Int32 = 2
    private static let longestAnswer = 16 << 10

    public init(server: Server? = nil) { self.server = server }

    /// The services of a domain in the order in which they are to be tried; none where the name does not exist.
    func services(_ name: String) async -> [(host: String, port: Int)] {
        let found = await query(name, DNSAnswer.typeSRV).compactMap {
            record -> (priority: Int, weight: Int, port: Int, target: String)? in
            guard case .srv(let priority, let weight, let port, let target) = record else { return nil }
            return (priority, weight, port, target)
        }
        return found.filter { HostName.isSound($0.target) && $0.port > 0 }
            .sorted { ($0.priority, -$0.weight, $0.target) < ($1.priority, -$1.weight, $1.target) }
            .map { (host: $0.target.lowercased(), port: $0.port) }
    }

    /// The names of the mail exchangers of a domain, the preferred one first.
    func exchangers(_ domain: String) async -> [String] {
        let found = await query(domain, DNSAnswer.typeMX).compactMap {
            record -> (preference: Int, name: String)? in
            guard case .mx(let preference, let exchanger) = record else { return nil }
            return (preference, exchanger)
        }
        return found.filter { HostName.isSound($0.name) }
            .sorted { ($0.preference, $0.name) < ($1.preference, $1.name) }.map { $0.name.lowercased() }
    }

    /// The texts of a name, each with its parts joined.
    func texts(_ name: String) async -> [String] {
        await query(name, DNSAnswer.typeTXT).compactMap { record in
            if case .txt(let text) = record { text } else { nil }
        }
    }

    private func query(_ name: String, _ type: Int) async -> [DNSAnswer.Record] {
        let server = server
        // The call blocks: it gets a thread of its own.
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var answer = [UInt8](repeating: 0, count: Self.longestAnswer)
                let length = opus_dns_query(
                    server?.address ?? "", Int32(server?.port ?? 0), name, Int32(type), Self.seconds, &answer,
                    Int32(answer.count))
                let whole = min(max(0, Int(length)), answer.count)
                continuation.resume(returning: DNSAnswer(Array(answer.prefix(whole))).records)
            }
        }
    }
}

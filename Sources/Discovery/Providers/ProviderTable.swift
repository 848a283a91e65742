import Foundation

/// The providers that opus knows, from `providers.json`.
public struct ProviderTable: Sendable {
    public let rows: [Provider]

    public init(rows: [Provider]) { self.rows = rows }

    /// The table in the program.
    public static let shipped: ProviderTable = {
        let rows = try? JSONDecoder().decode([Provider].self, from: Data(PackageResources.providers_json))
        return ProviderTable(rows: rows ?? [])
    }()

    /// Reads the user's own table, in the format of `providers.json`; nil: the text is not such a table.
    public init?(json: some Collection<UInt8>) {
        guard let rows = try? JSONDecoder().decode([Provider].self, from: Data(json)) else { return nil }
        self.rows = rows
    }

    /// The provider of an address, by its domain.
    public func provider(ofDomain domain: String) -> Provider? {
        let name = domain.lowercased()
        return rows.first { $0.domains.contains(name) }
    }

    /// The provider of a domain, by its mail exchangers, the preferred one first. The longest matching end wins.
    public func provider(ofExchangers exchangers: [String]) -> Provider? {
        for exchanger in exchangers {
            let name = exchanger.lowercased()
            let found = rows.flatMap { row in row.mx.map { (row: row, end: $0) } }
                .filter { name == $0.end || name.hasSuffix("." + $0.end) }
                .max { $0.end.utf8.count < $1.end.utf8.count }
            if let found { return found.row }
        }
        return nil
    }
}

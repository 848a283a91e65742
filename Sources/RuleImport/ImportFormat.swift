/// The program that wrote the filters.
public enum ImportFormat: String, Sendable, CaseIterable {
    /// Gmail's export: `mailFilters.xml`.
    case gmail
    /// A Sieve script, RFC 5228.
    case sieve
    /// Thunderbird's `msgFilterRules.dat`.
    case thunderbird
}

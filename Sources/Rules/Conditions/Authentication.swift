import Models

/// Conditions on the results of a trusted server about the sender. RFC 8601.
extension ConditionEntry {
    static let authDmarc = ConditionEntry(
        "auth:dmarc", "trust", .authentication(.dmarc), "the result of a server that you trust",
        "auth:dmarc=pass"
    )

    static let authDkim = ConditionEntry(
        "auth:dkim", "trust", .authentication(.dkim), "the same for DKIM", "auth:dkim=pass")

    static let authSpf = ConditionEntry(
        "auth:spf", "trust", .authentication(.spf), "the same for SPF", "auth:spf=fail")
}

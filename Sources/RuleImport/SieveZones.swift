/// The zone of a date: the sender's zone at the end of Date, or the zone in the test. RFC 5260 §4.2.
enum SieveZones {
    struct Refusal: Error {
        /// A lower-case clause without a full stop.
        let reason: String
    }

    static func isZone(_ call: SieveCall) -> Bool {
        call.strings.count >= 2 && call.strings[call.strings.count - 2].map { $0.lowercased() } == ["zone"]
    }

    static func condition(_ name: String, _ call: SieveCall) -> Result<DraftCondition, Refusal> {
        let isDate =
            name == "date" && call.strings.count == 3 && call.strings[0].map { $0.lowercased() } == ["date"]
        guard isDate || name == "currentdate", call.match == .is, call.comparator != .numeric,
            let keys = call.strings.last, keys.count <= 100
        else { return .failure(Refusal(reason: "no condition compares the zone of a date in this way")) }
        switch call.zone {
        case .offset(let offset):
            let holds = keys.contains(offset == "-0000" ? "+0000" : offset)
            return .success(!holds ? .never : isDate ? .present("header:Date") : .always)
        case .original where isDate: return .success(.any(keys.map(written)))
        case .original, nil:
            return .failure(Refusal(reason: "no condition tests the zone of the mail server"))
        }
    }

    /// The end of a Date field, without its comment.
    private static func written(_ offset: String) -> DraftCondition {
        guard offset.utf8.count == 5, offset != "-0000", offset.hasPrefix("+") || offset.hasPrefix("-"),
            offset.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber })
        else { return .never }
        let spellings = [DraftCondition.quoted(offset)] + (names[offset] ?? [])
        return .pattern(
            "header:Date", "(?i)\\s(?:" + spellings.joined(separator: "|") + ")\\s*(?:\\(.*\\)\\s*)?$",
            sample: "Tue, 10 Mar 2026 12:00:00 " + offset)
    }

    /// Names of zones. RFC 5322 §4.3.
    private static let names: [String: [String]] = [
        "+0000": ["-0000", "GMT", "UT", "UTC", "Z"], "-0400": ["EDT"], "-0500": ["EST", "CDT"],
        "-0600": ["CST", "MDT"], "-0700": ["MST", "PDT"], "-0800": ["PST"],
    ]
}

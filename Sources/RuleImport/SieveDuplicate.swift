/// Translates `duplicate` (RFC 7352) to `is:duplicate`.
///
/// Sieve remembers delivered mail for some time; opus checks whether an earlier copy still exists. The report names the
/// difference. Separate records (`:handle`) and keys other than the Message-ID have no equivalent.
extension SieveTests {
    mutating func duplicate(_ test: SieveTest) -> DraftCondition {
        var rest = test.arguments[...]
        var bounds: [String] = []
        while let argument = rest.popFirst() {
            switch argument {
            case .tag("header"):
                guard case .strings(let names)? = rest.popFirst(), names.count == 1,
                    names[0].lowercased() == "message-id"
                else {
                    return unknown(test, "opus finds copies by their Message-ID, not by another field")
                }
            case .tag("uniqueid"), .tag("value"):
                return unknown(
                    test, "opus finds copies by their Message-ID, not by a text of the script")
            case .tag("handle"), .strings:
                return unknown(test, "':handle' is not supported: all rules share one memory")
            case .tag("seconds"):
                guard case .number? = rest.popFirst() else { return unknown(test, "a number is missing") }
                bounds.append("':seconds'")
            case .tag("last"): bounds.append("':last'")
            case .tag(let name): return unknown(test, "':\(SourceText.oneLine(name))' is not translated")
            case .number: return unknown(test, "this number has no tag before it")
            }
        }
        let memory =
            bounds.isEmpty
            ? "" : ", however old: \(bounds.joined(separator: " and ")) would limit its age"
        changed(
            test,
            "tests for an earlier message with the same Message-ID that is still here, and not in Sent, Drafts or Junk"
                + memory)
        return .plain("is", "duplicate")
    }
}

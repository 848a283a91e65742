/// The name of a rule in a Sieve script, and the wildcards that its texts use.
extension SieveCommand {
    /// From `# rule:[Name]` or `## Flag: |UniqueId:1|Rulename: Name`, as webmail editors write it, or from a short
    /// comment.
    var ruleName: String? {
        // Editors write `@type or` for themselves.
        guard let comment, !comment.contains("@type") else { return nil }
        if let open = comment.firstRange(of: "rule:["), comment.hasSuffix("]") {
            return String(comment[open.upperBound...].dropLast())
        }
        if let open = comment.firstRange(of: "|Rulename:") {
            return String(comment[open.upperBound...]).trimmingBlanks()
        }
        let isName = comment.count <= 40 && comment.contains(where: \.isLetter) && !comment.contains(";")
        return isName ? comment : nil
    }

    /// One of its texts has a variable.
    var usesVariables: Bool {
        arguments.contains { argument in
            if case .strings(let texts) = argument { texts.contains { $0.contains("${") } } else { false }
        }
    }

    /// A command of its block repeats what the test found, or may do so.
    var usesCaptures: Bool { (block ?? []).contains(where: \.usesVariables) }

    /// How many wildcards or groups the pattern of this very branch has.
    func captures(of condition: DraftCondition?) -> Int {
        guard usesCaptures, case .test(let test)? = condition, test.form == .matches else { return 0 }
        return (1...9).prefix { test.value.contains("(?P<m\($0)>") }.count
    }
}

import Models

/// The result of one check of `opus doctor`.
public struct Finding: Sendable {
    public enum State: String, Sendable {
        case good
        /// It works, but needs attention soon.
        case attention
        /// It does not work.
        case bad
        /// It could not be checked, because a prerequisite is missing, or the user left it out.
        case skipped
    }

    public var what: String
    public var state: State
    public var words: String
    /// The next step: a command, or a description if there is no command.
    public var next: String?

    /// Whether the check passed or only needs attention.
    public var isGood: Bool { state != .bad }

    static func good(_ what: String, _ words: String) -> Finding {
        Finding(what: what, state: .good, words: words)
    }

    static func attention(_ what: String, _ words: String, next: String) -> Finding {
        Finding(what: what, state: .attention, words: words, next: next)
    }

    static func bad(_ what: String, _ words: String, next: String) -> Finding {
        Finding(what: what, state: .bad, words: words, next: next)
    }

    static func skipped(_ what: String, _ words: String) -> Finding {
        Finding(what: what, state: .skipped, words: words)
    }

    static func failed(_ what: String, _ error: any Error) -> Finding {
        if error is DiagnosticFailure {
            return .bad(what, "opus.yaml has errors", next: "opus config check")
        }
        let problem = Problem(error)
        return Finding(
            what: what, state: .bad, words: problem.message, next: problem.next.first ?? "opus help \(what)")
    }
}

/// All results of `opus doctor`, sorted by dependency.
public struct Diagnosis: Sendable {
    public var findings: [Finding]

    public var isGood: Bool { findings.allSatisfy(\.isGood) }

    /// The next step: for the first failed check, because the later failures may be its consequences;
    /// otherwise for a check that needs attention; otherwise the daily command.
    public var next: String {
        let urgent = findings.first { $0.state == .bad } ?? findings.first { $0.state == .attention }
        return urgent?.next ?? "opus run"
    }
}

import Models

/// One thing that `opus doctor` looked at.
public struct Finding: Sendable {
    public enum State: String, Sendable {
        case good
        /// It works, and something needs attention soon.
        case attention
        /// It does not work.
        case bad
        /// It could not be checked, because something before it is missing or was left out on request.
        case skipped
    }

    public var what: String
    public var state: State
    public var words: String
    /// A command that can be typed, or what to do where there is none.
    public var next: String?

    /// Whether nothing is broken here.
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

/// What `opus doctor` found, in the order in which things depend on each other.
public struct Diagnosis: Sendable {
    public var findings: [Finding]

    public var isGood: Bool { findings.allSatisfy(\.isGood) }

    /// The one thing to do: the first thing that does not work, because the later ones may follow from it; else what needs
    /// attention; else the daily command.
    public var next: String {
        let urgent = findings.first { $0.state == .bad } ?? findings.first { $0.state == .attention }
        return urgent?.next ?? "opus run"
    }
}

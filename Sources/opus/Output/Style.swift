/// At most sixteen colors, if the user wants colors. Symbols carry the meaning without them.
struct Style: Sendable {
    enum Choice: String, CaseIterable, Sendable {
        case auto
        case always
        case never
    }

    let isOn: Bool

    /// The order of decisions: `choice`, `NO_COLOR`, `CLICOLOR=0`, `CLICOLOR_FORCE`, `TERM=dumb`, then whether output
    /// goes to a terminal.
    init(choice: Choice, environment: [String: String], isTerminal: Bool) {
        switch choice {
        case .always: isOn = true
        case .never: isOn = false
        case .auto:
            if let force = environment["CLICOLOR_FORCE"], force != "0", !force.isEmpty {
                isOn = true
            } else if environment["NO_COLOR"].map({ !$0.isEmpty }) ?? false || environment["CLICOLOR"] == "0"
            {
                isOn = false
            } else {
                isOn = isTerminal && environment["TERM"] != "dumb"
            }
        }
    }

    func bold(_ text: String) -> String { wrap(text, "1") }
    func dim(_ text: String) -> String { wrap(text, "2") }
    func red(_ text: String) -> String { wrap(text, "31") }
    func green(_ text: String) -> String { wrap(text, "32") }
    func yellow(_ text: String) -> String { wrap(text, "33") }
    func cyan(_ text: String) -> String { wrap(text, "36") }

    private func wrap(_ text: String, _ code: String) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

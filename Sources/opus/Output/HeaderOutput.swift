import Inspection

/// How opus reads a header field: one line for each value, its kind first.
struct HeaderOutput {
    let console: Console

    func show(_ field: HeaderInspection) {
        line("field", field.name)
        line("text", field.text)
        if let subject = field.baseSubject { line("base", subject) }
        for person in field.addresses ?? [] {
            line("address", person.name.map { "\($0) <\(person.address)>" } ?? person.address)
        }
        if let date = field.date { line("date", date) }
        for id in field.ids ?? [] { line("id", id) }
        if let value = field.value { line("value", value) }
        for (name, value) in (field.parameters ?? [:]).sorted(by: { $0.key < $1.key }) {
            line("parameter", "\(name)=\(value)")
        }
        for address in field.list ?? [] { line("list", address) }
    }

    private func line(_ kind: String, _ value: String) {
        let padding = String(repeating: " ", count: max(1, 11 - kind.count))
        console.print(kind + (console.isTerminal ? padding : "\t") + TerminalText.line(value))
    }
}

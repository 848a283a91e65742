import Models
import Pipeline

/// A conversation as a tree: each message below the one that it answers.
struct ThreadTreeOutput {
    let session: Session
    let console: Console

    func show(_ tree: [ThreadNode], _ lines: [MessageLine]) {
        let known = Dictionary(lines.map { ($0.facts.id, $0) }) { first, _ in first }
        for node in tree { console.print(line(node, known)) }
    }

    private func line(_ node: ThreadNode, _ known: [EmailID: MessageLine]) -> String {
        let place = String(repeating: "  ", count: min(node.depth, 20))
        guard let id = node.message else {
            return place + TerminalText.line("(missing) \(node.messageID?.rawValue ?? "")")
        }
        guard let line = known[id] else { return place + "\(id)  (in no mailbox)" }
        let facts = line.facts
        let words = [
            line.shortID, String(session.zone.rfc3339(facts.date).prefix(10)),
            facts.from.first?.name ?? "(no sender)", facts.subject,
            node.isDuplicate ? "(same Message-ID as an earlier one)" : "",
        ]
        return place + TerminalText.line(words.filter { !$0.isEmpty }.joined(separator: "  "))
    }
}

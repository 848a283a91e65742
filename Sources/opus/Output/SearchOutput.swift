import Documents
import Models
import Pipeline
import Rules

/// Shows the mail that `opus search` finds: rows with the found words, threads, or a count.
struct SearchOutput {
    let session: Session
    let console: Console
    let query: Query
    let account: String?

    func showCount(ofThreads: Bool) throws {
        let search = session.messages.search
        let count =
            ofThreads
            ? try search.threadCount(query, account: account) : try search.count(query, account: account)
        if console.isJSON { return try console.print(json: CountDocument(count)) }
        console.print("\(count)")
    }

    func show(limit: Int, order: Search.Order, threads: Bool) throws {
        let list = MessageListOutput(session: session, console: console)
        // In a pipe, each page is printed as soon as it is found.
        if !console.isTerminal, !console.isJSON, !threads {
            var found = false
            try session.messages.search.pages(query, account: account, limit: limit, order: order) { lines in
                found = found || !lines.isEmpty
                list.printMachine(lines)
            }
            for doubt in try doubts(found) { console.note(TerminalText.line(doubt)) }
            return
        }
        var lines = try session.messages.search.messages(
            query, account: account, limit: threads ? Int.max : limit, order: order)
        var notes: [EmailID: String] = [:]
        if threads { (lines, notes) = try grouped(lines, limit) }
        let below = console.isTerminal && !console.isJSON ? try snippets(lines) : [:]
        try list.show(lines, next: nil, doubts: try doubts(!lines.isEmpty), below: below, notes: notes)
    }

    private func doubts(_ found: Bool) throws -> [String] {
        try QueryText.doubts(query, found: found, session, account: account)
    }

    // MARK: Threads

    /// The first matching message of each thread, and how many of its messages match: `2 of 7`.
    private func grouped(
        _ lines: [MessageLine], _ limit: Int
    ) throws -> ([MessageLine], [EmailID: String]) {
        var matched: [ThreadID: Set<EmailID>] = [:]
        var first: [MessageLine] = []
        for line in lines {
            if matched[line.facts.thread] == nil { first.append(line) }
            matched[line.facts.thread, default: []].insert(line.facts.id)
        }
        first = Array(first.prefix(limit))
        let sizes = try session.messages.search.sizes(of: Set(first.map(\.facts.thread)))
        var notes: [EmailID: String] = [:]
        for line in first {
            let thread = line.facts.thread
            notes[line.facts.id] = "\(matched[thread]?.count ?? 1) of \(sizes[thread] ?? 1)"
        }
        return (first, notes)
    }

    // MARK: Snippets

    /// The text around the found words in each message whose subject and sender do not contain all of them.
    private func snippets(_ lines: [MessageLine]) throws -> [EmailID: String] {
        let words = query.textWords
        guard !words.isEmpty else { return [:] }
        var result: [EmailID: String] = [:]
        let texts = try session.messages.search.texts(of: lines.map(\.facts.id))
        for line in lines {
            guard !words.allSatisfy({ Snippet.has($0, line.facts.subject) }),
                let text = texts[line.facts.id],
                let snippet = Snippet(words: words, text: text, width: max(20, console.width - 10))
            else { continue }
            result[line.facts.id] = snippet.parts.map { part in
                let shown = TerminalText.line(part.text)
                return part.isMatch ? console.style.bold(shown) : console.style.dim(shown)
            }.joined()
        }
        return result
    }
}

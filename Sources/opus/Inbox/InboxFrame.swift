import Models
import Pipeline

/// Draws the session: the lines of the screen for one size, and the place of the cursor.
struct InboxFrame {
    let screen: InboxScreen
    let size: ScreenSize
    let when: When

    /// From this many columns on, the message is beside the list.
    private static let wide = 140
    static let smallest = ScreenSize(columns: 20, rows: 6)

    private(set) var lines: [ScreenLine] = []
    /// The end of the typed line; nil: the cursor is hidden.
    private(set) var cursor: (row: Int, column: Int)?
    /// See ``InboxScreen/page``.
    private(set) var page = (height: 1, lines: 0)

    /// `reading`: the lines of the selected message for a width in columns.
    init(_ screen: InboxScreen, _ size: ScreenSize, _ when: When, reading: (_ width: Int) -> [ScreenLine]) {
        self.screen = screen
        self.size = size
        self.when = when
        guard size.columns >= Self.smallest.columns, size.rows >= Self.smallest.rows else {
            lines = [ScreenLine("too small").cut(to: size.columns)]
            return
        }
        // The last column stays empty, because some terminals break the line there.
        let width = size.columns - 1
        lines.append(top(width))
        let bottom = bottom(width)
        let height = size.rows - 1 - bottom.lines.count
        switch screen.mode {
        case .lines(let title, let text, let scroll, _): lay(title, text, scroll, width, height)
        case .browsing, .prompt, .question: panes(width, height, reading)
        }
        if let column = bottom.cursor { cursor = (lines.count, column) }
        lines += bottom.lines
        lines = lines.map { $0.cut(to: width) }
    }

    private func top(_ width: Int) -> ScreenLine {
        var line = ScreenLine("opus inbox  ", .bold)
        line.add(screen.model.isEmpty ? "nothing left" : screen.pace.words(left: screen.model.left.count))
        if !screen.model.selected.isEmpty { line.add("  \(screen.model.selected.count) selected", .bold) }
        if screen.model.found != nil {
            line.add("  search: \(TerminalText.line(screen.query)) (\(screen.model.rows.count))", .dim)
        }
        if let reason = screen.offline {
            line.add("  offline: \(TerminalText.line(reason)); the changes wait", .warning)
        }
        return line
    }

    private mutating func lay(
        _ title: String, _ text: [String], _ scroll: Int, _ width: Int, _ height: Int
    ) {
        lines.append(ScreenLine(TerminalText.line(title), .bold))
        page = (height - 1, text.count)
        for row in 0..<height - 1 {
            let index = scroll + row
            lines.append(ScreenLine(index < text.count ? TerminalText.line(text[index]) : ""))
        }
    }

    private mutating func panes(_ width: Int, _ height: Int, _ reading: (Int) -> [ScreenLine]) {
        guard width >= Self.wide else {
            let listed = min(max(3, height / 3), max(1, screen.model.rows.count), max(1, height - 1))
            lines += list(width, listed)
            lines.append(ScreenLine(String(repeating: "─", count: width), .dim))
            lines += message(reading(width), height - listed - 1)
            return
        }
        let left = width * 2 / 5
        let list = list(left, height)
        let message = message(reading(width - left - 3), height)
        for row in 0..<height {
            var line = list[row].filled(to: left)
            line.add(" │ ", .dim)
            line.add(message[row])
            lines.append(line)
        }
    }

    // MARK: The list

    private func list(_ width: Int, _ height: Int) -> [ScreenLine] {
        let model = screen.model
        var drawn: [ScreenLine] = []
        // The focus stays in the middle, except at both ends.
        let first = max(0, min(model.focus - height / 2, model.rows.count - height))
        for row in first..<min(model.rows.count, first + height) {
            drawn.append(self.row(row, width))
        }
        if model.rows.isEmpty {
            drawn.append(
                ScreenLine(
                    model.isEmpty ? "Everything is decided. q quits, z undoes." : "The search found nothing.",
                    .dim))
        }
        while drawn.count < height { drawn.append(ScreenLine()) }
        return Array(drawn.prefix(height))
    }

    private func row(_ row: Int, _ width: Int) -> ScreenLine {
        let index = screen.model.rows[row]
        let item = screen.model.items[index]
        let hasFocus = row == screen.model.focus
        let mark = (hasFocus ? ">" : " ") + (screen.model.selected.contains(index) ? "x" : " ")
        let from = TerminalText.truncated(
            TerminalText.line(item.from.isEmpty ? "(no sender)" : String(item.from.prefix(200))),
            to: width < 100 ? 18 : 24)
        let age = when.age(item.date)
        var states: [String] = []
        if item.isBack { states.append("back") }
        if item.isFlagged { states.append("flagged") }
        if item.messages.count > 1 { states.append("\(item.messages.count) messages") }
        if item.hasFiles { states.append("+file") }
        states += screen.model.labels(of: index).prefix(3).map { TerminalText.line(String($0.prefix(40))) }
        let state = TerminalText.truncated(states.joined(separator: ", "), to: width / 4)
        let head =
            "\(mark)\(item.isUnread ? "●" : " ") \(String(repeating: " ", count: max(0, 4 - age.count)))\(age)  "
            + TerminalText.padded(from, to: width < 100 ? 18 : 24) + "  "
        let tail = state.isEmpty ? "" : "  " + state
        let room = max(1, width - TerminalText.width(head) - TerminalText.width(tail))
        let subject = TerminalText.line(
            item.subject.isEmpty ? "(no subject)" : String(item.subject.prefix(500)))
        let look = hasFocus ? ScreenLine.Look.focus : .plain
        var line = ScreenLine(head, look)
        line.add(TerminalText.padded(TerminalText.truncated(subject, to: room), to: room), look)
        line.add(tail, hasFocus ? .focus : .dim)
        return line
    }

    // MARK: The message

    private mutating func message(_ text: [ScreenLine], _ room: Int) -> [ScreenLine] {
        let height = max(0, room)
        page = (height, text.count)
        let shown = text.dropFirst(min(screen.scroll, max(0, text.count - 1)))
        var lines = Array(shown.prefix(height))
        if shown.count > height, height > 1 {
            lines[height - 1] = ScreenLine("… \(shown.count - height + 1) more lines: space", .dim)
        }
        while lines.count < height { lines.append(ScreenLine()) }
        return lines
    }

    // MARK: The bottom

    /// The most lines of a warning; a question has as many as leave a line of the message.
    private static let mostWarning = 3

    /// What is said or asked, and the keys. Two lines, or more where the words do not fit.
    private func bottom(_ width: Int) -> (lines: [ScreenLine], cursor: Int?) {
        switch screen.mode {
        case .prompt(let prompt):
            let line = typed(prompt, width)
            return ([line, ScreenLine("Enter: do it; Esc: cancel", .dim)], min(width, line.width))
        case .question(let words, _):
            let words = words.map { TerminalText.line($0) }.joined(separator: " ")
            let asked = wrapped(words, width, most: max(1, size.rows - 5))
            return (asked + [ScreenLine("y: yes; any other key: no", .dim)], nil)
        case .lines(_, _, _, let effect):
            let words = effect == nil ? "any other key goes back" : "y: yes; any other key: no"
            return ([ScreenLine(), ScreenLine("space scrolls, " + words, .dim)], nil)
        case .browsing:
            let text = TerminalText.line(String((screen.status?.text ?? "").prefix(500)))
            let isWarning = screen.status?.isWarning ?? false
            let said =
                isWarning
                ? wrapped(text, width, most: min(Self.mostWarning, size.rows - 5)) : [ScreenLine(text)]
            return (said + [ScreenLine("? help  " + InboxKeys.hints, .dim)], nil)
        }
    }

    /// The line that is typed. Its end is shown, and so much of the title as leaves room for it.
    private func typed(_ prompt: InboxScreen.Prompt, _ width: Int) -> ScreenLine {
        let room = max(8, min(20, width / 2))
        let title = TerminalText.truncated(prompt.title, to: max(1, width - room - 2)) + " "
        var line = ScreenLine(title, .bold)
        line.add(Self.end(of: TerminalText.line(prompt.typed), columns: width - 1 - line.width))
        return line
    }

    /// What fits of the end of a line.
    private static func end(of text: String, columns: Int) -> String {
        var left = columns
        var start = text.endIndex
        while start > text.startIndex {
            let before = text.index(before: start)
            left -= TerminalText.width(text[before])
            guard left >= 0 else { break }
            start = before
        }
        return String(text[start...])
    }

    private func wrapped(_ text: String, _ width: Int, most: Int) -> [ScreenLine] {
        let lines = WrappedText.lines(text, width: width - 1)
        guard !lines.isEmpty else { return [ScreenLine()] }
        var shown = lines.prefix(max(1, most)).map { ScreenLine($0, .warning) }
        if lines.count > shown.count, let last = shown.popLast() {
            shown.append(ScreenLine(TerminalText.truncated(last.text + " …", to: width - 1), .warning))
        }
        return shown
    }
}

/// The message in the reading pane: its header and its text, wrapped.
struct ReadingText {
    let reading: InboxReading
    let when: When

    func lines(width: Int) -> [ScreenLine] {
        var lines: [ScreenLine] = []
        for (index, part) in reading.parts.enumerated() {
            if index > 0 {
                lines += [ScreenLine(), ScreenLine("── earlier in this conversation", .dim)]
            }
            for (name, text) in [
                ("Subject", part.subject), ("From", part.from), ("To", part.to),
                ("Date", when.moment(part.date)),
            ] where !text.isEmpty {
                var line = ScreenLine(TerminalText.padded(name, to: 9), .dim)
                line.add(TerminalText.line(String(text.prefix(500))), name == "Subject" ? .bold : .plain)
                lines.append(line.cut(to: width))
            }
            lines.append(ScreenLine())
            lines += WrappedText.lines(part.text, width: width).map { ScreenLine($0) }
            if part.isTruncated { lines.append(ScreenLine("[only the beginning is shown: opus show]", .dim)) }
            for file in part.files {
                lines.append(
                    ScreenLine("[file] " + TerminalText.line(file.isEmpty ? "(no name)" : file), .dim))
            }
        }
        if reading.more > 0 {
            lines += [ScreenLine(), ScreenLine("\(counted(reading.more, "more message"))", .dim)]
        }
        return lines
    }
}

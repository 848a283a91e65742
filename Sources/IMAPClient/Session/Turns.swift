import IMAPProtocol

/// Who is on the wire. An actor alone does not keep commands apart: it lets other calls in at each `await`.
struct Turns {
    private var tagNumber = 0
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    mutating func nextTag() -> CommandTag {
        tagNumber += 1
        return CommandTag(rawValue: "A\(tagNumber)")
    }

    /// Whether the turn was free; it is taken now.
    mutating func begin() -> Bool {
        defer { isBusy = true }
        return !isBusy
    }

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }

    /// Gives the turn to the caller that has waited longest.
    mutating func end() {
        if waiting.isEmpty {
            isBusy = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}

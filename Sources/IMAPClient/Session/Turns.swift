import IMAPProtocol

/// Which call uses the connection. The actor alone does not keep commands apart, because it admits other calls at each
/// `await`.
struct Turns {
    private var tagNumber = 0
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    mutating func nextTag() -> CommandTag {
        tagNumber += 1
        return CommandTag(rawValue: "A\(tagNumber)")
    }

    /// Takes the turn if it is free; returns whether it was.
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

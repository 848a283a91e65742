public import Models
public import Rules

/// Checks many messages one after the other: first without header and text, and with them only if needed.
/// They are read for a few hundred messages at a time, and then released.
public enum ContentOnDemand {
    /// Reads header and text of messages when rules need them. Several threads call it at once.
    public typealias Reader<Failure: Error> =
        @Sendable ([EmailID], FactNeeds) throws(Failure) -> [EmailID: MessageContent]

    private static let chunk = 500

    /// Calls `look` for every message, and again for those whose content was read.
    ///
    /// - Parameters:
    ///   - messages: Facts that include the parts `having` of header and text. `look` receives their indices.
    ///   - having: The same for all messages.
    ///   - content: Reads header and text. A message that it does not return was deleted from the store
    ///     meanwhile, and is not checked again.
    ///   - look: Receives the index of a message, its facts and the parts that they include. Returns the
    ///     missing parts; none: the message is done.
    /// - Throws: What `content` throws.
    public static func look<Failure: Error>(
        at messages: ArraySlice<MessageFacts>, having: FactNeeds,
        reading content: Reader<Failure>,
        _ look: (Int, MessageFacts, FactNeeds) -> FactNeeds
    ) throws(Failure) {
        var open: [Asking] = []
        for index in messages.indices {
            let missing = look(index, messages[index], having)
            if !missing.isEmpty { open.append(Asking(index, missing, having: having)) }
        }
        while !open.isEmpty {
            var asking: [Asking] = []
            for start in stride(from: 0, to: open.count, by: chunk) {
                let part = open[start..<min(start + chunk, open.count)]
                for needs in [FactNeeds.headers, .content] {
                    let wanted = part.filter { $0.needs == needs }
                    guard !wanted.isEmpty else { continue }
                    let found = try content(wanted.map { messages[$0.index].id }, needs)
                    for index in wanted.map(\.index) {
                        var facts = messages[index]
                        guard let content = found[facts.id] else { continue }
                        facts.take(content)
                        let missing = look(index, facts, needs)
                        if !missing.isEmpty { asking.append(Asking(index, missing, having: needs)) }
                    }
                }
            }
            open = asking
        }
    }

    /// A message whose content is to be read.
    private struct Asking {
        let index: Int
        let needs: FactNeeds

        /// A rule that needs the text often needs the header next, so both are read at once.
        init(_ index: Int, _ missing: FactNeeds, having: FactNeeds) {
            self.index = index
            needs = missing == .headers ? having.union(missing) : .content
        }
    }
}

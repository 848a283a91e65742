import Models

/// `is:bulk`: sent to many recipients.
extension ConditionEntry {
    static let isBulk = ConditionEntry(
        "is:bulk", "lists and machines", .state(.bulk),
        "has List-Id or List-Unsubscribe, or Precedence bulk, list or junk", "is:bulk")
}

extension State {
    static let bulk = State(
        name: "is:bulk", needs: .headers, headerNames: ["list-id", "list-unsubscribe", "precedence"],
        sieve: .some([
            .plain("exists \"list-id\""), .plain("exists \"list-unsubscribe\""),
            .plain("header :is \"precedence\" [\"bulk\", \"list\", \"junk\"]"),
        ]),
        holds: { Truth($0.isBulk) },
        seen: { sight in
            let found = ["list-id", "list-unsubscribe", "precedence"].compactMap { name in
                sight.header(name).first.map { "\(name): \($0)" }
            }
            return sight.list(found, none: "no List-Id, List-Unsubscribe or Precedence")
        })
}

extension MessageSight {
    fileprivate var isBulk: Bool {
        if !header("list-id").isEmpty || !header("list-unsubscribe").isEmpty { return true }
        return foldedHeader("precedence").contains { ["bulk", "list", "junk"].contains($0.string) }
    }
}

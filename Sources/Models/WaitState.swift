/// How far the wait for an answer is.
///
/// `drafted → sent → answered | overdue | undelivered → closed`. The state is never stored: it is computed from the task
/// and the mail (`Planner.Wait`), so that a lost store loses none.
public enum WaitState: String, Hashable, Codable, CaseIterable, Sendable {
    /// The question is a draft: nothing was asked yet.
    case drafted
    case sent
    /// Every person who was asked has answered.
    case answered
    /// The day on which to ask again has come, and there is no answer.
    case overdue
    /// A mail system said that the question did not arrive.
    case undelivered
    /// The task is done or cancelled.
    case closed
}

/// What happens to a task that waits when the answer comes: `on-reply` of a rule.
public enum ReplyPolicy: String, Hashable, Codable, CaseIterable, Sendable {
    /// The task becomes a next action: "Decide: …".
    case decide
    /// The task is done. An answer that is a guess never closes one.
    case close
    /// The task keeps waiting.
    case keep
}

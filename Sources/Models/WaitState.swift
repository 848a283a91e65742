/// How far the wait for an answer is.
///
/// `drafted → sent → answered | overdue | undelivered → closed`. The state is never stored: `Planner.Wait` computes it
/// from the task and the mail, so it survives the loss of the store.
public enum WaitState: String, Hashable, Codable, CaseIterable, Sendable {
    /// The question is a draft and was not sent yet.
    case drafted
    case sent
    /// Everyone whom the user asked has answered.
    case answered
    /// The day to ask again has come without an answer.
    case overdue
    /// A mail system reported that it could not deliver the question.
    case undelivered
    /// The task is done or cancelled.
    case closed
}

/// What an answer does to a waiting task: `on-reply` of a rule.
public enum ReplyPolicy: String, Hashable, Codable, CaseIterable, Sendable {
    /// The task becomes a next action: "Decide: …".
    case decide
    /// The task is completed, unless opus only guesses that the mail is the answer.
    case close
    /// The task keeps waiting.
    case keep
}

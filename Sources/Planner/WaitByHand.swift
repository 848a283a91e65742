public import Models

extension Planning {
    /// The rule name in tasks for waits that the user started.
    public static let waitByHand = "wait"

    /// A task that waits for the answer to a mail by the user. The mail need not be in the store yet.
    public static func wait(
        _ waiting: Waiting, forAnswerTo sent: MessageID, subject: String, context: StepContext
    ) -> Todo {
        let message = EmailID(rawValue: sent.rawValue)
        let key = MessageKey(
            account: context.account, mailbox: context.mailbox(for: .sent).name, uidValidity: 0, uid: 0)
        var item = Plan.Item(
            message: message, key: key, thread: ThreadID(rawValue: message.rawValue), subject: subject,
            date: context.now)
        item.messageID = sent
        let making = TodoMaking(account: context.account, timeZone: context.timeZone, now: context.now)
        var todo = making.waiting(waiting, of: item, rule: waitByHand)
        todo.delegatedMessageID = sent
        return todo
    }
}

import Models

/// Steps that create a message, in journal order: drafts, copies of messages, copies in Sent, submissions.
struct MessageSteps: DrainPart {
    let context: DrainContext

    func run(_ ledger: inout Ledger) async throws {
        let (appends, submissions) = (AppendSteps(context: context), SubmissionSteps(context: context))
        for step in ledger.steps where !ledger.isHeld(step) {
            switch step.kind {
            case .append(let mailbox, let message, let flags, let token):
                try await appends.append(step, message, to: mailbox, flags: flags, token: token, &ledger)
            case .submit(let reversePath, let forwardPaths, let message, let token):
                let mail = OutgoingMail(
                    message: message, reversePath: reversePath, forwardPaths: forwardPaths, token: token)
                try await submissions.submit(step, mail, &ledger)
            case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .store, .move, .remove, .wait,
                .saveFile, .removeFile, .list, .createMailbox,
                .editThreads:
                continue
            }
        }
    }
}

import Accounts
import MailStore
public import Models

/// A person's answer about a task file that names mail which opus did not link to it.
extension Session {
    /// Links the task to the mail that its file names, or says that it decides nothing about that mail.
    ///
    /// - Returns: The subject of the mail, a stranger's text.
    public func answerLink(of file: TodoFile, isAgreed: Bool) throws -> String {
        let todo = file.todo
        if let link = try store.links(for: [todo.id])[todo.id] {
            guard isAgreed else {
                throw Problem(
                    "linked", exit: .usage,
                    message: "opus linked this task to its mail; it cannot be refused",
                    place: path(of: file))
            }
            return try store.detail(of: link.message)?.subject ?? ""
        }
        guard let messageID = todo.messageID else {
            throw Problem(
                "no-mail", exit: .notFound, message: "the task's file names no mail", place: path(of: file),
                next: ["a line URL:mid:MESSAGE-ID in the file names one"])
        }
        for account in workspace.accounts.map(\.id) where todo.account == nil || account == todo.account {
            guard let message = try store.message(with: messageID, account: account) else { continue }
            if isAgreed {
                try store.linkTodo(
                    todo.id, to: message, account: account, rule: todo.rule ?? "", basis: .agreed)
            } else {
                try store.answer(.no, claimOf: todo.id, to: message)
            }
            return try store.detail(of: message)?.subject ?? ""
        }
        throw Problem(
            "no-mail", exit: .notFound, message: "no account has the mail that the task's file names",
            place: path(of: file), next: ["opus sync"])
    }
}

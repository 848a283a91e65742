import Accounts
import Crypto
import MIMEParser
import Models

extension Step {
    /// A step that the user requested. The same request is queued only once.
    static func byHand(
        _ verb: String, _ target: String, _ account: Account, message: EmailID?, _ kind: Step.Kind
    ) -> Step {
        let words = [account.id.rawValue, verb, target]
        let text = words.map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
        return Step(
            idempotencyKey: Hex.encode(SHA256.hash(Array(text.utf8))), message: message, cause: .hand(verb),
            kind: kind)
    }

    /// The draft of an appended version.
    var draftName: String? {
        guard case .append(to: _, let message, flags: _, token: _) = kind else { return nil }
        return MIMEParser.parse(message).header(MessageBuilder.draftField).first
    }

    var token: MessageID? {
        switch kind {
        case .append(to: _, message: _, flags: _, let token), .remove(_, let token, _),
            .submit(reversePath: _, forwardPaths: _, message: _, let token):
            token
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .store, .move, .wait, .saveFile,
            .removeFile, .list, .createMailbox,
            .editThreads:
            nil
        }
    }
}

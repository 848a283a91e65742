import Foundation
import MIMEParser
import MailStore
import Models

/// Whom the user asks to stop: the address of the discussion list if a message came through one, otherwise its sender.
///
/// The writers of a discussion list are its members: one who left a list with a message of Bob did not ask Bob to stop.
enum AskedToStop {
    /// nil: the message has no sender.
    static func address(_ message: StoredMessage) -> EmailAddress? {
        list(message) ?? message.from.first
    }

    /// The address for mail to the list (RFC 2369 §3.4) if the message went to it. Newsletters have none, or `NO`.
    private static func list(_ message: StoredMessage) -> EmailAddress? {
        let header = MIMEParser.parse(message.headerBlock)
        for address in header.header("List-Post").flatMap(ListAddresses.read) {
            guard address.lowercased().hasPrefix("mailto:") else { continue }
            let target = address.dropFirst("mailto:".count).prefix { $0 != "?" }
            guard let list = target.description.removingPercentEncoding.flatMap({ EmailAddress($0) }) else {
                continue
            }
            return (message.to + message.cc).first { $0.comparable == list.comparable }
        }
        return nil
    }
}

import Models
import RuleImport

extension MessageFacts {
    var example: RuleFromMail.Example {
        RuleFromMail.Example(
            from: from.first, to: to, subject: subject, listID: listID, text: text ?? "",
            attachments: attachments.filter { !$0.isInline }.map { ($0.name, $0.contentType) })
    }

    /// RFC 2919: the text in the angle brackets, or the whole field.
    var listID: String? {
        guard let field = header("List-Id").first else { return nil }
        guard let open = field.lastIndex(of: "<"), let close = field[open...].firstIndex(of: ">") else {
            return field.split(separator: " ").last.map(String.init)
        }
        return String(field[field.index(after: open)..<close])
    }
}

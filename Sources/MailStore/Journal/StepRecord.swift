import Foundation
import Models

/// The work and the outcome of a step, in one column each. Moves and flag changes are frequent, so they are
/// records; other kinds are JSON, as are all steps that were written before this form existed.
enum StepRecord {
    /// The first byte. JSON begins with a brace.
    private enum Form {
        static let move: UInt8 = 1
        static let store: UInt8 = 2
        static let outcome: UInt8 = 3
    }

    // MARK: Kind

    static func encode(_ kind: Step.Kind) throws -> Data {
        var record = RecordWriter()
        switch kind {
        case .move(let key, let destination):
            record.bytes.append(Form.move)
            record.key(key)
            record.mailbox(destination)
        case .store(let key, let addFlags, let removeFlags, let addKeywords, let removeKeywords):
            record.bytes.append(Form.store)
            record.key(key)
            record.number(Packed.flags(addFlags))
            record.number(Packed.flags(removeFlags))
            record.text(Packed.keywords(addKeywords))
            record.text(Packed.keywords(removeKeywords))
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .append, .submit, .remove, .wait, .saveFile,
            .removeFile, .list, .createMailbox,
            .editThreads:
            return try JSONEncoder().encode(kind)
        }
        return Data(record.bytes)
    }

    static func kind(_ data: Data) throws -> Step.Kind {
        let kind = data.withUnsafeBytes { bytes -> Step.Kind? in
            var record = RecordReader(bytes.dropFirst())
            return switch bytes.first {
            case Form.move: move(&record)
            case Form.store: store(&record)
            case _: nil
            }
        }
        if let kind { return kind }
        guard let first = data.first, first != Form.move, first != Form.store else { throw damaged }
        return try JSONDecoder().decode(Step.Kind.self, from: data)
    }

    private static func move(_ record: inout RecordReader) -> Step.Kind? {
        guard let key = record.key(), let destination = record.mailbox(), record.isWhole else { return nil }
        return .move(key, to: destination)
    }

    private static func store(_ record: inout RecordReader) -> Step.Kind? {
        guard let key = record.key(), let addFlags = record.number(), let removeFlags = record.number(),
            let addKeywords = record.text(), let removeKeywords = record.text(), record.isWhole
        else { return nil }
        return .store(
            key, addFlags: Packed.flags(addFlags), removeFlags: Packed.flags(removeFlags),
            addKeywords: Packed.keywords(addKeywords), removeKeywords: Packed.keywords(removeKeywords))
    }

    // MARK: Outcome

    static func encode(_ outcome: StepOutcome) -> Data {
        var record = RecordWriter()
        record.bytes.append(Form.outcome)
        record.number(outcome.flagsBefore.map { Packed.flags($0) })
        record.text(outcome.keywordsBefore.map { Packed.keywords($0) })
        record.key(outcome.place)
        record.text(outcome.remoteName)
        record.key(outcome.copied)
        record.text(outcome.path)
        record.text(outcome.digest)
        record.text(outcome.pathBefore)
        record.data(outcome.contentBefore)
        record.number(numbers(outcome))
        record.list((outcome.recipients ?? [:]).sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] })
        return Data(record.bytes)
    }

    static func outcome(_ data: Data) throws -> StepOutcome {
        guard data.first == Form.outcome else {
            return try JSONDecoder().decode(StepOutcome.self, from: data)
        }
        return try data.withUnsafeBytes { bytes in
            var record = RecordReader(bytes.dropFirst())
            var outcome = StepOutcome()
            outcome.flagsBefore = record.number().map { Packed.flags($0) }
            outcome.keywordsBefore = record.text().map { Packed.keywords($0) }
            outcome.place = record.key()
            outcome.remoteName = record.text()
            outcome.copied = record.key()
            outcome.path = record.text()
            outcome.digest = record.text()
            outcome.pathBefore = record.text()
            outcome.contentBefore = record.data()
            if let numbers = record.number() {
                outcome.destinationUIDNext = UInt32(truncatingIfNeeded: numbers)
                let uidValidity = UInt32(truncatingIfNeeded: numbers >> 32)
                outcome.destinationUIDValidity = uidValidity == 0 ? nil : uidValidity
            }
            let recipients = record.list()
            for index in stride(from: 0, to: recipients.count - 1, by: 2) {
                outcome.recipients = outcome.recipients ?? [:]
                outcome.recipients?[recipients[index]] = recipients[index + 1]
            }
            guard record.isWhole else { throw damaged }
            return outcome
        }
    }

    /// UIDNEXT of the destination in the low half, and its UIDVALIDITY in the high half, which earlier versions left at 0.
    private static func numbers(_ outcome: StepOutcome) -> Int64? {
        outcome.destinationUIDNext.map { uidNext in
            Int64(bitPattern: UInt64(outcome.destinationUIDValidity ?? 0) << 32 | UInt64(uidNext))
        }
    }

    private static var damaged: MailStoreError { .corrupt(reason: "the record of a step is damaged") }
}

extension RecordWriter {
    /// nil: four absent fields.
    fileprivate mutating func key(_ key: MessageKey?) {
        text(key?.account.rawValue)
        data(key?.mailbox.bytes)
        number(key.map { Int64($0.uidValidity) })
        number(key.map { Int64($0.uid) })
    }

    fileprivate mutating func mailbox(_ mailbox: Mailbox) {
        text(mailbox.account.rawValue)
        data(mailbox.name.bytes)
        text(mailbox.displayName)
        text(mailbox.delimiter)
        text(mailbox.role?.rawValue)
    }
}

extension RecordReader {
    fileprivate mutating func key() -> MessageKey? {
        let (account, mailbox, uidValidity, uid) = (text(), data(), number(), number())
        guard let account, let mailbox, let uidValidity, let uid else { return nil }
        return MessageKey(
            account: AccountID(account), mailbox: MailboxName(bytes: mailbox),
            uidValidity: UInt32(truncatingIfNeeded: uidValidity), uid: UInt32(truncatingIfNeeded: uid))
    }

    fileprivate mutating func mailbox() -> Mailbox? {
        let (account, name, displayName, delimiter, role) = (text(), data(), text(), text(), text())
        guard let account, let name, let displayName else { return nil }
        return Mailbox(
            account: AccountID(account), name: MailboxName(bytes: name), displayName: displayName,
            delimiter: delimiter, role: role.flatMap(MailboxRole.init(rawValue:)))
    }
}

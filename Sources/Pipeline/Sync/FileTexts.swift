import Accounts
import Logging
import MIMEParser
import MailStore
import Models

/// Extracts the text of attached files after a sync, newest messages first, so that searches and rules find
/// it.
///
/// Off by default; switched on with `attachment-text: { index: true }`. Each message is read once, and files
/// larger than `max-size` are skipped. A sync spends at most ``patience`` on it; the next one continues.
/// After a failure, the text is merely not found.
struct FileTexts: Sendable {
    let settings: FileTextSettings
    let store: Store
    let scratch: String
    let logger: Logger
    var patience = Duration.seconds(60)
    var limits = TextProgram.Limits()

    init(_ settings: FileTextSettings, store: Store, scratch: String, logger: Logger) {
        self.settings = settings
        self.store = store
        self.scratch = scratch
        self.logger = logger
    }

    /// The maximum size of the stored text of one message, in bytes.
    private static let mostText = 1 << 20
    private static let step = 20

    /// Throws only on cancellation: a failure with files does not affect the sync.
    func read(of account: AccountID, over connection: AccountConnection) async throws {
        try await read(of: account) { id in
            try await OriginalReader.bytes(of: id, over: connection, store: store)
        }
    }

    /// The same, with the bytes of a message from any source; nil: it was deleted.
    func read(
        of account: AccountID, message: @Sendable (EmailID) async throws -> [UInt8]?
    ) async throws {
        guard settings.isOn else { return }
        guard TextProgram.canBeLimited else {
            logger.notice("the text of attached files is not read: prlimit not found")
            return
        }
        let programs = FileTextPrograms(scratch: scratch, limits: limits)
        let deadline = ContinuousClock.now + patience
        do {
            try store.fileTexts.note(
                readable: Set(programs.readable.map(\.rawValue)), kind: { FileTextKind($0)?.rawValue })
            while true {
                let due = try store.fileTexts.due(of: account, limit: Self.step)
                guard !due.isEmpty else { return }
                for item in due {
                    guard ContinuousClock.now < deadline else { return }
                    let found = try await text(of: item, programs, message)
                    try Task.checkCancellation()
                    try store.fileTexts.save(found.text, unread: found.unread, of: item.id)
                }
            }
        } catch {
            try Task.checkCancellation()
            logger.notice("attached files could not be read", metadata: ["error": "\(error)"])
        }
    }

    // MARK: One message

    private func text(
        of item: FileTextStore.Due, _ programs: FileTextPrograms,
        _ message: (EmailID) async throws -> [UInt8]?
    ) async throws -> (text: String, unread: Int) {
        let wanted = item.attachments.filter { FileTextKind($0) != nil }
        let small = wanted.filter { $0.size <= settings.maxSize && programs.canRead($0) }
        // The encoding makes a file larger by a third, and the other files of the message are read with it.
        guard !small.isEmpty, item.size <= 4 * settings.maxSize, let bytes = try await message(item.id) else {
            return ("", wanted.count)
        }
        let parsed = MIMEParser.parse(bytes)
        var (texts, unread) = ([String](), wanted.count - small.count)
        for attachment in small {
            guard let path = SectionPath(attachment.section), let part = parsed.part(at: path),
                let text = await text(of: part, FileTextKind(attachment), in: parsed, programs)
            else {
                unread += 1
                continue
            }
            texts.append(text)
        }
        return (Self.clean(texts.joined(separator: "\n")), unread)
    }

    /// nil: the file could not be read.
    private func text(
        of part: Part, _ kind: FileTextKind?, in message: ParsedMessage, _ programs: FileTextPrograms
    ) async -> String? {
        if kind == .text { return message.text(of: part) }
        guard let kind, let program = programs.program(of: kind) else { return nil }
        do {
            let text = try await program.text(of: message.decodedBody(of: part, limit: settings.maxSize))
            return kind.row.printsXML ? XMLText.plain(text) : text
        } catch {
            logger.debug("an attached file could not be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// At most ``mostText`` bytes, without control characters.
    private static func clean(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0.value < 0x20 && $0 != "\n" && $0 != "\t" ? " " : $0 }
        var result = String.UnicodeScalarView()
        var length = 0
        for scalar in scalars {
            length += UTF8.width(scalar)
            guard length <= mostText else { break }
            result.append(scalar)
        }
        return String(result)
    }
}

import MIMEParser
import MailStore
import Models

/// Steps that save attachments from the bytes of a message.
///
/// The trap: another program may take a name at any moment, and the process may be killed right after the
/// rename. The journal has the name before the file does, so opus owns a file with these bytes under that
/// name.
struct FileSteps: DrainPart {
    let context: DrainContext

    private var files: AttachmentFolder { context.files }

    func run(_ ledger: inout Ledger) async throws {
        // The file steps of a message are consecutive in the journal, so the message is fetched once.
        var opened: (id: EmailID, message: Fetched)?
        for step in ledger.steps where !ledger.isHeld(step) {
            guard case .saveFile(let section, let folder, let name) = step.kind, let id = step.message else {
                continue
            }
            do throws(SinkError) {
                if opened?.id != id {
                    let message = try await fetch(id)
                    opened = (id, message)
                }
            } catch {
                try ledger.fail([step], error)
                continue
            }
            try ledger.onDisk(step) { ledger in
                try files.discard(step.idempotencyKey, in: folder)
                switch opened?.message.file(section) {
                case .bytes(let bytes): try save(step, Content(bytes), folder, name, &ledger)
                case .refused(let reason): try ledger.reject(step, because: reason)
                case nil: return
                }
            }
        }
    }

    private func save(
        _ step: Step, _ content: Content, _ folder: String, _ name: String, _ ledger: inout Ledger
    ) throws {
        var outcome = StepOutcome()
        outcome.digest = content.digest
        for _ in 1...Self.renames {
            switch try files.place(for: content, named: name, in: folder) {
            case .same(let path):
                let isOurs = step.outcome.path == path
                outcome.path = path
                outcome.pathBefore = isOurs ? nil : path
                return try ledger.confirm(
                    step, proof: isOurs ? .reported(path) : Step.Proof(.fileExisted, path), outcome: outcome,
                    wasDone: !isOurs)
            case .free(let path):
                outcome.path = path
                try ledger.issue([step], step.id.map { [$0: outcome] } ?? [:])
                guard try files.write(content, at: path, token: step.idempotencyKey) else { continue }
                return try ledger.confirm(step, proof: .reported(path), outcome: outcome)
            }
        }
        try ledger.postpone(step, because: "\(name): other programs kept taking its name", isOnOwnDisk: true)
    }

    /// The maximum number of times that another program may take the chosen name.
    private static let renames = 10

    // MARK: Bytes

    private func fetch(_ id: EmailID) async throws(SinkError) -> Fetched {
        let (known, places) = try stored(id)
        guard let known else { return .refused("the store no longer has the message") }
        guard known.size <= SavedFiles.largestMessage else {
            return .refused("the message is larger than \(SavedFiles.largestMessage >> 20) MB")
        }
        for place in places {
            guard try await sink.open(place.key.mailbox) != nil else { continue }
            let target = Target(uid: place.key.uid, remoteName: place.remoteName)
            let bytes = try await sink.content(
                of: target, in: place.key.mailbox, limit: SavedFiles.largestMessage)
            guard let message = bytes.map({ MIMEParser.parse($0) }) else { continue }
            if HeaderBlock.canonical(Array(message.headerBlock)) == HeaderBlock.canonical(known.headerBlock),
                SameMessage.hasBody(known.body, message)
            {
                return .message(message)
            }
        }
        return .refused("the message is no longer in any mailbox")
    }

    private func stored(
        _ id: EmailID
    ) throws(SinkError) -> (message: StoredMessage?, places: [MessagePlace]) {
        do {
            return (
                try store.messages.detail(of: id), try store.messages.places(of: id).filter { !$0.isMissing }
            )
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
    }
}

/// A message as it is in the account, or why opus cannot get it.
private enum Fetched {
    case message(ParsedMessage)
    case refused(String)

    enum File {
        case bytes([UInt8])
        case refused(String)
    }

    func file(_ section: String) -> File {
        switch self {
        case .refused(let reason): return .refused(reason)
        case .message(let message):
            guard let bytes = message.decodedBody(section: section) else {
                return .refused("the message has no part \(section)")
            }
            guard bytes.count <= SavedFiles.largestFile else {
                return .refused("part \(section) is larger than \(SavedFiles.largestFile >> 20) MB")
            }
            return .bytes(bytes)
        }
    }
}

public import IMAPProtocol
import NIOCore

/// The look at the whole account before any mailbox is opened: who changed, in one or two turns.
///
/// RFC 5161 (ENABLE), RFC 5819 (LIST-STATUS), RFC 7162 §3.1.2 (HIGHESTMODSEQ in STATUS).
extension IMAPClient {
    /// Every mailbox of the account with its role and, where HIGHESTMODSEQ can prove something, its numbers.
    ///
    /// QRESYNC is enabled on the way. Numbers come by LIST-STATUS, elsewhere by a STATUS for each mailbox,
    /// several on the wire at once. The mailbox that is open is never asked. RFC 3501 §6.3.10.
    ///
    /// - Parameter isWanted: whether anybody will look at the numbers of that mailbox.
    /// - Returns: all mailboxes, as ``list()`` does.
    /// - Throws: ``IMAPClientError``.
    public func survey(
        _ isWanted: @Sendable (MailboxListing) -> Bool = { _ in true }
    ) async throws(IMAPClientError) -> [SurveyedMailbox] {
        try await takeTurn(introducing: false)
        defer { endTurn() }
        try requireAuthenticated()
        var untagged = try await listAll()
        let listings = listings(untagged.compactMap(\.listed))
        if tracksModSeq, !untagged.contains(where: { $0.numbers != nil }) {
            let open = selected
            let names = listings.filter { $0.isSelectable && isWanted($0) && $0.name != open }.map(\.name)
            untagged = try await exchange(names.map { .statusOf($0, Self.numbers) }).untagged
        }
        let numbers = Dictionary(
            untagged.compactMap(\.numbers).map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
        return listings.map { SurveyedMailbox(listing: $0, status: numbers[$0.name]) }
    }

    private static let numbers: [StatusItem] = [.messages, .uidNext, .uidValidity, .highestModSeq]

    /// ENABLE and LIST in one turn, with what is owed before them; LIST once more in the plain form where INBOX does not come back.
    private func listAll() async throws(IMAPClientError) -> [Response] {
        var commands = takeIntroduction()
        let enable = commands.count
        let toEnable = capabilitiesToEnable
        if !toEnable.isEmpty { commands.append(.enable(toEnable)) }
        let list = listCommand
        commands.append(list)
        let answer = try await exchange(commands)
        if !toEnable.isEmpty {
            hasAskedToEnable = true
            let isOK = answer.statuses.dropFirst(enable).first?.isOK == true
            if !profile.saysEnabled, isOK { enabled.formUnion(toEnable) }
        }
        let listed = listings(answer.untagged.compactMap(\.listed))
        guard let status = answer.statuses.last else { return [] }
        if status.isOK, listed.contains(where: { $0.role == .inbox }) || listsPlainly {
            return answer.untagged
        }
        guard !listsPlainly else { throw Self.refusal(of: list.name, status) }
        listsPlainly = true
        return try await perform(.list(.plain)).untagged
    }

    private var capabilitiesToEnable: [Capability] {
        guard !hasAskedToEnable, capabilities.contains(.enable) else { return [] }
        var wanted: [Capability] = []
        if profile.usesQResync, capabilities.contains(.qresync) { wanted.append(.qresync) }
        if wantsUTF8, capabilities.contains(.utf8Accept) { wanted.append(.utf8Accept) }
        return wanted
    }

    private var listCommand: Command {
        if listsPlainly { return .list(.plain) }
        if profile.usesExtendedList, tracksModSeq, capabilities.contains(.listExtended),
            capabilities.contains(.listStatus)
        {
            let returns: [ListRequest.Return] = capabilities.contains(.specialUse) ? [.specialUse] : []
            return .listExtended(ListRequest(returns: returns, status: Self.numbers))
        }
        return .list(extendedList ?? .plain)
    }
}

extension Response {
    fileprivate var listed: ListResponse? {
        guard case .list(let listed) = self else { return nil }
        return listed
    }

    fileprivate var numbers: MailboxStatus? {
        guard case .mailboxStatus(let status) = self else { return nil }
        return status
    }
}

// MARK: - Several commands at once

extension IMAPClient {
    /// Sends commands that change nothing, as many at once as the server takes, and reads until all have ended.
    ///
    /// The statuses are in the order of the commands. A command that must wait for the server's leave is sent when
    /// nothing else is on the wire.
    func exchange(
        _ commands: [Command]
    ) async throws(IMAPClientError) -> (statuses: [StatusResponse], untagged: [Response]) {
        var statuses: [StatusResponse] = []
        var untagged: [Response] = []
        var rest = commands[...]
        while let command = rest.first {
            let batch = try nextBatch(rest)
            guard !batch.isEmpty else {
                let outcome = try await exchange(command)
                statuses.append(outcome.status)
                untagged += outcome.untagged
                rest = rest.dropFirst()
                continue
            }
            statuses += try await run(batch, into: &untagged)
            rest = rest.dropFirst(batch.count)
        }
        return (statuses, untagged)
    }

    /// The commands that can go together; empty when the first one must go alone.
    private func nextBatch(_ commands: ArraySlice<Command>) throws(IMAPClientError) -> [EncodedCommand] {
        var batch: [EncodedCommand] = []
        for command in commands.prefix(max(1, profile.pipelineDepth)) {
            let encoded = try encode(command)
            guard encoded.bytesAtOnce != nil else { break }
            batch.append(encoded)
        }
        return batch
    }

    private func run(
        _ batch: [EncodedCommand], into untagged: inout [Response]
    ) async throws(IMAPClientError) -> [StatusResponse] {
        decoder.bodyLimit = 0
        let start = decoder.parsedBytes
        var bytes = ByteBuffer()
        for var piece in batch.compactMap(\.bytesAtOnce) { bytes.writeBuffer(&piece) }
        try await send(bytes)
        var ends: [CommandTag: StatusResponse] = [:]
        while ends.count < batch.count {
            let response = try await nextResponse()
            guard case .tagged(let tag, let status) = response else {
                untagged.append(response)
                try await checkSize(untagged.count, decoder.parsedBytes - start)
                continue
            }
            guard batch.contains(where: { $0.tag == tag }), ends.updateValue(status, forKey: tag) == nil
            else {
                throw await fail(.protocol("the end of command \(tag), which is not running"))
            }
        }
        return batch.compactMap { ends[$0.tag] }
    }
}

extension EncodedCommand {
    /// All of it; nil when the server must be waited for in between.
    var bytesAtOnce: ByteBuffer? {
        var bytes = ByteBuffer()
        for piece in pieces {
            switch piece {
            case .send(var some): bytes.writeBuffer(&some)
            case .waitForContinuation: return nil
            }
        }
        return bytes
    }
}

import IMAPClient
import IMAPProtocol
import MIMEParser
import MailStore
public import Models
import NIOCore
import SyncPlanner

/// Reads messages of the open mailbox.
extension IMAPMailSource {
    /// The number of messages per command. The first command is small, so that the newest mail arrives at
    /// once. The next command is sent before the current one has ended.
    private static let firstSet = 50
    private static let nextSets = 250
    /// The maximum number of long messages whose structures are in memory.
    private static let chunk = 100

    public func changes(
        of mailbox: Mailbox, since modSeq: UInt64, below uid: UInt32
    ) async throws -> SourceChanges {
        guard uid > 1 else { return SourceChanges() }
        var changes = SourceChanges()
        var marks = MarkReader()
        let lost = await client.lostAnswerCount
        let items = FetchItems(flags: true, changedSince: modSeq).marking(await naming)
        try await fetching([UIDSet(1...(uid - 1))], items) { message in
            guard message.uid != 0 else { return }
            guard message.missing.isDisjoint(with: [.flags, .labels]) else {
                changes.isComplete = false
                return
            }
            let found = marks.marks(message.flags, labels: message.labels)
            changes.marks.append(
                MessageMarks(uid: message.uid, flags: found.flags, keywords: found.keywords))
        }
        if await client.lostAnswerCount != lost { changes.isComplete = false }
        return changes
    }

    public func uids(of mailbox: Mailbox) async throws -> UIDListing? {
        let lost = await client.lostAnswerCount
        let uids = try await ending { () throws(IMAPClientError) in try await client.messages.search(.all) }
        return UIDListing(uids: uids, isComplete: await client.lostAnswerCount == lost)
    }

    public func listing(
        of mailbox: Mailbox, uids: ClosedRange<UInt32>, detail: ListingDetail
    ) async throws -> MessageListing {
        var listed: [ListedMessage] = []
        var marks = MarkReader()
        var isComplete = true
        let lost = await client.lostAnswerCount
        let naming = await naming
        let items =
            switch detail {
            case .marks: FetchItems.flags.marking(naming)
            case .everything: FetchItems.listing.naming(naming)
            }
        let set = UIDSet(max(1, uids.lowerBound)...max(1, uids.upperBound))
        try await fetching([set], items) { message in
            guard message.uid != 0 else { return }
            guard message.missing.isDisjoint(with: [.flags, .labels]) else {
                isComplete = false
                return
            }
            listed.append(ListedMessage(message, &marks))
        }
        if await client.lostAnswerCount != lost { isComplete = false }
        listed.sort { $0.uid < $1.uid }
        return MessageListing(listed, isComplete: isComplete)
    }

    public func headers(
        of messages: [ListedMessage], in mailbox: Mailbox,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws {
        let places = Self.places(messages)
        try await fetching(Self.sets(messages), FetchItems(header: true), skipsUnreadable: true) { message in
            guard let place = places[message.uid], let header = message.header else { return }
            try await deliver(
                RawMessage(
                    listed: messages[place], bytes: Array(header.readableBytesView), isTruncated: false))
        }
    }

    /// Reads messages up to the limit completely. Of a longer message, it reads the texts, and takes the
    /// attachments from the structure; if that is invalid, it reads the beginning of the message. A message
    /// of unknown size is read up to the limit.
    public func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws {
        let unsized = messages.filter { $0.size == nil }
        let isShort = { (message: ListedMessage) in message.size.map { $0 <= limit } ?? false }
        let short = messages.allSatisfy(isShort) ? messages : messages.filter(isShort)
        var long = messages.filter { $0.size.map { $0 > limit } ?? false }
        // Sizes are estimates: a message that turns out to be longer is read like a long one.
        long += try await read(short, .whole(maximum: limit), limit: limit, deliver)
        var rest = unsized
        var signed: [ListedMessage] = []
        for start in stride(from: 0, to: long.count, by: Self.chunk) {
            let chunk = Array(long[start..<min(start + Self.chunk, long.count)])
            let left = try await readTexts(chunk, limit: limit, deliver)
            rest += left.rest
            signed += left.signed
        }
        for message in signed {
            let most = SignatureCheck.messageLimit
            rest += try await read([message], .whole(maximum: most), limit: most, deliver)
        }
        _ = try await read(rest, .first(limit), limit: limit, deliver)
    }

    private func read(
        _ messages: [ListedMessage], _ body: FetchItems.Body, limit: Int,
        _ deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws -> [ListedMessage] {
        let places = Self.places(messages)
        var longer: [ListedMessage] = []
        try await fetching(Self.sets(messages), FetchItems(body: body), skipsUnreadable: true) { message in
            guard let listed = places[message.uid].map({ messages[$0] }) else { return }
            guard let bytes = message.body else {
                if message.omittedSize != nil { longer.append(listed) }
                return
            }
            let isTruncated = bytes.readableBytes >= limit && (listed.size ?? .max) > bytes.readableBytes
            try await deliver(
                RawMessage(
                    listed: listed, bytes: Array(bytes.readableBytesView), isTruncated: isTruncated,
                    isBeginning: isTruncated))
        }
        return longer
    }

    /// Returns the messages with an invalid structure, and those that are signed as a whole: checking a
    /// signature requires every byte.
    private func readTexts(
        _ messages: [ListedMessage], limit: Int, _ deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws -> (rest: [ListedMessage], signed: [ListedMessage]) {
        let wanted = Dictionary(messages.map { ($0.uid, $0) }, uniquingKeysWith: { first, _ in first })
        var outlines: [[SectionRequest]: [UInt32: LongMessage]] = [:]
        var rest = wanted
        var signed: [ListedMessage] = []
        var items = FetchItems(header: true)
        items.bodyStructure = true
        try await fetching([UIDSet(wanted.keys)], items, skipsUnreadable: true) { message in
            if let listed = wanted[message.uid], let header = message.header,
                listed.size.map({ $0 <= SignatureCheck.messageLimit }) ?? false,
                MIMEParser.parse(Array(header.readableBytesView)).isSMIMESigned
            {
                rest[message.uid] = nil
                return signed.append(listed)
            }
            guard let header = message.header, let structure = message.structure,
                let long = LongMessage(
                    header: Array(header.readableBytesView), structure: structure, limit: limit)
            else { return }
            outlines[long.requests, default: [:]][message.uid] = long
        }
        // Messages with the same structure are read together; most messages have one of a few structures.
        for (requests, group) in outlines {
            try await reading(requests, of: Array(group.keys)) { uid, sections in
                guard let listed = wanted[uid], let raw = group[uid]?.message(listed, with: sections) else {
                    return
                }
                rest[uid] = nil
                try await deliver(raw)
            }
        }
        return (rest.values.sorted { $0.uid > $1.uid }, signed)
    }

    /// Reads these sections of messages: of all of them with one command, or of each message with several commands if their
    /// names are too long for the command line.
    private func reading(
        _ requests: [SectionRequest], of uids: [UInt32],
        _ onMessage: (UInt32, [String: ByteBuffer]) async throws -> Void
    ) async throws {
        let longest = await client.profile.commandLineLimit
        // The set of messages may take the rest of the line.
        if uids.count > 1, Self.length(requests) > longest / 4 {
            for uid in uids { try await reading(requests, of: [uid], onMessage) }
            return
        }
        var items = FetchItems()
        let lines = Self.lines(requests, longest: longest * 3 / 4)
        if lines.count == 1 {
            items.sections = requests
            return try await fetching([UIDSet(uids)], items, skipsUnreadable: true) {
                try await onMessage($0.uid, $0.sections)
            }
        }
        for uid in uids {
            var sections: [String: ByteBuffer] = [:]
            for line in lines {
                items.sections = line
                try await fetching([UIDSet([uid])], items, skipsUnreadable: true) { message in
                    guard message.uid == uid else { return }
                    sections.merge(message.sections) { first, _ in first }
                }
            }
            try await onMessage(uid, sections)
        }
    }

    /// The octets of the requests in a command: each is in `BODY.PEEK[…]<0.1048576>`, and a blank follows.
    private static func length(_ requests: [SectionRequest]) -> Int {
        requests.reduce(0) { $0 + $1.name.utf8.count + 24 }
    }

    private static func lines(_ requests: [SectionRequest], longest: Int) -> [[SectionRequest]] {
        var lines: [[SectionRequest]] = []
        for request in requests {
            if let last = lines.last, length(last + [request]) <= longest {
                lines[lines.count - 1].append(request)
            } else {
                lines.append([request])
            }
        }
        return lines
    }

    /// The index of each message in the list, so that thousands of messages are not copied.
    private static func places(_ messages: [ListedMessage]) -> [UInt32: Int] {
        Dictionary(
            messages.indices.lazy.map { (messages[$0].uid, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// In the order of the messages; within one set, the order is lost.
    private static func sets(_ messages: [ListedMessage]) -> [UIDSet] {
        var sets: [UIDSet] = []
        var rest = messages[...]
        while !rest.isEmpty {
            let count = sets.isEmpty ? firstSet : nextSets
            sets.append(UIDSet(rest.prefix(count).map(\.uid)))
            rest = rest.dropFirst(count)
        }
        return sets
    }

    private func fetching(
        _ sets: [UIDSet], _ items: FetchItems, skipsUnreadable: Bool = false,
        _ onMessage: (FetchedMessage) async throws -> Void
    ) async throws {
        do {
            try await client.messages.fetch(
                inOrder: sets, items, skipsUnreadable: skipsUnreadable, onMessage: onMessage)
        } catch let error as IMAPClientError {
            guard error.endsTheSession else { throw error }
            let unanswered = error.isLoss ? await client.interrupted : nil
            throw SourceUnavailable(error, interrupted: unanswered.map { InterruptedFetch($0) })
        }
    }

    public func size(of message: ListedMessage) async throws -> Int? {
        var size: Int?
        try await fetching([UIDSet([message.uid])], FetchItems(size: true)) { found in
            if found.uid == message.uid { size = found.size }
        }
        return size
    }

    public func piece(of message: ListedMessage, from offset: Int, count: Int) async throws -> [UInt8]? {
        var items = FetchItems()
        items.sections = [SectionRequest("", offset: offset, count: count)]
        var piece: [UInt8]?
        try await fetching([UIDSet([message.uid])], items, skipsUnreadable: true) { found in
            guard found.uid == message.uid, let bytes = found.sections[""] else { return }
            piece = Array(bytes.readableBytesView)
        }
        return piece
    }

    public func wait(atMost patience: Duration?) async { await client.wait(atMost: patience) }
}

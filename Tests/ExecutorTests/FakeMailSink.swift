import Crypto
import MIMEParser
import Models

@testable import Executor

/// An account in memory that takes changes, with the troubles that a real server will not make when asked.
actor FakeMailSink: MailSink {
    struct Stored: Sendable {
        var bytes: [UInt8]
        var flags: Set<Flag> = []
        var keywords: Set<Keyword> = []
        var received = Timestamp(seconds: 1)

        var message: ParsedMessage { MIMEParser.parse(bytes) }
    }

    struct Box: Sendable {
        var uidValidity: UInt32 = 7
        var uidNext: UInt32 = 1
        var messages: [UInt32: Stored] = [:]
    }

    enum Verb: String, Sendable {
        case open
        case look
        case store
        case move
        case copy
        case remove
        case find
        case append
        case create
    }

    enum Fault: Sendable {
        /// It never arrived, or was refused.
        case before(SinkError)
        /// It was done; the answer was lost.
        case after(SinkError)
        /// A server without MOVE: copied, and the connection gone before the original was removed.
        case halfway
    }

    private(set) var boxes: [MailboxName: Box]
    /// Whether user words can be kept at all.
    private var keepsKeywords = true
    /// Whether moves are answered with COPYUID.
    var provesMoves = true
    /// How it moves, and whether it can remove one message alone.
    private var way = WayToMove.atOnce
    private var removesOne = true
    private var finds = true
    private var silent: UInt32?
    private var faults: [Verb: [Fault]] = [:]
    private var numbered: [Int: (Fault, kill: @Sendable () -> Void)] = [:]
    private(set) var calls = 0
    /// `move INBOX 1,2 Archive`
    private(set) var log: [String] = []

    init(_ names: [MailboxName]) { boxes = Dictionary(uniqueKeysWithValues: names.map { ($0, Box()) }) }

    // MARK: The world around it

    func put(_ stored: Stored, in name: MailboxName) -> UInt32 {
        var box = boxes[name] ?? Box()
        let uid = box.uidNext
        box.messages[uid] = stored
        box.uidNext += 1
        boxes[name] = box
        return uid
    }

    func change(_ name: MailboxName, _ body: @Sendable (inout Box) -> Void) {
        guard var box = boxes[name] else { return }
        body(&box)
        boxes[name] = box
    }

    func hideCOPYUID() { provesMoves = false }
    func copyAndRemove() { way = .copyThenRemove }
    func removeNothingAlone() { removesOne = false }
    func keepNoKeywords() { keepsKeywords = false }
    /// Searches find nothing from now on.
    func findNothing() { finds = false }
    /// The account has this message, and does not return it.
    func returnNothing(of uid: UInt32?) { silent = uid }

    // MARK: Troubles

    /// The next call of that verb fails; further faults wait for further calls.
    func fail(_ verb: Verb, _ fault: Fault, times: Int = 1) {
        faults[verb, default: []] += Array(repeating: fault, count: times)
    }

    /// The n-th call fails from now on counted, and `kill` is called at that moment.
    func failCall(_ number: Int, _ fault: Fault, kill: @escaping @Sendable () -> Void = {}) {
        numbered[calls + number] = (fault, kill)
    }

    func forgetTroubles() {
        faults = [:]
        numbered = [:]
        log = []
    }

    /// Calls that change something.
    var changes: [String] {
        log.filter { !$0.hasPrefix("open") && !$0.hasPrefix("look") && !$0.hasPrefix("find") }
    }

    private func perform<Result>(
        _ verb: Verb, _ words: String, halfway: () -> Void = {}, _ effect: () -> Result
    ) throws(SinkError) -> Result {
        calls += 1
        log.append("\(verb.rawValue) \(words)")
        var (fault, kill): (Fault?, @Sendable () -> Void) = (nil, {})
        if let planned = numbered.removeValue(forKey: calls) {
            (fault, kill) = planned
        } else if faults[verb]?.isEmpty == false {
            fault = faults[verb]?.removeFirst()
        }
        switch fault {
        case .none: return effect()
        case .before(let error):
            kill()
            throw error
        case .after(let error):
            _ = effect()
            kill()
            throw error
        case .halfway:
            halfway()
            kill()
            throw .lost("halfway")
        }
    }

    private static func words(_ targets: [Target]) -> String {
        targets.map { String($0.uid) }.joined(separator: ",")
    }

    // MARK: MailSink

    func open(_ mailbox: MailboxName) throws(SinkError) -> UInt32? {
        try perform(.open, "\(mailbox)") { boxes[mailbox]?.uidValidity }
    }

    func look(at targets: [Target], in mailbox: MailboxName) throws(SinkError) -> [UInt32: Sighting] {
        try perform(.look, "\(mailbox) \(Self.words(targets))") {
            var seen: [UInt32: Sighting] = [:]
            for target in targets {
                guard let stored = boxes[mailbox]?.messages[target.uid] else { continue }
                seen[target.uid] =
                    target.uid == silent
                    ? .unreadable
                    : Sighting(
                        flags: stored.flags, keywords: stored.keywords,
                        header: Array(stored.message.headerBlock))
            }
            return seen
        }
    }

    func store(
        _ change: MarkChange, on targets: [Target], in mailbox: MailboxName
    ) throws(SinkError) -> [UInt32: Sighting] {
        try perform(.store, "\(mailbox) \(Self.words(targets))") {
            var shown: [UInt32: Sighting] = [:]
            for target in targets {
                guard var stored = boxes[mailbox]?.messages[target.uid] else { continue }
                stored.flags = stored.flags.union(change.addFlags).subtracting(change.removeFlags)
                stored.keywords = stored.keywords.union(change.addKeywords).subtracting(change.removeKeywords)
                boxes[mailbox]?.messages[target.uid] = stored
                shown[target.uid] = Sighting(flags: stored.flags, keywords: stored.keywords)
            }
            return shown
        }
    }

    func unkeepable(_ keywords: Set<Keyword>, in mailbox: MailboxName) -> Set<Keyword> {
        keepsKeywords ? [] : keywords
    }

    func move(
        _ targets: [Target], from mailbox: MailboxName, to target: Mailbox
    ) throws(SinkError) -> [UInt32: NewPlace] {
        let destination = target.name
        let copy = {
            for target in targets {
                if let stored = self.boxes[mailbox]?.messages[target.uid] {
                    _ = self.put(stored, in: destination)
                }
            }
        }
        return try perform(.move, "\(mailbox) \(Self.words(targets)) \(destination)", halfway: copy) {
            var places: [UInt32: NewPlace] = [:]
            for target in targets {
                guard let stored = boxes[mailbox]?.messages.removeValue(forKey: target.uid) else { continue }
                let uid = put(stored, in: destination)
                places[target.uid] = NewPlace(
                    uidValidity: boxes[destination]?.uidValidity ?? 0, uid: uid,
                    evidence: "COPYUID \(target.uid) \(uid)")
            }
            return provesMoves ? places : [:]
        }
    }

    func numbers(of mailbox: MailboxName) throws(SinkError) -> MailboxNumbers? {
        try perform(.open, "\(mailbox)") {
            boxes[mailbox].map { MailboxNumbers(uidValidity: $0.uidValidity, uidNext: $0.uidNext) }
        }
    }

    func wayToMove(from mailbox: MailboxName, to destination: MailboxName) -> WayToMove { way }

    func copy(
        _ targets: [Target], from mailbox: MailboxName, to destination: Mailbox
    ) throws(SinkError) -> [UInt32: NewPlace] {
        try perform(.copy, "\(mailbox) \(Self.words(targets)) \(destination.name)") {
            var places: [UInt32: NewPlace] = [:]
            for target in targets {
                guard let stored = boxes[mailbox]?.messages[target.uid] else { continue }
                let uid = put(stored, in: destination.name)
                places[target.uid] = NewPlace(
                    uidValidity: boxes[destination.name]?.uidValidity ?? 0, uid: uid,
                    evidence: "COPYUID \(target.uid) \(uid)")
            }
            return provesMoves ? places : [:]
        }
    }

    func remove(_ targets: [Target], from mailbox: MailboxName) throws(SinkError) {
        guard removesOne else { throw .unsupported("no UIDPLUS") }
        try perform(.remove, "\(mailbox) \(Self.words(targets))") {
            for target in targets { boxes[mailbox]?.messages[target.uid] = nil }
        }
    }

    func content(
        of target: Target, in mailbox: MailboxName, limit: Int
    ) throws(SinkError) -> [UInt8]? {
        try perform(.look, "\(mailbox) \(target.uid) content") {
            boxes[mailbox]?.messages[target.uid].flatMap { $0.bytes.count <= limit ? $0.bytes : nil }
        }
    }

    func digest(of target: Target, in mailbox: MailboxName) throws(SinkError) -> String? {
        try perform(.look, "\(mailbox) \(target.uid) whole") {
            boxes[mailbox]?.messages[target.uid].map { Hex.encode(SHA256.hash($0.bytes)) }
        }
    }

    func find(
        _ field: String, _ value: String, in mailbox: MailboxName
    ) throws(SinkError) -> [FoundMessage] {
        try perform(.find, "\(field) \(value) in \(mailbox)") {
            let box = boxes[mailbox] ?? Box()
            return box.messages.sorted { $0.key < $1.key }.filter { _, stored in
                finds
                    && HeaderBlock.fields(of: stored.message.headerBlock).contains {
                        $0.name.lowercased() == field.lowercased() && $0.body.contains(value)
                    }
            }
            .map { uid, stored in
                FoundMessage(
                    uidValidity: box.uidValidity, uid: uid, header: Array(stored.message.headerBlock),
                    received: stored.received, size: stored.bytes.count)
            }
        }
    }

    func arrivals(
        from first: UInt32, size: Int?, in mailbox: MailboxName
    ) throws(SinkError) -> [FoundMessage] {
        try perform(.find, "from \(first) in \(mailbox)") {
            let box = boxes[mailbox] ?? Box()
            return box.messages.sorted { $0.key < $1.key }.filter { $0.key >= first }.map { uid, stored in
                FoundMessage(
                    uidValidity: box.uidValidity, uid: uid, header: Array(stored.message.headerBlock),
                    received: stored.received, size: stored.bytes.count)
            }
        }
    }

    func append(
        _ message: [UInt8], to mailbox: MailboxName, flags: Set<Flag>, token: MessageID, at time: Timestamp
    ) throws(SinkError) -> NewPlace {
        try perform(.append, "\(token) to \(mailbox)") {
            let uid = put(Stored(bytes: message, flags: flags), in: mailbox)
            return NewPlace(
                uidValidity: boxes[mailbox]?.uidValidity ?? 0, uid: uid, evidence: "APPENDUID \(uid)")
        }
    }

    func create(_ mailbox: Mailbox) throws(SinkError) {
        try perform(.create, mailbox.displayName) {
            if boxes[mailbox.name] == nil { boxes[mailbox.name] = Box() }
        }
    }
}

/// A submission server that accepts mail, or refuses it.
actor FakeSubmitter: MailSubmitter {
    enum Reply: Sendable {
        case accepted
        /// Refused before the final dot, or by an answer to it.
        case refused(SubmissionError, afterDot: Bool)
        /// The final dot left, and no answer came.
        case lost(delivered: Bool)
        /// The process ends here.
        case killed(afterDot: Bool, delivered: Bool, kill: @Sendable () -> Void)
    }

    private var replies: [Reply] = []
    private(set) var tries = 0
    private(set) var delivered: [[UInt8]] = []

    func answer(_ replies: Reply...) { self.replies = replies }

    func submit(
        _ message: [UInt8], reversePath: String, forwardPaths: [String], token: MessageID,
        beforeFinalDot: @Sendable () async throws -> Void, accepted: @Sendable (String) async throws -> Void
    ) async throws(SubmissionError) -> String {
        tries += 1
        let reply = replies.isEmpty ? .accepted : replies.removeFirst()
        switch reply {
        case .accepted:
            try await dot(beforeFinalDot)
            delivered.append(message)
            do {
                try await accepted("250 queued")
            } catch {
                throw .unknown("\(error)")
            }
            return "250 queued"
        case .refused(let error, let afterDot):
            if afterDot { try await dot(beforeFinalDot) }
            throw error
        case .lost(let isDelivered):
            try await dot(beforeFinalDot)
            if isDelivered { delivered.append(message) }
            throw .unknown("the connection closed")
        case .killed(let afterDot, let isDelivered, let kill):
            if afterDot { try await dot(beforeFinalDot) }
            if isDelivered { delivered.append(message) }
            kill()
            throw .notSent("killed")
        }
    }

    private func dot(_ beforeFinalDot: @Sendable () async throws -> Void) async throws(SubmissionError) {
        do {
            try await beforeFinalDot()
        } catch {
            throw .notSent("stopped before the dot: \(error)")
        }
    }
}

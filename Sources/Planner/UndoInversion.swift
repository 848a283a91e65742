import Crypto
public import Models

/// Collects the inverses of one run's steps, from the newest to the oldest.
struct Inversion {
    let facts: Undo.Facts
    /// The rows that are undone in the same command.
    let together: Set<Int64>
    /// The drafts whose mail the run sent (true), or perhaps sent (false): they are not put back, because the user would
    /// send them again.
    let sent: [EmailID: Bool]
    /// The drafts that opus still removes because their mail was sent.
    private var sentDrafts: Set<MessageID> = []
    /// The places from which the undo moves a message. A second copy of a message is moved from another place.
    private var taken: Set<MessageKey> = []
    /// Where a message is whose move is undone, and where the undo moves it to.
    private var movedBack: [EmailID: (place: MessageKey, home: MailboxName)] = [:]
    /// The current place of each message, by its place when the run was planned.
    private var standing: [MessageKey: MessageKey] = [:]
    /// The same the other way round.
    private var standsAt: [MessageKey: MessageKey] = [:]
    /// The marks of each message while they are restored, by its current place.
    private var flags: [MessageKey: MarkRestoration<Flag>] = [:]
    private var keywords: [MessageKey: MarkRestoration<Keyword>] = [:]
    /// The places of all messages whose marks are restored, when the run was planned.
    private let marked: Set<MessageKey>
    /// Whether a draft that the run removed cannot come back: the version that replaced it stays.
    private var hasLostDraft = false
    /// The messages that the undo moves back into the deferred mailbox.
    private var deferredAgain: Set<EmailID> = []
    /// The task files that the undo of later steps restores: their digests, those without the lines that opus noted since,
    /// and their lists.
    private var restored: [TodoID: (digest: String, plain: String, list: GTDList?)] = [:]

    init(
        facts: Undo.Facts, together: Set<Int64> = [], sent: [EmailID: Bool] = [:],
        marked: Set<MessageKey> = []
    ) {
        self.facts = facts
        self.marked = marked
        self.together = together
        self.sent = sent
    }

    /// The order in which steps are inverted. Moves are first: they determine the places of messages whose marks are
    /// restored. A move that found its message there already is after the one that brought it.
    static func turn(of step: Step) -> Int { step.kind.isMove ? (foundItThere(step) ? 1 : 0) : 2 }

    /// A move that did nothing, because another step of the run, or another program, had moved the message.
    private static func foundItThere(_ step: Step) -> Bool {
        step.proof?.kind == .alreadyIn && step.attempts == 0
    }

    mutating func answer(_ step: Step) -> Undo.Answer? {
        switch step.state {
        case .planned, .ready: return finishing(step) ?? .cancel
        case .cancelled: return nil
        // If the server refused some marks, the others may have been set.
        case .rejected: return step.outcome.flagsBefore == nil ? nil : inverse(step)
        case .issued, .unknown, .reconciling:
            return lost(step)
                ?? .cannot("it is not known yet whether it happened; run opus run, then undo it")
        case .needsDecision: return .cannot(Self.undecided(step))
        case .confirmed: return inverse(step)
        }
    }

    /// A step that still has to happen after a mail was sent, and that is not cancelled: without it, Sent would lack the
    /// copy, or the draft would stay and look as if it was not sent.
    private mutating func finishing(_ step: Step) -> Undo.Answer? {
        let isSent = step.message.flatMap { sent[$0] } == true
        switch step.kind {
        case .append(to: let mailbox, message: _, flags: _, token: _) where mailbox.role == .sent && isSent:
            return .nothing("its mail was sent: the copy still follows")
        case .remove(_, let token, versions: _) where isSent:
            sentDrafts.insert(token)
            return .nothing("its mail was sent: the draft is still removed")
        case .store(_, addFlags: [.answered], removeFlags: [], addKeywords: [], removeKeywords: [])
        where sent.values.contains(true):
            return .nothing("its answer was sent")
        case _: return nil
        }
    }

    /// opus ended before the answer arrived. For a move, the place of the message shows whether it happened;
    /// for marks, the inverse restores the noted values.
    private mutating func lost(_ step: Step) -> Undo.Answer? {
        guard facts.isFresh else { return nil }
        switch step.kind {
        case .move(let key, let destination):
            let places = step.message.flatMap { facts.places[$0] } ?? []
            let isThere = places.contains { $0.key == key }
            let isMoved = places.contains { $0.key.mailbox == destination.name }
            if isThere, !isMoved { return .cancel }
            return isMoved && !isThere ? inverse(step) : nil
        case .store: return step.outcome.flagsBefore == nil ? nil : inverse(step)
        case .createTodo(let todo):
            guard step.outcome.pathBefore == nil else { return nil }
            guard let present = facts.todos[todo.id] else { return .cancel }
            guard facts.written.contains(todo.id) else { return nil }
            return self.step(step, .removeTodo(todo.id, digest: present))
        case .updateTodo, .removeTodo, .restoreTodo, .append, .submit, .remove, .wait, .saveFile, .removeFile,
            .list, .createMailbox,
            .editThreads:
            return nil
        }
    }

    private static func undecided(_ step: Step) -> String {
        if case .submit = step.kind { return "opus cannot tell whether it was sent" }
        return "it waits for your decision: " + (step.reason ?? "")
    }

    private mutating func inverse(_ step: Step) -> Undo.Answer {
        switch step.kind {
        case .createTodo(let todo): removal(of: todo.id, "“\(todo.summary)”", step)
        case .updateTodo(let id, _): restoration(of: id, step)
        case .removeTodo(let id, digest: _): returning(id, step)
        case .restoreTodo(let id, path: _, content: _, digest: let replaced):
            replaced == nil ? removal(of: id, "the task", step) : restoration(of: id, step)
        case .append(let mailbox, message: _, flags: _, let token): removal(of: token, in: mailbox, step)
        case .submit(reversePath: _, forwardPaths: let paths, message: _, token: _):
            .cannot("already sent to " + paths.joined(separator: ", "))
        // Only a sent answer sets this mark.
        case .store(_, addFlags: [.answered], removeFlags: [], addKeywords: [], removeKeywords: []):
            .nothing("its answer was sent")
        case .store(let key, let add, let remove, let addWords, let removeWords):
            marks(
                step, key, added: add.subtracting(step.outcome.flagsBefore ?? []),
                removed: remove.intersection(step.outcome.flagsBefore ?? remove),
                addedWords: addWords.subtracting(step.outcome.keywordsBefore ?? []),
                removedWords: removeWords.intersection(step.outcome.keywordsBefore ?? removeWords))
        case .move(let key, let destination): move(step, key, destination)
        case .remove: putBack(step)
        case .saveFile: fileRemoval(step)
        case .removeFile(let path, digest: _): savedAgain(path, step)
        case .wait(let until, let before): date(step, until, before)
        case .list(let list, let entry, let isListed):
            // The outcome has the path only if the step changed the list.
            step.outcome.path == nil
                ? .nothing("the step did not change \(list.path)")
                : self.step(step, .list(list, entry: entry, isListed: !isListed))
        case .editThreads(let change): self.step(step, .editThreads(change.inverse))
        // Mail that arrives between the check and the deletion would be lost with the mailbox.
        case .createMailbox(let mailbox):
            step.outcome.path == nil
                ? .nothing("\(mailbox.displayName) was there before")
                : .nothing("opus never deletes a mailbox, so \(mailbox.displayName) stays")
        }
    }

    private func step(_ original: Step, _ kind: Step.Kind, message: EmailID? = nil) -> Undo.Answer {
        .inverse(inverseStep(original, kind, message: message))
    }

    private func inverseStep(_ original: Step, _ kind: Step.Kind, message: EmailID? = nil) -> Step {
        var step = Step(
            idempotencyKey: IdempotencyKey.make(
                account: facts.context.account, message: original.message, kind: "undo",
                target: original.id.map(String.init) ?? original.idempotencyKey, rule: Step.Cause.undo.name,
                token: facts.context.token),
            message: message ?? original.message, cause: .undo, kind: kind)
        step.undoes = original.id
        return step
    }

    // MARK: Messages

    private mutating func move(_ step: Step, _ key: MessageKey, _ destination: Mailbox) -> Undo.Answer {
        guard let message = step.message else { return .cannot("the step has no message") }
        // A move within a mailbox does nothing: two copies in it both keep their places.
        if key.mailbox == destination.name, facts.places[message]?.contains(where: { $0.key == key }) == true
        {
            taken.insert(key)
            stand(key, at: key)
            return .nothing("it never left \(destination.displayName)")
        }
        let free = (facts.places[message] ?? []).filter { !taken.contains($0.key) }
        // Another step of the run brought it there, and undoes that.
        if free.isEmpty, facts.places[message]?.isEmpty == false, Self.foundItThere(step) {
            return .nothing("it was already in \(destination.displayName)")
        }
        let origin = origin(of: key)
        let home = free.first { $0.key.mailbox == origin }
        let left =
            free.first { $0.key == step.outcome.place }
            ?? free.first {
                $0.key.mailbox == destination.name && $0.remoteName != nil
                    && $0.remoteName == step.outcome.remoteName
            }
            ?? free.first { $0.key.mailbox == destination.name }
        // A later move of the run began where this one ended. Once that is undone, the message is there again: the journal
        // gives this step its new place.
        if left == nil, let later = movedBack[message], later.home == destination.name {
            movedBack[message] = (later.place, origin)
            if origin == facts.context.mailbox(for: .deferred).name { deferredAgain.insert(message) }
            return self.step(step, .move(later.place, to: mailbox(origin)))
        }
        if left == nil, let home {
            taken.insert(home.key)
            stand(key, at: home.key)
            return .nothing("it is already back in \(home.mailbox.displayName)")
        }
        // All Mail is not a place to move a message from while the message is in another mailbox, too.
        guard let place = left ?? free.first(where: { $0.mailbox.role != .all }) ?? free.first else {
            return .cannot("it is no longer in any mailbox of the account")
        }
        // The mail of an order may have been there before.
        guard place.key.mailbox != origin else {
            taken.insert(place.key)
            stand(key, at: place.key)
            return dateBefore(step, message, in: origin)
                ?? .nothing("it is already back in \(place.mailbox.displayName)")
        }
        taken.insert(place.key)
        stand(key, at: place.key)
        movedBack[message] = (place.key, origin)
        if origin == facts.context.mailbox(for: .deferred).name { deferredAgain.insert(message) }
        return self.step(step, .move(place.key, to: mailbox(origin)))
    }

    /// A message that has left the deferred mailbox has no date that could be restored.
    private func date(_ step: Step, _ until: DeferredUntil?, _ before: DeferredUntil?) -> Undo.Answer {
        if let message = step.message, facts.noLongerDeferred.contains(message),
            !deferredAgain.contains(message)
        {
            return .nothing("the message is no longer deferred")
        }
        return self.step(step, .wait(until: before.map(facts.stillToCome), before: until))
    }

    /// An order that defers mail again only changes its date.
    private func dateBefore(
        _ step: Step, _ message: EmailID, in mailbox: MailboxName
    ) -> Undo.Answer? {
        guard mailbox == facts.context.mailbox(for: .deferred).name,
            let before = step.id.flatMap({ facts.waits[$0] }).map(facts.stillToCome),
            let now = facts.context.deferrals[message]
        else { return nil }
        return self.step(step, .wait(until: before, before: now))
    }

    /// The mailbox to which undo moves a message. Never a command mailbox: in it, the message would be an
    /// order again.
    private func origin(of key: MessageKey) -> MailboxName {
        guard facts.commandMailboxes.contains(key.mailbox) else { return key.mailbox }
        return facts.homes[key] ?? facts.context.inbox.name
    }

    private func mailbox(_ name: MailboxName) -> Mailbox {
        facts.mailboxes[name]
            ?? Mailbox(account: facts.context.account, name: name, displayName: name.description)
    }

    private mutating func marks(
        _ step: Step, _ key: MessageKey, added: Set<Flag>, removed: Set<Flag>, addedWords: Set<Keyword>,
        removedWords: Set<Keyword>
    ) -> Undo.Answer {
        let places = step.message.flatMap { facts.places[$0] } ?? []
        guard
            let place = places.first(where: { $0.key == standing[key] }) ?? places.first(where: {
                $0.key == key
            })
                ?? Self.likeliest(places.filter { !isAnothers($0.key, than: key) }, for: key)
                ?? Self.likeliest(places, for: key)
        else { return .cannot("the message is no longer in any mailbox of the account") }
        stand(key, at: place.key)
        let flags = self.flags[place.key, default: MarkRestoration(place.flags)].undo(
            added: added, removed: removed)
        let words = keywords[place.key, default: MarkRestoration(place.keywords)].undo(
            added: addedWords, removed: removedWords)
        guard !(flags.add.isEmpty && flags.remove.isEmpty && words.add.isEmpty && words.remove.isEmpty)
        else { return .nothing("its flags and labels are as they were") }
        return self.step(
            step,
            .store(
                place.key, addFlags: flags.add, removeFlags: flags.remove,
                addKeywords: words.add, removeKeywords: words.remove))
    }

    private mutating func stand(_ key: MessageKey, at place: MessageKey) {
        standing[key] = place
        standsAt[place] = key
    }

    /// Whether another message whose marks are restored is at that place, or was when the run was planned.
    private func isAnothers(_ place: MessageKey, than key: MessageKey) -> Bool {
        place != key && marked.contains(place) || standsAt[place].map { $0 != key } ?? false
    }

    /// The places at which the steps change marks.
    static func marked(_ steps: [Step]) -> Set<MessageKey> {
        var keys: Set<MessageKey> = []
        for step in steps {
            if case .store(let key, _, _, _, _) = step.kind { keys.insert(key) }
        }
        return keys
    }

    /// The likeliest place of a message that has left its old one.
    private static func likeliest(_ places: [MessagePlace], for key: MessageKey) -> MessagePlace? {
        places.first { $0.key.mailbox == key.mailbox }
            ?? places.first { $0.mailbox.role != .all } ?? places.first
    }

    // MARK: Messages that opus wrote

    private mutating func removal(of token: MessageID, in mailbox: Mailbox, _ step: Step) -> Undo.Answer {
        guard mailbox.role != .sent else { return .cannot("the copy of a sent mail stays") }
        guard !sentDrafts.contains(token) else { return .sent }
        let isDraft = mailbox.role == .drafts
        guard isDraft || step.outcome.digest != nil else {
            return .nothing("it was in \(mailbox.displayName) before")
        }
        let gone =
            facts.sent.contains(token)
            ? Undo.Answer.sent : .nothing("it is no longer in \(mailbox.displayName)")
        // Other messages may have the Message-ID of a copied one.
        let message = isDraft ? facts.appended[token] : step.message ?? facts.appended[token]
        let there = message.flatMap { facts.places[$0] }?.filter { $0.key.mailbox == mailbox.name } ?? []
        let place =
            there.first {
                $0.key == step.outcome.place
                    || ($0.remoteName != nil && $0.remoteName == step.outcome.remoteName)
            } ?? there.first
        // If the account reports that the draft exists, it need not be in the store yet.
        var key = place?.key
        switch facts.drafts[token] {
        case .edited:
            return .cannot(
                "the \(isDraft ? "draft was edited" : "copy was changed") since: it stays in \(mailbox.displayName)"
            )
        case .gone: return gone
        case .untouched:
            key =
                key
                ?? MessageKey(account: facts.context.account, mailbox: mailbox.name, uidValidity: 0, uid: 0)
        case nil: break
        }
        guard let key else { return gone }
        guard !isDraft || !hasLostDraft else {
            return .cannot("the version before it cannot come back: this one stays in \(mailbox.displayName)")
        }
        // A mail that opus wrote itself, such as a briefing, is a copy of nothing.
        guard isDraft || step.message.map({ isElsewhere($0, than: key) }) ?? true else {
            return .cannot("the copy in \(mailbox.displayName) is the only one left: it stays")
        }
        let digest = isDraft ? facts.digests[token] : step.outcome.digest
        let versions = digest.map { DraftVersions(own: [$0]) }
        return self.step(step, .remove(key, token: token, versions: versions), message: message)
    }

    /// Whether the message is at another place, outside the trash and junk unless the undo takes it from there.
    private func isElsewhere(_ message: EmailID, than key: MessageKey) -> Bool {
        facts.places[message, default: []].contains { place in
            let isAway = place.mailbox.role == .trash || place.mailbox.role == .junk
            return place.key != key && (!isAway || taken.contains(place.key))
        }
    }

    /// Restores a removed draft from the trash, or from the bytes that opus had appended.
    private mutating func putBack(_ step: Step) -> Undo.Answer {
        guard case .remove(let key, token: _, versions: _) = step.kind else {
            return .cannot("nothing was removed")
        }
        if step.proof?.kind == .gone { return .nothing("it was already gone") }
        if let message = step.message, let isCertain = sent[message] {
            return .nothing(
                "its mail \(isCertain ? "was" : "may have been") sent, so the draft does not come back")
        }
        if let row = step.id, facts.replaced.contains(row) {
            return .cannot("a later version of the draft was written or sent since")
        }
        if let there = trashed(step) { return self.step(step, .move(there.key, to: mailbox(key.mailbox))) }
        let undone = step.undoes.flatMap { facts.originals[$0] }
        guard let original = undone?.isAppend == true ? undone : step.id.flatMap({ facts.removed[$0] }) else {
            hasLostDraft = true
            return .cannot("it was removed for good")
        }
        var again = step
        again.message = original.message
        return self.step(again, original.kind)
    }

    private func trashed(_ step: Step) -> MessagePlace? {
        let places = step.message.flatMap { facts.places[$0] } ?? []
        return places.first { place in
            place.key.mailbox == step.outcome.place?.mailbox
                || (place.remoteName != nil && place.remoteName == step.outcome.remoteName)
        }
    }

    // MARK: Saved files

    /// Mails with the same file share it. The file is removed with the last of these mails, unless it existed
    /// before all of them.
    private func fileRemoval(_ step: Step) -> Undo.Answer {
        guard let path = step.outcome.path, let digest = step.outcome.digest else {
            return .cannot("the journal does not record what the step wrote")
        }
        let others = (facts.savers[path] ?? []).filter { $0.row != step.id && $0.digest == digest }
        guard step.outcome.pathBefore == nil || others.contains(where: { made($0, before: step) }) else {
            return .nothing("the file was there before")
        }
        guard let present = facts.files[path] else { return .nothing("\(path) is already gone") }
        guard present == digest else { return .cannot("\(path) was changed since") }
        let removal = inverseStep(step, .removeFile(path: path, digest: digest))
        let keepsIt = { (other: FileSaver) in other.undoneBy == nil && !together.contains(other.row) }
        return others.contains(where: keepsIt)
            ? .release(removal, "\(path) stays: another mail has the same file") : .inverse(removal)
    }

    /// Whether the other step created the file that this step found, and was not undone before it.
    private func made(_ other: FileSaver, before step: Step) -> Bool {
        guard other.isMaker, let row = step.id, other.row < row else { return false }
        return other.undoneBy.map { $0 > row } ?? true
    }

    /// Saves the file again from the mail.
    private func savedAgain(_ path: String, _ step: Step) -> Undo.Answer {
        guard facts.files[path] == nil else { return .nothing("\(path) is already back") }
        guard let original = step.undoes.flatMap({ facts.originals[$0] }), case .saveFile = original.kind
        else {
            return .cannot("the journal does not record which mail the file came from")
        }
        return self.step(step, original.kind)
    }

    // MARK: Task files

    private func present(_ id: TodoID) -> String? { restored[id]?.digest ?? facts.todos[id] }

    /// Whether the file is as the step left it and on the same list, apart from what opus noted since.
    private func isAsLeft(_ id: TodoID, _ step: Step) -> Bool {
        guard let digest = step.outcome.digest else { return false }
        if step.id.map({ facts.noted[$0] != nil }) == true { return true }
        return digest == restored[id]?.plain ?? facts.todos[id] && isOnList(id, step)
    }

    /// Whether the file is on the list where the step left it. A user who moved it since has edited the task.
    private func isOnList(_ id: TodoID, _ step: Step) -> Bool {
        guard let left = step.outcome.path.flatMap(Self.list),
            let present = restored[id].map(\.list) ?? facts.lists[id]
        else { return true }
        return present == left
    }

    private static func list(of path: String) -> GTDList? {
        path.split(separator: "/").first.map { GTDList(String($0)) }
    }

    private func removal(of id: TodoID, _ name: String, _ step: Step) -> Undo.Answer {
        guard step.outcome.pathBefore == nil else { return .nothing("its file was there before") }
        guard let present = present(id) else { return .nothing("its file is already gone") }
        guard step.outcome.digest != nil else {
            return .cannot("the journal does not record what the step wrote")
        }
        if isAsLeft(id, step) { return self.step(step, .removeTodo(id, digest: present)) }
        guard facts.isForced else { return .cannot("\(name) was edited since; --force cancels it instead") }
        return self.step(step, .updateTodo(id, TodoPatch(status: .cancelled)))
    }

    private mutating func restoration(of id: TodoID, _ step: Step) -> Undo.Answer {
        guard let path = step.outcome.pathBefore, let before = step.outcome.contentBefore,
            step.outcome.digest != nil
        else { return .cannot("the journal does not record what was there before") }
        guard let present = present(id) else { return .cannot("its file is gone") }
        let noted = step.id.flatMap { facts.noted[$0] }
        guard isAsLeft(id, step), noted == nil || noted?.before != nil else {
            return .cannot("the task was edited since")
        }
        let content = noted?.before ?? before
        restored[id] = (
            Hex.encode(SHA256.hash(content)), plain: Hex.encode(SHA256.hash(before)),
            list: Self.list(of: path)
        )
        return self.step(step, .restoreTodo(id, path: path, content: content, digest: present))
    }

    private mutating func returning(_ id: TodoID, _ step: Step) -> Undo.Answer {
        guard facts.todos[id] == nil else { return .nothing("its file is already back") }
        guard let path = step.outcome.pathBefore, let content = step.outcome.contentBefore else {
            return .nothing("there was no file")
        }
        let digest = Hex.encode(SHA256.hash(content))
        restored[id] = (digest, plain: digest, list: Self.list(of: path))
        return self.step(step, .restoreTodo(id, path: path, content: content, digest: nil))
    }
}

extension Step {
    /// Whether it puts a message into a mailbox.
    public var isAppend: Bool { if case .append = kind { true } else { false } }
}

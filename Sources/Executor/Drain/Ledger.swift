import MailStore
import Models

/// Collects the results of a running drain, and writes each to the journal as soon as it is known.
///
/// The trap: a step that was given up is no longer open, so it would not hold back other steps in the next
/// drain. So the steps that follow it are cancelled in the same transaction.
struct Ledger {
    let store: Store
    let now: Timestamp
    /// All open steps, in journal order.
    let steps: [Step]
    private(set) var report = DrainReport()
    /// Why the server for sending refused the login: this drain submits no more mail.
    private(set) var noMoreSubmissions: String?
    /// Why this drain could not reach the server for sending. That counts as an attempt for every mail that is due.
    var unreachableServer: String?
    /// The Message-IDs of mail that was in the account before this drain sent it: it has its copy there.
    var sentBefore: Set<MessageID> = []
    /// The numbers of the destinations of moves, as they were before the first move.
    var destinations: [MailboxName: MailboxNumbers] = [:]
    private let bySubject: [Step.Subject: [Step]]
    private var held: Set<Step.Subject> = []
    /// What is held back only because a rule cannot put a mail or a copy into a mailbox. The user may move the original
    /// meanwhile: the journal has the bytes.
    private var heldByAppend: Set<Step.Subject> = []
    /// Steps that are not due, and the steps that follow them.
    private var later: Set<Int64> = []
    /// Moves of a conversation whose own message stays.
    private var staying: Set<Int64> = []
    /// Read only when a step could not be done or is not due, which is rare.
    private var threads: [EmailID: ThreadID]?
    private var settled: Set<Int64> = []
    private var issued: Set<Int64> = []
    /// Results that will be written together; nil: each is written at once.
    private var gathered: [StepResult]?
    /// The account is a folder on this machine.
    private let isLocal: Bool
    private let wasTried: @Sendable (Int64) -> Bool
    private let isStopped: @Sendable () -> Bool

    /// `held` are steps of interrupted runs, which wait until the user confirms them.
    init(
        store: Store, steps: [Step], held: Set<Int64> = [], now: Timestamp, isLocal: Bool,
        wasTried: @escaping @Sendable (Int64) -> Bool = { _ in false },
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) throws {
        self.isLocal = isLocal
        self.wasTried = wasTried
        self.isStopped = isStopped
        self.store = store
        self.steps = steps
        self.now = now
        var bySubject: [Step.Subject: [Step]] = [:]
        for step in steps {
            for subject in step.subjects { bySubject[subject, default: []].append(step) }
        }
        self.bySubject = bySubject
        try putOff(held)
    }

    /// A step that is not due or not confirmed holds back the later steps of the same message only. A step on a
    /// task holds back those of its whole conversation.
    private mutating func putOff(_ held: Set<Int64>) throws {
        let isEarly = { [now] (step: Step) in
            step.state == .planned || step.id.map(held.contains) == true || !step.isDue(at: now)
        }
        // The removal of an old list may be older than the list that replaces it.
        let listWaits = steps.contains { Self.heldBack(by: $0).contains(.deferredList) && isEarly($0) }
        var waiting: Set<Step.Subject> = listWaits ? [.deferredList] : []
        var waitingForAppend: Set<Step.Subject> = []
        for step in steps {
            guard let id = step.id else { continue }
            let follows =
                step.subjects.contains(where: waiting.contains)
                || !Self.isMoveByHand(step) && step.subjects.contains(where: waitingForAppend.contains)
            guard isEarly(step) || follows else { continue }
            later.insert(id)
            if Self.isAppendByRule(step) {
                waitingForAppend.formUnion(Self.heldBack(by: step))
            } else {
                waiting.formUnion(Self.heldBack(by: step))
            }
            if step.writesTask { try waiting.formUnion(conversation(of: step).map(Step.Subject.message)) }
            try later.formUnion(companions(of: step).compactMap(\.id))
        }
    }

    func isHeld(_ step: Step) -> Bool {
        isStopped() || step.subjects.contains(where: held.contains)
            || !Self.isMoveByHand(step) && step.subjects.contains(where: heldByAppend.contains)
            || step.id.map { later.contains($0) || settled.contains($0) || staying.contains($0) } ?? false
    }

    func isIssued(_ step: Step) -> Bool { step.id.map(issued.contains) ?? false }

    func isSettled(_ step: Step) -> Bool { step.id.map(settled.contains) ?? false }

    /// If a task could not be written, the messages of its whole conversation stay in place.
    mutating func holdThread(of step: Step) throws {
        for message in try conversation(of: step) { held.insert(.message(message)) }
    }

    // MARK: Before

    /// The mark is on disk when this returns. `outcomes`: the state immediately before, by step id.
    mutating func issue(_ steps: [Step], _ outcomes: [Int64: StepOutcome] = [:]) throws {
        let ids = steps.compactMap(\.id)
        guard !ids.isEmpty else { return }
        try store.journal.markIssued(ids, at: now, outcomes: outcomes)
        issued.formUnion(ids)
    }

    /// Notes what is proven so far about steps that are not finished.
    func note(_ outcomes: [(step: Step, outcome: StepOutcome)]) throws {
        try store.journal.resolve(
            outcomes.compactMap { step, outcome in
                step.id.map { StepResult(id: $0, state: .issued, outcome: outcome) }
            })
    }

    // MARK: Results

    /// Writes all results of `body` in one transaction. `body` must not wait for a command.
    mutating func together(_ body: (inout Ledger) throws -> Void) throws {
        gathered = []
        defer { gathered = nil }
        try body(&self)
        let results = gathered ?? []
        gathered = nil
        if !results.isEmpty { try store.journal.resolve(results) }
    }

    mutating func confirm(
        _ step: Step, proof: Step.Proof, movedTo: MessageKey? = nil, remoteName: String? = nil,
        marks: Sighting? = nil, outcome: StepOutcome = StepOutcome(), wasDone: Bool = false
    ) throws {
        guard let id = step.id else { return }
        try record([
            StepResult(
                id: id, state: .confirmed, proof: proof, movedTo: movedTo, flags: marks?.flags,
                keywords: marks?.keywords, remoteName: remoteName, outcome: outcome)
        ])
        var done = step.settled(.confirmed, error: nil)
        // The step changed nothing, or not all that it should, and the report says why.
        if proof.kind == .shared || proof.kind == .keptAside { done.proof = proof }
        report.confirmed.append(done)
        if wasDone {
            report.alreadyDone += 1
            report.unchanged.insert(id)
        }
    }

    /// Confirms a removal that did not empty the place of the step: it removed another version, or nothing.
    mutating func confirmLeavingPlace(
        _ step: Step, proof: Step.Proof, outcome: StepOutcome = StepOutcome(), wasDone: Bool = false
    ) throws {
        guard let id = step.id else { return }
        var result = StepResult(id: id, state: .confirmed, proof: proof, outcome: outcome)
        result.leavesPlace = true
        try record([result])
        report.confirmed.append(step.settled(.confirmed, error: nil))
        if wasDone {
            report.alreadyDone += 1
            report.unchanged.insert(id)
        }
    }

    /// Records that a step was permanently refused. The rule may request it again, except for mail: only the
    /// user can fix a refused recipient.
    mutating func reject(
        _ step: Step, because reason: String, outcome: StepOutcome = StepOutcome()
    ) throws {
        let followers = try giveUp(step, .rejected, reason, outcome)
        report.rejected += [step.settled(.rejected, error: reason)] + followers
    }

    /// Records a permanent refusal that does not affect later steps: these continue, and the rule does not
    /// request the step again.
    mutating func rejectAlone(_ step: Step, because reason: String) throws {
        guard let id = step.id else { return }
        try record([StepResult(id: id, state: .rejected, error: reason)])
        report.rejected.append(step.settled(.rejected, error: reason))
    }

    /// Records that the server never does the step. Marks that it refuses stop no other step: otherwise the message would
    /// never be moved, and the next run would begin again.
    mutating func rejectForGood(_ step: Step, because reason: String) throws {
        guard case .store = step.kind else { return try reject(step, because: reason) }
        try rejectAlone(step, because: reason)
    }

    /// Records a permanent refusal and cancels the steps that follow. The rule does not request it again,
    /// because it would fail again.
    mutating func refuse(_ step: Step, because reason: String) throws {
        let followers = try giveUp(step, .rejected, reason, forgets: false)
        report.rejected += [step.settled(.rejected, error: reason)] + followers
    }

    /// Nothing happened: the step is tried again or given up, as ``Backoff`` decides.
    mutating func postpone(
        _ step: Step, because reason: String, proof: Step.Proof? = nil, isOnOwnDisk: Bool = false,
        isUnreachable: Bool = false
    ) throws {
        // For a failure on this machine, no waiting time is set: the next run tries again, for example once there is space on
        // the disk. One command executes steps several times.
        let isOwn = isOnOwnDisk || step.writesTask || (isLocal && !step.submits)
        let isAgain = isOwn && step.id.map(wasTried) == true
        let attempts = step.attempts + (isAgain ? 0 : 1)
        switch Backoff.verdict(
            on: step, attempts: attempts, reason: reason, isUnreachable: isUnreachable, now: now)
        {
        case .givenUp(let reason): try rejectForGood(step, because: reason)
        case .again(let time):
            let proof = proof ?? (step.proof?.kind == .lost ? Step.Proof(.notSent) : nil)
            try leave(
                step, .ready,
                StepResult(
                    id: step.id ?? 0, state: .ready, proof: proof, error: reason,
                    dueAt: isOwn ? nil : time, attempts: attempts))
        }
    }

    /// The step was not tried, and nothing is wrong with it: it waits, and no attempt is counted.
    mutating func wait(_ step: Step, because reason: String, until time: Timestamp? = nil) throws {
        try leave(
            step, .ready,
            StepResult(
                id: step.id ?? 0, state: .ready, error: reason, dueAt: time, attempts: step.attempts))
    }

    /// Holds a mail that the interrupted run had not sent until the user confirms it.
    mutating func holdAfterCrash(_ step: Step) throws {
        try hold(step)
        guard let id = step.id else { return }
        try record([
            StepResult(id: id, state: .ready, attempts: step.attempts),
            StepResult(id: id, state: .planned, hold: .crash),
        ])
        report.later.append(step.settled(.planned, hold: .crash))
        let following = step.subjects.flatMap { bySubject[$0] ?? [] }.compactMap(\.id)
        later.formUnion(following.filter { $0 > id })
    }

    /// The result of an issued step is unknown. A step that was not issued did not happen, so it waits: the connection was
    /// lost when opus only looked at its message.
    ///
    /// `isAlone`: the connection was lost, and no other step can be the cause.
    mutating func loseTrack(of step: Step, because reason: String, isAlone: Bool = false) throws {
        let isIssued = step.id.map(issued.contains) ?? false
        guard isIssued || step.state == .reconciling else {
            if step.submits { return try wait(step, because: reason) }
            let losses = step.attempts + 1
            let dueAt = isAlone && !isLocal ? Backoff.afterLosses(losses, now: now) : nil
            return try leave(
                step, .ready,
                StepResult(
                    id: step.id ?? 0, state: .ready, proof: Step.Proof(.lost), error: reason, dueAt: dueAt,
                    attempts: losses))
        }
        // A step that is being reconciled was issued by an earlier drain, so its result is unknown, too.
        let dueAt =
            isAlone && isIssued && !step.submits ? Backoff.afterLosses(step.attempts + 1, now: now) : nil
        try leave(
            step, .unknown, StepResult(id: step.id ?? 0, state: .unknown, error: reason, dueAt: dueAt))
    }

    mutating func ask(
        about step: Step, because reason: String, outcome: StepOutcome = StepOutcome()
    ) throws {
        let followers = try giveUp(step, .needsDecision, reason, outcome)
        report.undecided.append(step.settled(.needsDecision, error: reason))
        report.rejected += followers
    }

    /// The server for sending refused the login: this drain submits no more mail.
    mutating func refuseSending(because reason: String) {
        noMoreSubmissions = reason
        report.refusedSending = reason
    }

    mutating func interrupted(by interruption: Interruption) {
        report.interruption = interruption.reason
        report.halt = interruption.halt
    }

    /// Adds the steps that were not tried: they wait because an earlier step of their message failed, or
    /// because they are not due.
    func closed() -> DrainReport {
        var report = report
        for step in steps {
            guard let id = step.id, !settled.contains(id) else { continue }
            if later.contains(id) { report.later.append(step) } else { report.waiting.append(step) }
        }
        return report
    }

    private mutating func leave(_ step: Step, _ state: Step.State, _ result: StepResult) throws {
        try hold(step)
        guard let id = step.id else { return }
        try record([result])
        report.tried.insert(id)
        report.waiting.append(step.settled(state, error: result.error))
    }

    /// Cancels the steps that follow the given step. All other steps of its messages continue.
    ///
    /// One transaction: if the process is killed, no follower remains without the step that it follows.
    private mutating func giveUp(
        _ step: Step, _ state: Step.State, _ reason: String, _ outcome: StepOutcome = StepOutcome(),
        forgets: Bool = true
    ) throws -> [Step] {
        if state != .rejected { try hold(step) }
        guard let id = step.id else { return [] }
        let forgets = forgets && state == .rejected && !step.submits
        let followers = try followers(of: step).map {
            $0.settled(.cancelled, error: reason, hold: .follows)
        }
        let cancelled = followers.compactMap { follower in
            follower.id.map {
                StepResult(
                    id: $0, state: .cancelled, error: reason, hold: .follows, forgetsMatch: forgets)
            }
        }
        try record(
            [StepResult(id: id, state: state, error: reason, forgetsMatch: forgets, outcome: outcome)]
                + cancelled)
        return followers
    }

    /// The steps to cancel when a step is given up. Steps that may already have happened are left out.
    private mutating func followers(of step: Step) throws -> [Step] {
        var subjects = Set(step.subjects)
        if step.writesTask { try subjects.formUnion(conversation(of: step).map(Step.Subject.message)) }
        var seen: Set<Int64> = []
        let own = subjects.flatMap { bySubject[$0] ?? [] }.filter { $0.follows(step) }
        return try (own + companions(of: step)).filter {
            guard let id = $0.id, seen.insert(id).inserted else { return false }
            return !isSettled($0) && $0.state.canBecome(.cancelled)
        }.sorted { ($0.id ?? 0) < ($1.id ?? 0) }
    }

    /// The moves of other messages that only go along with the message of this step. If its mail, copy or file cannot be
    /// made, they stay with it.
    private mutating func companions(of step: Step) throws -> [Step] {
        guard Self.makesMailOrFile(step), let message = step.message else { return [] }
        let moves = (bySubject[.message(message)] ?? []).filter {
            Self.destination(of: $0) != nil && $0.follows(step)
        }
        guard !moves.isEmpty else { return [] }
        return try conversation(of: step).filter { $0 != message }.flatMap { other in
            let steps = bySubject[.message(other)] ?? []
            return steps.filter { candidate in
                let destination = Self.destination(of: candidate)
                return moves.contains {
                    $0.cause == candidate.cause && Self.destination(of: $0) == destination
                }
                    && steps.allSatisfy { Self.destination(of: $0) != nil || $0.cause != candidate.cause }
            }
        }
    }

    /// What the step holds back while it waits. A new list of deferred messages does not wait until an old one is gone.
    private static func heldBack(by step: Step) -> [Step.Subject] {
        if case .remove = step.kind { return step.subjects.filter { $0 != .deferredList } }
        return step.subjects
    }

    /// Whether the step makes something from its message: a mail, a copy, or a file.
    private static func makesMailOrFile(_ step: Step) -> Bool {
        switch step.kind {
        case .append, .submit, .saveFile: true
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .store, .move, .remove, .wait, .removeFile,
            .list,
            .createMailbox, .editThreads:
            false
        }
    }

    private static func isAppendByRule(_ step: Step) -> Bool {
        if case .append = step.kind { step.cause.rule != nil } else { false }
    }

    private static func isMoveByHand(_ step: Step) -> Bool {
        destination(of: step) != nil && step.cause.isByHand
    }

    /// The mailbox to which the step moves its message; nil: it moves none.
    private static func destination(of step: Step) -> MailboxName? {
        if case .move(_, to: let mailbox) = step.kind { mailbox.name } else { nil }
    }

    /// Messages with open steps in the thread of the step's message.
    private mutating func conversation(of step: Step) throws -> [EmailID] {
        guard let message = step.message else { return [] }
        let messages = bySubject.keys.compactMap(\.message)
        if threads == nil {
            let facts = try store.messages.facts(.ids(messages))
            threads = Dictionary(facts.map { ($0.id, $0.thread) }, uniquingKeysWith: { first, _ in first })
        }
        guard let thread = threads?[message] else { return [message] }
        return messages.filter { threads?[$0] == thread }
    }

    private mutating func hold(_ step: Step) throws {
        if Self.isAppendByRule(step) {
            heldByAppend.formUnion(Self.heldBack(by: step))
        } else {
            held.formUnion(Self.heldBack(by: step))
        }
        try staying.formUnion(companions(of: step).compactMap(\.id))
    }

    private mutating func record(_ results: [StepResult]) throws {
        if gathered == nil {
            try store.journal.resolve(results)
        } else {
            gathered?.append(contentsOf: results)
        }
        for result in results { settled.insert(result.id) }
    }
}

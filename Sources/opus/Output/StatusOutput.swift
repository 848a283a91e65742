import Models
import Pipeline

/// Shows `opus status` on one screen: the watch, each account, and what waits.
struct StatusOutput {
    let console: Console
    let session: Session

    /// With more steps than this, opus shows counts.
    private static let mostSteps = 15
    private static let mostGroups = 15

    private var when: When { When(zone: session.zone, now: session.now) }

    private func time(_ time: Timestamp) -> String {
        console.isTerminal ? when.moment(time) : session.zone.rfc3339(time)
    }

    // MARK: The watch

    func show(_ watch: WatchStatus) {
        guard let record = watch.record else { return }
        guard watch.isRunning else {
            return warn("opus watch ended unexpectedly; last sign of life \(time(record.written))")
        }
        say("watch: running since \(time(record.started)) (process \(record.process))")
        if watch.isSilent {
            warn("opus watch does not answer; this is what it last wrote, at \(time(record.written))")
        }
        for setback in record.setbacks { warn(TerminalText.line(setback)) }
    }

    func show(_ status: AccountStatus, _ watch: WatchStatus) {
        let sync = status.lastSync.map { "last sync \(time($0))" } ?? "never synced"
        let rest = status.isClear ? "; nothing is waiting" : ""
        say("\(status.account): \(sync)\(rest)")
        if let end = status.loginEnds {
            let verb = end <= session.now ? "ended" : "ends"
            warn("\(status.account): the login \(verb) at \(time(end)): opus account login \(status.account)")
        }
        guard watch.isRunning, let record = watch.record,
            let account = record.accounts.first(where: { $0.account == status.account })
        else { return }
        say("\(status.account): \(words(account))")
        if let silence = record.silence(of: account, at: session.now) {
            warn("\(status.account): no sync for \(silence / 60) minutes")
        }
        if let reason = account.heldBecause {
            warn("\(status.account): \(TerminalText.line(reason)); nothing was applied (opus run)")
        }
        for reason in account.kept ?? [] { warn("\(status.account): \(TerminalText.line(reason))") }
    }

    /// Shows the size of the store on disk.
    func show(_ care: StoreCare) {
        let originals = care.originalBytes
        let more = originals > 0 ? ", originals \(ByteCount.words(originals))" : ""
        say("store: \(ByteCount.words(care.bytes))\(more)")
    }

    private func words(_ account: AccountWatch) -> String {
        let again = account.nextTry.map { "; again at \(time($0))" } ?? ""
        let reason = account.reason.map { ": " + TerminalText.line($0) } ?? ""
        switch account.phase {
        case .listening: return "listening (\(account.method ?? "polling"))"
        case .idle: return "waits" + reason + again
        case .error: return "needs you" + reason
        case .connecting, .authenticating, .tokenRefresh, .mailboxes, .headers, .bodies, .indexing:
            return account.phase.rawValue + " since \(time(account.since))" + reason
        }
    }

    /// The result of the command.
    private func say(_ text: String) { if !console.isQuiet { console.print(text) } }

    private func warn(_ text: String) { console.warn(console.style.yellow("! ") + text) }

    // MARK: Steps

    /// A step, and why its account cannot be reached; nil: the step waits for something else.
    private typealias Entry = (unfinished: UnfinishedStep, wait: QueueWait?)

    func showSteps(of accounts: [AccountStatus], _ watch: WatchStatus) throws {
        let entries = accounts.flatMap { account in
            (account.needsWord + account.waiting + account.refused).map { entry -> Entry in
                (entry, account.wait(of: entry, watch, at: session.now))
            }
        }
        guard !entries.isEmpty else { return }
        guard entries.count > Self.mostSteps else { return try showEach(entries) }
        showGroups(entries)
    }

    private func showEach(_ entries: [Entry]) throws {
        let ids = try session.messages.shortIDs(entries.compactMap(\.unfinished.step.message))
        var table = Table([
            .init(title: "STATE"), .init(title: "RUN"), .init(title: "ID"), .init(title: "AGAIN"),
            .init(title: "STEP", isFlexible: true), .init(title: "REASON", isFlexible: true),
        ])
        for entry in entries {
            let step = entry.unfinished.step
            table.add([
                StepWord.state(step.state), entry.unfinished.run.description,
                step.message.flatMap { ids[$0] } ?? "-", again(entry), StepWord.of(step.kind, when),
                reason(entry),
            ])
        }
        console.print(table)
    }

    private func again(_ entry: Entry) -> String {
        let step = entry.unfinished.step
        if let next = entry.wait?.nextTry { return time(next) }
        return step.dueAt.map(time) ?? (step.state == .ready ? "next run" : "-")
    }

    private func reason(_ entry: Entry) -> String {
        let word: String? =
            switch entry.wait?.halt {
            case .offline, .lost: "offline: "
            case .loginRefused, nil: nil
            }
        return TerminalText.line((word ?? "") + (entry.unfinished.step.reason ?? entry.wait?.reason ?? ""))
    }

    private struct Group: Hashable {
        var state: String
        var step: String
        var reason: String
    }

    /// What they do and why they wait, the most frequent first; each with its number and the time of the next one.
    private func showGroups(_ entries: [Entry]) {
        var order: [Group] = []
        var members: [Group: [Entry]] = [:]
        for entry in entries {
            let step = entry.unfinished.step
            let group = Group(
                state: StepWord.state(step.state),
                step: String(StepWord.done(step.kind).trimmingPrefix("× ")), reason: reason(entry))
            if members[group] == nil { order.append(group) }
            members[group, default: []].append(entry)
        }
        let number = { (group: Group) in members[group]?.count ?? 0 }
        let sorted = order.enumerated().sorted {
            (number($1.element), $0.offset) < (number($0.element), $1.offset)
        }.map(\.element)
        var table = Table([
            .init(title: "STATE"), .init(title: "STEPS"), .init(title: "AGAIN"),
            .init(title: "STEP", isFlexible: true), .init(title: "REASON", isFlexible: true),
        ])
        for group in sorted.prefix(Self.mostGroups) {
            let steps = members[group] ?? []
            let first = steps.min {
                ($0.unfinished.step.dueAt?.seconds ?? 0) < ($1.unfinished.step.dueAt?.seconds ?? 0)
            }
            table.add([
                group.state, "\(steps.count)", first.map(again) ?? "-", group.step, group.reason,
            ])
        }
        console.print(table)
        let rest = sorted.dropFirst(Self.mostGroups).map(number).reduce(0, +)
        let more = rest > 0 ? "; \(rest) of them are not listed" : ""
        say("\(counted(entries.count, "step")) in all\(more) (opus status --json)")
    }

    func showInterrupted(_ accounts: [AccountStatus]) {
        for status in accounts where !status.interrupted.isEmpty {
            let runs = status.interrupted.map(\.description).joined(separator: ", ")
            say(
                "\(status.account): \(runs) \(status.interrupted.count == 1 ? "was" : "were") interrupted; opus run asks whether to finish, opus undo reverses"
            )
        }
    }
}

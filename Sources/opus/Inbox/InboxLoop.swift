import Foundation
import Glibc
import Models
import Pipeline
import Rules

/// Runs the session: waits for keys and events, draws the screen, and starts long work on other threads.
///
/// It runs on its own thread, and waits only for the terminal and for the store to return one message.
final class InboxLoop: @unchecked Sendable {
    /// Events from other threads.
    enum Event: Sendable {
        case news(InboxNews)
        case found(String, Set<EmailID>)
        case lines(String, [String])
        case rule(MadeRule, InboxItem)
        case unsubscribe(UnsubscribePlan, InboxItem)
        case said(String)
        case failed(String)
        case draft(OpenDraft, InboxItem)
        case saved(InboxItem)
        case stop
    }

    /// How the session ended.
    enum Ending: Sendable {
        case quit
        /// A signal ended it, or the terminal was closed.
        case stopped
    }

    private let session: Session
    private let console: Console
    private let environment: [String: String]
    private let account: String?
    private let terminal: TerminalScreen
    let waker = LoopWaker<Event>()
    private(set) var screen: InboxScreen
    private let inbox: Inbox
    private var desk: InboxDesk?
    private var reader = ScreenKeys()
    /// When the last byte was read.
    private var lastInput = 0.0
    private var readings: [Int: InboxReading] = [:]
    private var lines: [LineKey: [ScreenLine]] = [:]
    private var lastTry = 0.0

    private struct LineKey: Hashable {
        var item: Int
        var width: Int
    }

    /// The pause between two attempts to reach an account, in seconds.
    private static let retryPause = 15.0
    /// The number of read messages kept in memory.
    private static let mostReadings = 30
    /// How long the program waits for its stop signal, in milliseconds.
    private static let stopPause: Int32 = 200

    init(_ session: Session, _ items: [InboxItem], global: GlobalOptions, console: Console) {
        self.session = session
        self.console = console
        environment = global.environment
        account = global.account
        inbox = session.inbox
        terminal = TerminalScreen(
            style: Style(choice: global.color, environment: global.environment, isTerminal: true))
        screen = InboxScreen(items, at: Self.now)
        screen.check = { [inbox] verb, item in
            do {
                try inbox.check(verb, of: item)
                return nil
            } catch {
                return Problem(error).message
            }
        }
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Runs on its own thread until the user quits.
    func run(_ desk: InboxDesk) async -> Ending {
        self.desk = desk
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let thread = Thread { continuation.resume(returning: self.loop()) }
                thread.stackSize = 8 << 20
                thread.start()
            }
        } onCancel: {
            waker.post(.stop)
        }
    }

    private func loop() -> Ending {
        waker.wake(on: [SIGWINCH, SIGTERM, SIGHUP, SIGCONT])
        defer { SignalWake.stop() }
        terminal.enter()
        defer { terminal.leave() }
        draw()
        while true {
            let pause = patience ?? 1_000
            let (hasInput, signals) = waker.wait(for: STDIN_FILENO, milliseconds: pause)
            if signals.contains(SIGTERM) || signals.contains(SIGHUP) { return .stopped }
            // The program was stopped and continued; meanwhile the shell used the terminal.
            if signals.contains(SIGCONT) { terminal.enterAgain() }
            if !signals.isDisjoint(with: [SIGWINCH, SIGCONT]) {
                lines = [:]
                terminal.forget()
            }
            var keys: [Key] = []
            if hasInput {
                guard let new = input() else { return .stopped }
                keys = reader.read(new)
                lastInput = Self.now
            } else if patience == 0 {
                keys = reader.pause()
            }
            for event in waker.take() {
                if case .stop = event { return .stopped }
                hear(event)
            }
            for key in keys {
                for effect in screen.press(key, at: Self.now) {
                    if effect == .quit { return .quit }
                    perform(effect)
                }
            }
            screen.pending = desk?.pending ?? 0
            draw()
            prepare()
            retry()
        }
    }

    /// How long to wait for the rest of an incomplete key, in milliseconds; nil: every key is complete. News
    /// from an account may end the wait early, so the time counts from the last byte.
    private var patience: Int32? {
        reader.patience.map { max(0, $0 - Int32(min(1_000, (Self.now - lastInput) * 1_000))) }
    }

    /// The bytes typed; nil: the terminal was closed.
    private func input() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    /// Stops the program, as Ctrl-Z does elsewhere; `fg` in the shell continues it.
    private func suspend() {
        terminal.leave()
        kill(0, SIGTSTP)
        // The program stops during this wait. The system ignores the signal if no shell can continue the program.
        let (_, signals) = waker.wait(for: -1, milliseconds: Self.stopPause)
        if !signals.isDisjoint(with: [SIGTERM, SIGHUP]) { return waker.post(.stop) }
        lines = [:]
        terminal.enter()
    }

    private func retry() {
        guard screen.offline != nil, Self.now - lastTry > Self.retryPause else { return }
        lastTry = Self.now
        desk?.retry()
    }

    // MARK: Drawing

    private var when: When { When(zone: session.zone, now: session.now) }

    private func draw() {
        let focused = screen.model.focused
        let frame = InboxFrame(screen, terminal.size, when) { width in
            focused.map { text(of: $0, width: width) } ?? []
        }
        screen.page = frame.page
        terminal.draw(frame.lines, cursor: frame.cursor)
    }

    private func text(of item: Int, width: Int) -> [ScreenLine] {
        let key = LineKey(item: item, width: width)
        if let known = lines[key] { return known }
        let made: [ScreenLine]
        do {
            made = ReadingText(reading: try reading(of: item), when: when).lines(width: width)
        } catch {
            made = [ScreenLine(TerminalText.line(Problem(error).message), .warning)]
        }
        if lines.count > Self.mostReadings { lines = [:] }
        lines[key] = made
        return made
    }

    private func reading(of item: Int) throws -> InboxReading {
        if let known = readings[item] { return known }
        let reading = try inbox.reading(of: screen.model.items[item])
        if readings.count > Self.mostReadings { readings = [:] }
        readings[item] = reading
        return reading
    }

    /// Reads the next message in advance.
    private func prepare() {
        let next = screen.model.focus + 1
        guard screen.model.rows.indices.contains(next) else { return }
        _ = try? reading(of: screen.model.rows[next])
    }

    // MARK: Long work

    private func perform(_ effect: InboxScreen.Effect) {
        switch effect {
        case .order(let order): desk?.submit(order)
        case .undo(let number): desk?.undo(number)
        case .redraw: terminal.forget()
        case .suspend: suspend()
        case .quit: break
        case .search(let text):
            look { [session, inbox, account] in
                guard
                    let query = try QueryText.parse([text], session)
                else { return .failed("the query is empty") }
                return .found(text, try inbox.search(query, account: account))
            }
        case .explain(let item):
            let when = when
            look { [session] in
                let explanation = try session.rules.explain(item.messages[0].rawValue, rule: nil)
                let text = ExplainText(
                    when: when, style: Style(choice: .never, environment: [:], isTerminal: false), width: nil,
                    names: try session.messages.shortIDs(explanation.others))
                return .lines("Rules", text.lines(explanation))
            }
        case .makeRule(let items, let action):
            look { [session] in
                let made = try session.rules.make(
                    from: items.flatMap { $0.messages.map(\.rawValue) }, actions: [action], fileName: nil)
                return .rule(made, items[0])
            }
        case .planUnsubscribe(let item):
            look { [session] in
                let plan = try session.unsubscribing.plan(item.messages[0].rawValue)
                if let words = try UnsubscribeText.alreadyAsked(plan, session) { return .failed(words) }
                return .unsubscribe(plan, item)
            }
        case .unsubscribe(let item): unsubscribe(item)
        case .writeRule(let path, let text, let item): order(.rule(path: path, text: text), item)
        case .write(let writing, let item): write(writing, item)
        }
    }

    private func look(_ body: @escaping @Sendable () async throws -> Event) {
        let waker = waker
        Task(executorPreference: WorkThreads.shared) {
            do {
                waker.post(try await body())
            } catch let failure as DiagnosticFailure {
                waker.post(
                    .lines("Not understood", failure.diagnostics.map { DiagnosticText.of($0) }))
            } catch {
                waker.post(.failed(Problem(error).message))
            }
        }
    }

    private func unsubscribe(_ item: InboxItem) {
        look { [session] in
            let plan = try session.unsubscribing.plan(item.messages[0].rawValue)
            // The user may press the key again before the first answer comes.
            if let words = try UnsubscribeText.alreadyAsked(plan, session) { return .failed(words) }
            if case .post(let address) = plan.way {
                try await session.unsubscribing.post(address, plan, caFile: nil)
                return .said("\(address.server) accepted the request.")
            }
            guard let draft = try session.unsubscribing.draft(plan) else {
                return .failed("the message does not offer a way to unsubscribe")
            }
            _ = try session.drafts.keep(draft)
            try session.unsubscribing.note(plan, draft: draft)
            return .saved(item)
        }
    }

    private func write(_ writing: InboxScreen.Writing, _ item: InboxItem) {
        let id = item.messages[0].rawValue
        let purpose: MailWish.Purpose =
            switch writing {
            case .reply: .reply(id)
            case .replyAll: .replyAll(id)
            case .forward: .forward(id)
            }
        screen.status = .init(text: "Reading the original…")
        look { [session] in
            .draft(try session.drafts.keep(try await session.composing.compose(MailWish(purpose))), item)
        }
    }

    // MARK: Events

    private func hear(_ event: Event) {
        switch event {
        case .news(let news): screen.hear(news)
        case .found(let query, let messages):
            screen.query = query
            let model = screen.model
            screen.model.show(
                only: Set(model.left.filter { !messages.isDisjoint(with: model.items[$0].messages) }))
            screen.scroll = 0
        case .lines(let title, let lines):
            screen.mode = .lines(
                title: title, lines.flatMap { $0.split(separator: "\n").map(String.init) }, scroll: 0)
        case .said(let words): screen.status = .init(text: words)
        case .failed(let reason): screen.status = .init(text: reason, isWarning: true)
        case .rule(let rule, let item): ask(about: rule, item)
        case .unsubscribe(let plan, let item): ask(about: plan, item)
        case .saved(let item): order(.draft, item)
        case .draft(let draft, let item): edit(draft, item)
        case .stop: break
        }
    }

    /// What was said after the screen was left.
    func hearTheRest() {
        for case .news(let news) in waker.take() { screen.hear(news) }
    }

    private func order(_ verb: InboxVerb, _ item: InboxItem) {
        guard let index = screen.model.items.firstIndex(of: item),
            let order = screen.model.decide(verb, only: index)
        else { return }
        screen.status = .init(text: verb.word)
        desk?.submit(order)
    }

    private func ask(about rule: MadeRule, _ item: InboxItem) {
        let path = inbox.newPath(ofRule: rule.id)
        let text = rule.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        screen.mode = .lines(
            title: "Write this rule to \(path)?", rule.notes.map { "! " + $0 } + text, scroll: 0,
            then: .writeRule(path: path, text: rule.text, item))
    }

    private func ask(about plan: UnsubscribePlan, _ item: InboxItem) {
        var words: [String]
        switch plan.way {
        case .post(let address): words = ["Ask \(address.server) to unsubscribe you? This cannot be undone."]
        case .mail(let to, subject: _, body: _): words = ["Write a draft to \(to) that leaves the list?"]
        case .page: words = []
        }
        words += plan.warnings.map { "(" + $0 + ")" }
        screen.mode = .question(words, .unsubscribe(item))
    }

    /// The editor has the terminal meanwhile.
    private func edit(_ draft: OpenDraft, _ item: InboxItem) {
        terminal.leave()
        defer { terminal.enter() }
        do {
            let edited = try Editing(session: session, console: console, environment: environment).edit(
                draft, isNew: true)
            if edited != nil { order(.draft, item) }
        } catch is Outcome {
            screen.status = .init(text: "You typed nothing, so no draft was saved.")
        } catch {
            screen.status = .init(text: Problem(error).message, isWarning: true)
        }
    }
}

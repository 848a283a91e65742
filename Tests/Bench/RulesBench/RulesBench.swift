/// Plans over a store that was made without a server, and prints how long each part took, in milliseconds.
///
///     rules-bench make STORE COUNT                  a store with so many messages in its inbox
///     rules-bench rules senders|mixed COUNT         a rule file, on standard output
///     rules-bench plan STORE senders|mixed COUNT [REPEAT]
///     rules-bench hostile                           200 patterns, each over a mebibyte
import Glibc
import MIMEParser
import MailStore
import Models
import Planner
import Rules
import Synchronization

@main
enum RulesBench {
    static func main() throws {
        let words = CommandLine.arguments
        switch words.dropFirst().first {
        case "make" where words.count == 4: try Corpus.write(Int(words[3]) ?? 0, to: words[2])
        case "rules" where words.count == 4: print(file(words[2], Int(words[3]) ?? 0), terminator: "")
        case "plan" where words.count >= 5:
            for _ in 0..<(words.count > 5 ? Int(words[5]) ?? 1 : 1) {
                try plan(words[2], file(words[3], Int(words[4]) ?? 0))
            }
        case "hostile": try hostile()
        case _:
            print("usage: rules-bench make STORE COUNT | rules KIND COUNT | plan STORE KIND COUNT | hostile")
        }
    }

    private static func file(_ kind: String, _ count: Int) -> String {
        kind == "mixed" ? RuleFiles.mixed(count) : RuleFiles.senders(count)
    }

    private static func plan(_ path: String, _ text: String) throws {
        let store = try Store.open(path: path)
        defer { store.close() }
        var watch = Watch()
        let rules = compiled(text)
        watch.lap("rules")
        var context = RuleContext(now: Corpus.newest, timeZone: "Europe/Paris")
        context.me = [EmailAddress(localPart: "ana", domain: "acme.example")]
        context.mailboxes = try store.sync.mailboxes(of: Corpus.account)
        context.known = try store.sync.writtenTo(accounts: [Corpus.account])
        watch.lap("context")
        let inbox = try store.messages.facts(.role(Corpus.account, .inbox))
        watch.lap("facts")
        let read = Mutex(0)
        let names = rules.headerNames ?? []
        let plan = try Planning.decide(
            inbox: inbox, rules: rules, context: context, account: Corpus.account, rulesDigest: "",
            mailboxes: [], todoRules: [:]
        ) { ids, needs in
            read.withLock { $0 += ids.count }
            return try store.messages.contents(
                of: ids, including: needs.contains(.text) ? [.headers, .text] : .headers,
                decodeHeaders: { HeaderBlock.fields(of: $0, named: names) })
        }
        watch.lap("plan")
        let touched = plan.items.count { !$0.isUntouched }
        print(
            watch.text,
            "messages \(plan.items.count) touched \(touched) read \(read.withLock(\.self)) \(plan.id) peak-MiB \(peak)"
        )
    }

    private static func compiled(_ text: String) -> RuleSet {
        let (rules, findings) = RuleSet.compile(
            [.init(file: "bench.yaml", text: text)], accounts: [], readList: { _ in nil })
        for finding in findings where finding.severity == .error { print(finding) }
        return rules
    }

    /// The slowest of them, each the best of three.
    private static func hostile() throws {
        let texts = [
            String(repeating: "a", count: 1 << 20), String(repeating: "ab ", count: (1 << 20) / 3),
            String(repeating: "aé", count: (1 << 20) / 3),
        ]
        var slowest: [(milliseconds: Double, pattern: String)] = []
        var refused = 0
        for pattern in RuleFiles.hostile {
            let quoted = pattern.split(separator: "'", omittingEmptySubsequences: false).joined(
                separator: "''")
            let rules = RuleSet.compile(
                [
                    .init(
                        file: "a.yaml",
                        text:
                            "rules-version: 1\nrules:\n  - { id: r, when: { body: { matches: '\(quoted)' } }, then: flag }\n"
                    )
                ], accounts: [], readList: { _ in nil }
            ).rules
            guard !rules.needs.isEmpty else {
                refused += 1
                continue
            }
            let times = texts.map { text -> Double in
                let facts = facts(text)
                let context = RuleContext(now: Corpus.newest, timeZone: "UTC")
                let all = (0..<3).map { _ in
                    Watch.milliseconds(ContinuousClock().measure { _ = rules.evaluate(facts, in: context) })
                }
                return all.min() ?? 0
            }
            slowest.append((times.max() ?? 0, pattern))
        }
        slowest.sort { $0.milliseconds > $1.milliseconds }
        print("\(slowest.count) patterns judged, \(refused) refused, the slowest:")
        for entry in slowest.prefix(5) { print(Watch.shown(entry.milliseconds), "ms ", entry.pattern) }
    }

    private static func facts(_ text: String) -> MessageFacts {
        let inbox = Mailbox(account: Corpus.account, name: .inbox, displayName: "INBOX", role: .inbox)
        var facts = MessageFacts(
            id: EmailID(rawValue: "m1"),
            key: MessageKey(account: Corpus.account, mailbox: .inbox, uidValidity: 1, uid: 1), mailbox: inbox,
            thread: ThreadID(rawValue: "m1"), received: Corpus.newest)
        facts.text = text
        return facts
    }

    /// The largest resident size so far.
    private static var peak: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Int(usage.ru_maxrss) / 1024
    }
}

/// Time, part by part.
struct Watch {
    private var last = ContinuousClock.now
    private var laps: [String] = []

    mutating func lap(_ name: String) {
        let now = ContinuousClock.now
        laps.append(name + " " + Self.shown(Self.milliseconds(now - last)))
        last = now
    }

    var text: String { laps.joined(separator: "  ") }

    static func milliseconds(_ time: Duration) -> Double {
        Double(time.components.seconds) * 1_000 + Double(time.components.attoseconds) / 1e15
    }

    static func shown(_ milliseconds: Double) -> String { String(Double(Int(milliseconds * 10)) / 10) }
}

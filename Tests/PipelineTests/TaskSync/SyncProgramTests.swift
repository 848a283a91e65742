import Testing

@testable import Pipeline

@Suite("programs that sync the task folder")
struct SyncProgramTests {
    @Test("opus reads from vdirsyncer's messages which lists it refuses to empty")
    func emptied() {
        let said = """
            Syncing tasks/next
            error: tasks/next: Storage "local/next" was completely emptied. If you want to delete ALL entries on BOTH sides, \
            then use `vdirsyncer sync --force-delete tasks/next`.
            error: tasks/some day: Storage "remote/some day" was completely emptied. If you want
            error: tasks/next: Storage "local/next" was completely emptied.
            error: Unknown error occurred for tasks/waiting: Session is closed
            """
        #expect(
            SyncProgram.emptied(said) == [
                .init(pair: "tasks/next", list: "next", isThere: false),
                .init(pair: "tasks/some day", list: "some day", isThere: true),
            ])
        #expect(SyncProgram.emptied("error: was completely emptied\nwas completely emptied: error: /") == [])
    }

    @Test(
        "the reason of a failed sync is one line",
        arguments: [
            (
                "Discovering collections\nwarning: Failed\nerror: Unknown error occurred: 401, message='Unauthorized'\n",
                "the calendar server refused the login"
            ),
            ("critical: Detected change in config file\n", "Detected change in config file"),
            ("error: Use `-vdebug` to see the full traceback.\nerror: no route\nerror: more", "no route"),
            ("  what it said last\n", "what it said last"), ("", "the program ended with 3"),
        ])
    func reason(said: String, wanted: String) {
        #expect(SyncProgram.reason(said, status: 3) == wanted)
    }

    @Test("a long line is cut")
    func long() {
        #expect(SyncProgram.reason("error: " + String(repeating: "x", count: 10_000), status: 1).count == 301)
    }

    @Test("a configuration counts as written by opus until it is changed")
    func own() {
        let text = SyncProgramText(
            program: .vdirsyncer, url: "https://dav.example.org/", user: "ana",
            passwordCommand: ["pass", "show x"],
            conflict: .keep, lists: ["next"], tasksFolder: "/t", statusFolder: "/s"
        ).text
        #expect(SyncProgramText.isOwn(text))
        #expect(!SyncProgramText.isOwn(text + "# mine\n") && !SyncProgramText.isOwn(String(text.dropFirst())))
        #expect(!SyncProgramText.isOwn("[general]\n") && !SyncProgramText.isOwn(""))
        #expect(text.contains("password.fetch = [\"command\",\"pass\",\"show x\"]\n"))
        #expect(text.contains("conflict_resolution = null\n"))
    }

    @Test(
        "a program that hangs is stopped with its children, and its output is limited",
        .timeLimit(.minutes(1)))
    func limits() async {
        let slow = ProgramRun(
            words: ["sh", "-c", "sleep 60"], folder: "/", environment: ["PATH": "/usr/bin:/bin"],
            limit: .seconds(1))
        guard case .timedOut = await slow.run() else {
            Issue.record("it ended by itself")
            return
        }
        let loud = ProgramRun(
            words: ["sh", "-c", "yes | head -c 3000000; echo end; exit 4"], folder: "/",
            environment: ["PATH": "/usr/bin:/bin"], limit: .seconds(30))
        guard case .ended(4, let output) = await loud.run() else {
            Issue.record("it did not end")
            return
        }
        #expect(output.utf8.count <= 64 << 10 && output.hasSuffix("end\n"))
        let missing = ProgramRun(
            words: ["no-such-program"], folder: "/", environment: [:], limit: .seconds(1))
        guard case .missing = await missing.run() else {
            Issue.record("it was found")
            return
        }
    }
}

@Suite("settings of other programs")
struct SimpleTOMLTests {
    @Test("tables, dotted and quoted keys, inline tables and comments are read")
    func values() {
        let rows = SimpleTOML.values(
            """
            # top
            a.b = "x # not a comment" # a comment
            [accounts."my mail".backend] # here
            encryption = { type = "tls", deep = { port = 993 } }
            auth.cmd = 'pass show "x"'
            login = "an\\"a"
            port = 143 # usual
            broken
            = nothing
            """)
        let found = rows.map { ($0.path.joined(separator: "/"), $0.value) }
        let wanted = [
            ("a/b", "x # not a comment"), ("accounts/my mail/backend/encryption/type", "tls"),
            ("accounts/my mail/backend/encryption/deep/port", "993"),
            ("accounts/my mail/backend/auth/cmd", "pass show \"x\""),
            ("accounts/my mail/backend/login", "an\"a"),
            ("accounts/my mail/backend/port", "143"),
        ]
        #expect(found.map(\.0) == wanted.map(\.0))
        #expect(found.map(\.1) == wanted.map(\.1))
    }

    @Test(
        "the reader ends on hostile text",
        arguments: [
            String(repeating: "{", count: 100_000), "a = " + String(repeating: "{ b = ", count: 50_000),
            "a = \"\\",
            "[", "[\"", "a = { = }", "a = {b", "'", "a = \"\\u12",
        ])
    func hostile(text: String) { #expect(SimpleTOML.values(text).count < 10) }
}

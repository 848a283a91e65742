import Foundation
import Models
import SASL
import TestSupport
import Testing

@testable import Accounts

@Suite struct SecretCommandTests {
    static func login(_ arguments: [String], in folder: String = "/") -> Login {
        Login(
            user: "ana", command: arguments, folder: folder,
            place: SourcePlace(file: "opus.yaml", line: 7))
    }

    static func run(_ arguments: [String], in folder: String = "/", timeout: Duration = .seconds(30))
        async throws(AccountError) -> String
    {
        var command = SecretCommand(login(arguments, in: folder))
        command.timeout = timeout
        return try await command.run().reveal()
    }

    @Test(arguments: [
        ("one\\n", "one"), ("one", "one"), ("one\\r\\ntwo\\n", "one"), ("with blanks \\n", "with blanks "),
        ("é•\\n", "é•"),
    ])
    func `the password is the first line of the output`(_ printed: String, _ password: String) async throws {
        #expect(try await Self.run(["printf", printed]) == password)
    }

    @Test func `arguments are not read by a shell`() async throws {
        #expect(try await Self.run(["echo", "$HOME `id` ; rm -rf * 'x'"]) == "$HOME `id` ; rm -rf * 'x'")
    }

    @Test func `a program beside opus.yaml runs in that folder`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("#!/bin/sh\ncat secret\n", to: "get password", executable: true)
        try folder.write("s3cret\nmore\n", to: "secret")
        #expect(try await Self.run([folder.path + "/get password"], in: folder.path) == "s3cret")
    }

    @Test(arguments: [
        (["opus-no-such-program", "x"], AccountError.Code.commandMissing),
        (["/nowhere/at all"], .commandMissing),
        (["/etc/passwd"], .commandMissing),
        (["sh", "-c", "echo out; echo err >&2; exit 3"], .commandFailed(status: 3)),
        (["sh", "-c", "kill -9 $$"], .commandKilled(signal: 9)),
        (["true"], .emptyOutput),
        (["echo"], .emptyOutput),
        (["printf", "\\nsecond"], .emptyOutput),
        (["head", "-c", "70000", "/dev/zero"], .outputTooLong(maximum: 65_536)),
        (["printf", "a\\000b"], .unreadableOutput),
        (["printf", "a\\377"], .unreadableOutput),
    ])
    func `every failure of a command has a code`(_ arguments: [String], _ code: AccountError.Code) async {
        await #expect(
            throws: AccountError(code, command: ShellQuoting.quoted(arguments), place: "opus.yaml:7")
        ) {
            try await Self.run(arguments)
        }
    }

    @Test(arguments: [
        ["sleep", "60"], ["sh", "-c", "trap '' TERM; sleep 60; echo late"],
    ])
    func `a command that does not end is stopped`(_ arguments: [String]) async {
        let clock = ContinuousClock()
        let start = clock.now
        await #expect(
            throws: AccountError(
                .timedOut(seconds: 1), command: ShellQuoting.quoted(arguments), place: "opus.yaml:7")
        ) {
            try await Self.run(arguments, timeout: .seconds(1))
        }
        #expect(clock.now - start < .seconds(40), "it was waited for")
    }

    @Test func `opus does not wait for a program that the command left running`() async throws {
        #expect(try await Self.run(["sh", "-c", "sleep 60 & echo early"], timeout: .seconds(50)) == "early")
    }

    @Test func `an error names the command and its place, never the output`() async {
        do {
            _ = try await Self.run(["sh", "-c", "echo hunter2; echo hunter3 >&2; exit 1"])
            Issue.record("no error")
        } catch {
            let text = "\(error)" + String(reflecting: error)
            #expect(
                error.description
                    == "the password command failed with exit status 1: sh -c 'echo hunter2; echo hunter3 >&2; exit 1'; run it in a terminal to see why   opus.yaml:7"
            )
            #expect(!text.replacingOccurrences(of: "echo hunter", with: "").contains("hunter"))
        }
    }

    @Test func `a token command prints a token, and its errors say so`() async throws {
        func account(_ command: [String]) -> Account {
            Account(
                id: AccountID("g"), address: EmailAddress(localPart: "a", domain: "x.org"),
                source: .maildir("/m"),
                login: Login(
                    user: "ana", proof: .token, command: command, mechanism: .xoauth2, folder: "/",
                    place: SourcePlace(file: "opus.yaml", line: 7)),
                place: SourcePlace(file: "opus.yaml", line: 3))
        }
        let credentials = try await account(["echo", "ya29.canary"]).credentials()
        #expect(credentials.user == "ana")
        #expect(credentials.mechanism == .xoauth2)
        guard case .token(let token) = credentials.proof else {
            Issue.record("no token")
            return
        }
        #expect(token.reveal() == "ya29.canary")
        #expect(!"\(credentials)".contains("canary"))
        let error = await #expect(throws: AccountError.self) {
            try await account(["false"]).credentials()
        }
        #expect(error?.description.hasPrefix("the token command failed with exit status 1: false") == true)
    }

    @Test func `the error about an account without a login says what to add`() async {
        let account = Account(
            id: AccountID("old"), address: EmailAddress(localPart: "a", domain: "x.org"),
            source: .maildir("/m"),
            smtp: nil, login: nil, folders: [:], place: SourcePlace(file: "opus.yaml", line: 3))
        await #expect(throws: AccountError(.noLogin, command: "account old", place: "opus.yaml:3")) {
            try await account.credentials()
        }
    }

    @Test(arguments: [
        (["pass", "show", "mail/work"], "pass show mail/work"),
        (["a b", "", "it's"], #"'a b' '' 'it'\''s'"#),
        (["$x", "a;b"], "'$x' 'a;b'"),
    ])
    func `a command is shown as a shell would read it`(_ arguments: [String], _ text: String) {
        #expect(ShellQuoting.quoted(arguments) == text)
    }
}

import Accounts
import Foundation
import IMAPClient
import MailStore
import MaildirClient
import Models
import SMTPClient
import SMTPProtocol
import TaskStore
import Testing
import Transport

@testable import Pipeline

/// Which exit code and which stable word each failure has.
@Suite("Problem wording")
struct ProblemTests {
    private struct Unforeseen: Error {}

    private static let endpoint = Endpoint(host: "imap.example.org", port: 993)

    private static func transport(_ code: TransportError.Code) -> TransportError {
        TransportError(code, endpoint: endpoint)
    }

    private static let table: [(any Error & Sendable, String)] = [
        (MailStoreError.full, "store 74"),
        (MailStoreError.busy, "store 75"),
        (MailStoreError.cannotOpen(path: "/x", reason: "no"), "store 73"),
        (MailStoreError.corrupt(reason: "bad"), "store 74"),
        (MailStoreError.newerSchema(found: 9, known: 1), "store 78"),
        (MailStoreError.stepNotReady(id: 1), "store 70"),
        (TaskStoreError.massDeletion(vanished: 9, known: 9), "tasks 1"),
        (TaskStoreError.noSpace(path: "/x"), "tasks 73"),
        (TaskStoreError.changedMeanwhile(path: "/x"), "tasks 75"),
        (TaskStoreError.notFound(TodoID("x")), "tasks 66"),
        (TaskStoreError.badListName("/"), "tasks 65"),
        (MaildirError.missingRoot(path: "/x"), "maildir 66"),
        (MaildirError.locked(path: "/x"), "maildir 75"),
        (MaildirError.io(errno: 5, path: "/x"), "maildir 74"),
        (AccountError(.emptyOutput, command: "pass", place: "opus.yaml:9"), "password-command 78"),
        (IMAPClientError.loginRefused("no"), "login-refused 77"),
        (IMAPClientError.loginUnavailable("later"), "server-busy 75"),
        (IMAPClientError.bye("later"), "server-busy 75"),
        (IMAPClientError.noLoginMechanism(offered: []), "login-impossible 78"),
        (IMAPClientError.protocol("what"), "imap 69"),
        (IMAPClientError.transport(transport(.refused)), "unreachable 69"),
        (SMTPClientError.submission(.loginRefused(Reply(code: 535, lines: ["no"]))), "login-refused 77"),
        (SMTPClientError.submission(.noRecipients), "smtp-settings 78"),
        (SMTPClientError.submission(.transient(Reply(code: 454, lines: ["later"]))), "server-busy 75"),
        (SMTPClientError.submission(.unknownAfterDot(reason: "closed")), "smtp 69"),
        (SMTPClientError.transport(transport(.unknownHost)), "unreachable 69"),
        (transport(.untrustedCertificate(reason: "expired", .dates)), "untrusted-certificate 69"),
        (transport(.badCAFile(path: "/x")), "bad-ca-file 78"),
        (transport(.timedOut(.connect)), "unreachable 69"),
        (CancellationError(), "interrupted 130"),
        (Unforeseen(), "bug 70"),
        (Problem("mine", exit: .usage, message: "x"), "mine 64"),
    ]

    @Test("every failure has its exit code", arguments: table.indices)
    func exitCodes(_ index: Int) {
        let (error, expected) = Self.table[index]
        let problem = Problem(error)
        #expect("\(problem.code) \(problem.exit.rawValue)" == expected)
    }

    @Test(
        "the next step after an untrusted certificate fits what is wrong with it",
        arguments: [
            (TransportError.CertificateFault.issuer, "ca-file"), (.dates, "renew"), (.name, "host:"),
            (.pin, "whether the certificate was renewed"),
        ])
    func certificates(_ fault: TransportError.CertificateFault, _ word: String) {
        let problem = Problem(Self.transport(.untrustedCertificate(reason: "it is bad", fault)))
        #expect(problem.next.count == 1 && problem.next[0].contains(word), "\(problem.next)")
    }

    @Test(
        "a message is one clause without a full stop, and names no type of the program",
        arguments: table.indices)
    func clauses(_ index: Int) {
        let (error, _) = Self.table[index]
        guard !(error is Unforeseen) else { return }
        let message = Problem(error).message
        #expect(!message.isEmpty)
        #expect(!message.hasSuffix("."))
        for word in [
            "Error(", "Pipeline.", "TransportError", "MailStoreError", "IMAPClientError", "SMTPClientError",
        ] {
            #expect(!message.contains(word))
        }
    }

    @Test("the exit codes are those in the documentation")
    func documented() {
        #expect(
            ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 64, 65, 66, 69, 70, 73, 74, 75, 77, 78, 130])
    }

    @Test("a failure names its account, and a refused login the source of the password")
    func accountPlace() async throws {
        let account = Account(
            id: AccountID("work"), address: EmailAddress(localPart: "ana", domain: "acme.example"),
            source: .maildir("/x"),
            login: Login(
                user: "ana", command: ["pass", "show", "mail/work"], folder: "/",
                place: SourcePlace(file: "opus.yaml", line: 10)),
            place: SourcePlace(file: "opus.yaml", line: 9))
        let problem = try #require(
            await problem { try await Problem.wrap(account) { throw IMAPClientError.loginRefused("no") } })
        #expect(problem.place == "account work, opus.yaml:9")
        #expect(problem.details.contains("the password came from: pass show mail/work"))
        #expect(problem.next.contains("opus account check work"))
    }

    private func problem(_ body: () async throws -> Void) async -> Problem? {
        do {
            try await body()
            return nil
        } catch {
            return error as? Problem
        }
    }

    @Test("a missing Maildir is reported with its account, and not as a bug")
    func unmountedMaildir() async throws {
        let work = try Workplace()
        try FileManager.default.removeItem(atPath: work.root + "/Maildir")
        let problem = await problem {
            try await work.with { _ = try await $0.sync.account(AccountID("work")) }
        }
        #expect(problem?.code == "maildir")
        #expect(problem?.exit == .notFound)
        #expect(problem?.place?.hasPrefix("account work, ") == true)
    }
}

import Accounts
import Foundation
import Models
import SASL
import TestSupport
import Testing

@testable import Pipeline

/// When the command that prints a password or token is run, and what is used after the server refused.
@Suite("Credentials")
struct CredentialsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// An account whose command notes that it was run, and prints the content of `secret`.
    private func account(_ proof: Login.Proof, _ secret: String) throws -> Account {
        try print(secret)
        return Account(
            id: AccountID("work"), address: EmailAddress(localPart: "ana", domain: "acme.example"),
            source: .maildir("/x"),
            login: Login(
                user: "ana", proof: proof,
                command: ["/bin/sh", "-c", "echo x >> runs; cat secret"], folder: folder.path,
                place: SourcePlace(file: "opus.yaml", line: 10)),
            place: SourcePlace(file: "opus.yaml", line: 9))
    }

    private func print(_ secret: String) throws { try folder.write(secret + "\n", to: "secret") }

    private var runs: Int {
        (try? String(contentsOf: folder.url("runs"), encoding: .utf8))?.count { $0 == "x" } ?? 0
    }

    @Test("several connections run the command once, and later ones reuse its result")
    func once() async throws {
        let account = try account(.password, "one")
        let credentials = Credentials()
        let all = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<5 {
                group.addTask { try await credentials.credentials(of: account).secret.reveal() }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(all == Array(repeating: "one", count: 5))
        try print("two")
        #expect(try await credentials.credentials(of: account).secret.reveal() == "one")
        #expect(runs == 1)
    }

    @Test("a failed command is run again for the next connection")
    func failure() async throws {
        let account = try account(.password, "")
        let credentials = Credentials()
        await #expect(throws: AccountError.self) { _ = try await credentials.credentials(of: account) }
        try print("one")
        #expect(try await credentials.credentials(of: account).secret.reveal() == "one")
    }

    @Test("a new password that is refused is not tried again, but read again the next time")
    func refusedPassword() async throws {
        let account = try account(.password, "one")
        let credentials = Credentials()
        let first = try await credentials.credentials(of: account)
        try print("two")
        #expect(try await credentials.renewed(account, after: first) == nil)
        #expect(runs == 1)
        #expect(try await credentials.credentials(of: account).secret.reveal() == "two")
    }

    @Test(
        "a password in use is not read again within minutes, so that the server does not lock the account"
    )
    func youngPassword() async throws {
        let account = try account(.password, "one")
        let credentials = Credentials()
        _ = try await credentials.credentials(of: account)
        let again = try await credentials.credentials(of: account)
        try print("two")
        #expect(try await credentials.renewed(account, after: again) == nil)
        #expect(runs == 1)
    }

    @Test("if a used token is refused, opus requests a new one, once")
    func refusedToken() async throws {
        let account = try account(.token, "one")
        let credentials = Credentials()
        _ = try await credentials.credentials(of: account)
        let again = try await credentials.credentials(of: account)
        try print("two")
        let fresh = try #require(try await credentials.renewed(account, after: again))
        #expect(fresh.secret.reveal() == "two" && runs == 2)
        #expect(try await credentials.renewed(account, after: fresh) == nil)
        #expect(runs == 2)
    }

    @Test("if the command prints the same token again, it is not tried again")
    func sameToken() async throws {
        let account = try account(.token, "one")
        let credentials = Credentials()
        _ = try await credentials.credentials(of: account)
        let again = try await credentials.credentials(of: account)
        #expect(try await credentials.renewed(account, after: again) == nil)
        #expect(runs == 2)
    }

    @Test("the second of two connections with an old token gets the new token of the first")
    func shared() async throws {
        let account = try account(.token, "one")
        let credentials = Credentials()
        let old = try await credentials.credentials(of: account)
        _ = try await credentials.credentials(of: account)
        try print("two")
        _ = try await credentials.renewed(account, after: old)
        let second = try await credentials.renewed(account, after: old)
        #expect(second?.secret.reveal() == "two" && runs == 2)
    }

    @Test("a token is kept for its lifetime, less the last seconds")
    func life() async throws {
        for (life, expected) in [(3_600, 1), (20, 2)] {
            let account = try account(.token, "one\nexpires_in: \(life)")
            try? FileManager.default.removeItem(at: folder.url("runs"))
            let credentials = Credentials()
            for _ in 0..<2 { _ = try await credentials.credentials(of: account) }
            #expect(runs == expected, "\(life)")
        }
    }

    @Test("credentials that a server refused are forgotten")
    func forgotten() async throws {
        let account = try account(.password, "one")
        let credentials = Credentials()
        _ = try await credentials.credentials(of: account)
        await credentials.forget(account.id)
        try print("two")
        #expect(try await credentials.credentials(of: account).secret.reveal() == "two")
    }

    @Test("after a refusal, only a different password may be tried")
    func otherPassword() async throws {
        let credentials = Credentials()
        let password = try account(.password, "one")
        #expect(await !credentials.hasOther(password), "nothing was refused")
        let refused = try await credentials.credentials(of: password)
        await credentials.noteRefusal(password.id, refused)
        #expect(await !credentials.hasOther(password))
        try print("two")
        #expect(await credentials.hasOther(password))
        #expect(try await credentials.credentials(of: password).secret.reveal() == "two")
        try folder.write("", to: "secret")
        #expect(await !credentials.hasOther(password), "the command fails")
        let token = try account(.token, "three")
        #expect(await !credentials.hasOther(token))
    }
}

import Accounts
import Discovery
import IMAPClient
import Logging
import Models
import SMTPClient
import Transport

/// Logs in once with an account that is not in opus.yaml yet, to check the server, the user name and the
/// password.
struct LoginTrial {
    let provider: Provider?
    let logger: Logger

    /// - Throws: ``Problem``; after a refused login, with the next step.
    func run(_ account: Account) async throws {
        guard case .imap(let server) = account.source else { return }
        do {
            let credentials = try await account.issueCredentials().credentials
            let configuration = IMAPConfiguration(
                endpoint: Endpoint(host: server.host, port: server.port), security: server.transport,
                credentials: credentials)
            await (try await IMAPConnection.connect(configuration, logger: logger)).logout()
            guard let smtp = account.smtp else { return }
            let submission = SMTPConfiguration(
                endpoint: Endpoint(host: smtp.host, port: smtp.port), security: smtp.transport,
                credentials: smtp.usesLogin ? credentials : nil)
            await (try await SMTPConnection.connect(submission, logger: logger)).quit()
        } catch {
            throw explained(Problem(error), account)
        }
    }

    private func explained(_ problem: Problem, _ account: Account) -> Problem {
        var problem = problem
        // The account is not in a file yet.
        problem.place = nil
        if problem.code == "untrusted-certificate" {
            problem.next = [
                "--ca-file FILE with the server's own authority, or --pin sha256:… if the fingerprint is the server's"
            ]
        }
        guard problem.exit == .loginRefused else { return problem }
        let known = LoginRefusal(problem.message, account: account.id)
        if let known { problem.details.append(known.sentence) }
        problem.details.append("tried as \(account.login?.user ?? account.address.addrSpec)")
        if let provider {
            problem.details += provider.blocks.map { "\(provider.name): \($0)" }
            problem.next = ["\(provider.step): \(provider.page)"]
        } else {
            problem.next = [
                known?.step ?? "check the user name and the password, then run the same command again"
            ]
        }
        return problem
    }
}

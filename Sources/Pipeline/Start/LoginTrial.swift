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

    /// - Throws: ``Problem``, with a next step that needs no opus.yaml.
    func run(_ account: Account) async throws {
        guard case .imap(let server) = account.source else { return }
        let credentials = try await explaining(account, nil) {
            try await account.issueCredentials().credentials
        }
        let imap = Endpoint(host: server.host, port: server.port)
        try await explaining(account, Trial(option: "--imap", scheme: "imap", endpoint: imap)) {
            let configuration = IMAPConfiguration(
                endpoint: imap, security: server.transport, credentials: credentials)
            await (try await IMAPConnection.connect(configuration, logger: logger)).logout()
        }
        guard let smtp = account.smtp else { return }
        let submission = Endpoint(host: smtp.host, port: smtp.port)
        try await explaining(account, Trial(option: "--smtp", scheme: "smtp", endpoint: submission)) {
            let configuration = SMTPConfiguration(
                endpoint: submission, security: smtp.transport,
                credentials: smtp.usesLogin ? credentials : nil)
            await (try await SMTPConnection.connect(configuration, logger: logger)).quit()
        }
    }

    /// A server, and the option that names another one.
    private struct Trial {
        var option: String
        var scheme: String
        var endpoint: Endpoint
    }

    private func explaining<Result>(
        _ account: Account, _ trial: Trial?, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch {
            var problem = explained(Problem(error), account)
            if let error = error as? AccountError {
                problem.message = error.sentence
                if error.code != .noLogin {
                    problem.next = [
                        "\(error.command)     (must print the \(error.proof.rawValue) on its first line)"
                    ]
                }
            }
            if let trial { problem = Self.explained(problem, error, trial) }
            throw problem
        }
    }

    /// The problem with the option that names another server, in place of the key in opus.yaml.
    private static func explained(_ problem: Problem, _ error: any Error, _ trial: Trial) -> Problem {
        var problem = problem
        let other =
            "\(trial.option) HOST:PORT, if \(trial.endpoint) is not the server; otherwise check the network"
        switch transport(error)?.code {
        case .notTLS: problem.next = ["\(trial.option) \(trial.scheme)://\(trial.endpoint)"]
        case .speaksTLS: problem.next = ["\(trial.option) \(trial.scheme)s://\(trial.endpoint)"]
        case .untrustedCertificate(_, .issuer):
            problem.next = [
                "--ca-file FILE with the server's own authority, or --pin sha256:… if the fingerprint is the server's"
            ]
        case .untrustedCertificate(_, .name):
            problem.next = [
                "\(trial.option) HOST:PORT with the name in the certificate, if it is the server's"
            ]
        case .untrustedCertificate, .badCAFile: break
        case .some: problem.next = [other]
        case nil:
            guard problem.exit == .unavailable else { break }
            if problem.place == nil { problem.place = "\(trial.endpoint)" }
            if problem.next.isEmpty { problem.next = [other] }
        }
        return problem
    }

    private static func transport(_ error: any Error) -> TransportError? {
        switch error {
        case IMAPClientError.transport(let error), SMTPClientError.transport(let error): error
        case _: error as? TransportError
        }
    }

    private func explained(_ problem: Problem, _ account: Account) -> Problem {
        var problem = problem
        // The account is not in a file yet.
        problem.place = nil
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

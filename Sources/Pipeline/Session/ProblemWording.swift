import Accounts
import Crypto
import Executor
import Foundation
import HTTPClient
import IMAPClient
import MIMEParser
import MailStore
import MaildirClient
public import Models
import SMTPClient
import SMTPProtocol
import SyncEngine
import TaskStore
import Transport

/// The texts for the typed errors of the lower layers, in one place.
extension Problem {
    /// Any error as a problem; an unexpected one is reported as a bug.
    public init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as SourceUnavailable: self = Problem(error.underlying)
        case let error as MailStoreError: self = .store(error)
        case let error as TaskStoreError: self = .tasks(error)
        case let error as AttachmentError:
            self = Problem(
                "attachments", exit: .inputOutput, message: "a saved file cannot be reached: \(error)")
        case let error as MaildirError: self = .maildir(error)
        case let error as AccountError: self = .account(error)
        case let error as IMAPClientError: self = .imap(error)
        case let error as SMTPClientError: self = .smtp(error)
        case let error as TransportError: self = .transport(error)
        case let failure as HTTPFailure: self = .web(failure)
        case let error as MailTrust.UnreadableFile:
            self = Problem(
                "bad-ca-file", exit: .configuration,
                message: "\(error.path) contains no readable certificates",
                next: ["smime: { ca-file: PATH } takes certificates as PEM"])
        case let error as BuilderError:
            self = Problem(
                "bad-mail", exit: .badData,
                message: "the mail cannot be written: \(error)", details: error.marked)
        case is CancellationError: self = Problem("interrupted", exit: .interrupted, message: "interrupted")
        case _: self = Problem("bug", exit: .bug, message: "unexpected: \(error)")
        }
    }

    static let noWorkspace = Problem(
        "no-workspace", exit: .configuration,
        message: "no opus.yaml here, in a folder above, or in ~/.config/opus",
        next: [
            "opus init you@example.org (sets up your account)",
            "opus demo (the whole flow on a built-in mailbox)",
        ])

    /// The user named a folder or a file without settings.
    static func missingSettings(_ location: WorkspaceLocation) -> Problem {
        if let other = location.misnamedFile { return .misnamed(other) }
        return Problem(
            "no-workspace", exit: .configuration, message: "\(location.shownFile) not found",
            next: [
                "opus demo (the whole flow on a built-in mailbox)", "write an opus.yaml (opus help config)",
            ])
    }

    /// The user named `opus.yml` instead of `opus.yaml`.
    static func misnamed(_ path: String) -> Problem {
        let right = String(path.dropLast("yml".count)) + "yaml"
        return Problem(
            "misnamed-settings", exit: .configuration,
            message: "the settings file must be called opus.yaml, not opus.yml", place: path,
            next: ["mv \(path) \(right)"])
    }

    /// A workspace without rules is usually a mistake: a typing error in `rules.path`, or the wrong folder.
    static func noRules(_ workspace: Workspace) -> Problem {
        let share = ShareFolder.locate(
            program: "/proc/self/exe", environment: ProcessInfo.processInfo.environment)
        return Problem(
            "no-rules", exit: .configuration,
            message: "the rules folder \(workspace.rulesFolder) does not exist",
            place: workspace.configFile,
            next: (share.map {
                let rules = URL(filePath: $0.rules).resolvingSymlinksInPath().path
                return ["cp -r \(rules) \(workspace.rulesFolder)   (the starter rules)"]
            } ?? [])
                + ["mkdir \(workspace.rulesFolder)   (none yet; opus help rules)"])
    }

    /// Settings that other users of the machine may have written.
    static func untrusted(_ doubt: PathTrust.Doubt, at location: WorkspaceLocation) -> Problem {
        var problem = untrusted(doubt, place: location.configFile)
        if location.isDiscovered { problem.next.append("opus --workspace FOLDER names your own") }
        return problem
    }

    static func untrusted(_ doubt: PathTrust.Doubt, place: String) -> Problem {
        Problem(
            "untrusted-workspace", exit: .configuration, message: doubt.sentence, place: place,
            details: [
                "other users could decide what opus does with your mail and passwords, so nothing was done"
            ],
            next: [doubt.remedy])
    }

    /// Runs `body` for an account; an error names the position of the account in opus.yaml.
    static func wrap<Result>(
        _ account: Account, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch {
            var problem = Problem(error)
            problem.place = problem.place ?? "account \(account.id), \(account.place)"
            if problem.exit == .loginRefused, let login = account.login {
                if let known = LoginRefusal(problem.message, account: account.id) {
                    problem.details.append(known.sentence)
                    problem.next.append(known.step)
                }
                if login.oauth == nil {
                    problem.next.append("check user and \(login.proof.rawValue)-command")
                    problem.details.append(
                        "the \(login.proof.rawValue) came from: \(login.command.joined(separator: " "))")
                } else if problem.next.isEmpty {
                    problem.next.append("opus account login \(account.id)")
                }
            }
            if problem.exit == .loginRefused || problem.exit == .unavailable {
                problem.next.append("opus account check \(account.id)")
            }
            throw problem
        }
    }

    static func wrap<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw Problem(error)
        }
    }

    private static func store(_ error: MailStoreError) -> Problem {
        let exit: ExitStatus
        var next: [String] = []
        switch error {
        case .full:
            exit = .inputOutput
            next = ["free some space, then run the same command again"]
        case .busy: exit = .temporary
        case .cannotOpen:
            exit = .cannotCreate
            next = ["check the permissions of the folder and of its disk, then run the same command again"]
        case .corrupt:
            exit = .inputOutput
            next = ["opus store verify", "opus store rebuild"]
        case .newerSchema:
            exit = .configuration
            next = ["install the newer opus again"]
        case .io:
            exit = .inputOutput
            next = ["free some space or check the disk, then run the same command again"]
        case .sql, .idTaken, .unknownMessage, .uidValidityChanged, .stepNotReady,
            .noSuchTransition, .unknownStep:
            exit = .bug
        case .queuedAgain: exit = .badData
        case .staleRebuild: exit = .temporary
        }
        return Problem("store", exit: exit, message: "the store failed: \(error)", next: next)
    }

    /// Opens a store. If the file is so damaged that it cannot be opened, no command of opus can repair it, and the problem
    /// says so.
    static func opening(_ path: String, _ access: StoreAccess) throws -> Store {
        do {
            return try Store.open(path: path, access)
        } catch MailStoreError.corrupt(let reason) {
            throw unreadableStore(reason, at: path)
        } catch {
            throw Problem(error)
        }
    }

    /// The data that only the store has cannot be read.
    static func unreadableStore(_ reason: String, at path: String) -> Problem {
        Problem(
            "store-unreadable", exit: .inputOutput,
            message: "the store is damaged, and opus cannot read what only the store has: \(reason)",
            place: path, details: ["the store stays as it was"],
            next: [
                "restore \(path) from a backup",
                "move it and its files -wal and -shm away, and run opus sync: this loses drafts, runs and links, but no mail and no tasks",
            ])
    }

    private static func tasks(_ error: TaskStoreError) -> Problem {
        let exit: ExitStatus =
            switch error {
            case .massDeletion: .someFailed
            case .noSpace, .readOnly, .permission: .cannotCreate
            case .io: .inputOutput
            case .changedMeanwhile: .temporary
            case .notFound: .notFound
            case .severalFiles, .malformed, .refused, .badListName, .nameTaken, .sharedFile: .badData
            }
        return Problem("tasks", exit: exit, message: "\(error)")
    }

    private static func maildir(_ error: MaildirError) -> Problem {
        if case .notAllowed = error {
            return Problem("not-allowed", exit: .configuration, message: error.description)
        }
        let exit: ExitStatus =
            switch error {
            case .missingRoot, .notAMaildir, .noSuchMailbox, .gone: .notFound
            case .invalidName, .alreadyExists, .tooManyKeywords, .linkedKeywords, .tooManyFiles: .badData
            case .locked: .temporary
            case .noSpace, .permission: .cannotCreate
            case .io: .inputOutput
            case .notAllowed: .configuration
            }
        return Problem(
            "maildir", exit: exit, message: error.description,
            next: exit == .notFound ? ["mount it, or correct maildir: in opus.yaml"] : [])
    }

    private static func account(_ error: AccountError) -> Problem {
        if case .storeFolder = error.code {
            return Problem(
                "store-folder", exit: .cannotCreate, message: error.description,
                next: ["free some space or check the permissions, then run the same command again"])
        }
        var problem = Problem("password-command", exit: .configuration, message: error.description)
        problem.mayPass = error.mayPass
        return problem
    }

    private static func imap(_ error: IMAPClientError) -> Problem {
        switch error {
        case .transport(let error): return transport(error)
        case .loginRefused(let words):
            return Problem(
                "login-refused", exit: .loginRefused,
                message: "the IMAP server refused the login: “\(words)”")
        case .loginUnavailable, .bye:
            return Problem(
                "server-busy", exit: .temporary, message: error.description, next: ["try again later"])
        case .badCredentials:
            return Problem(
                "login-impossible", exit: .configuration, message: error.description,
                next: ["run the command of the account yourself, and look at the first line of its output"])
        case .noLoginMechanism, .plaintextRefused, .preauthBeforeTLS, .startTLSRefused:
            return Problem(
                "login-impossible", exit: .configuration, message: error.description,
                next: ["security: tls (port 993)", "ask the provider how to log in"])
        case .notAllowed:
            return Problem("not-allowed", exit: .configuration, message: error.description)
        case .refused, .partlyDone, .missingCapability, .invalidRequest, .noMailboxSelected, .limit,
            .protocol,
            .abandoned, .loggedOut, .unsafe:
            return Problem("imap", exit: .unavailable, message: error.description)
        }
    }

    private static func smtp(_ error: SMTPClientError) -> Problem {
        switch error {
        case .transport(let error): transport(error)
        case .submission(let failure): submission(failure)
        case .notAllowed: Problem("not-allowed", exit: .configuration, message: "\(error)")
        case .protocolViolation, .stoppedBeforeDot, .notReady:
            Problem("smtp", exit: .unavailable, message: "\(error)")
        }
    }

    private static func submission(_ failure: SubmissionFailure) -> Problem {
        switch failure {
        case .loginRefused(let reply):
            Problem(
                "login-refused", exit: .loginRefused,
                message: "the SMTP server refused the login: “\(reply.text)”")
        case .noTLSOffered, .startTLSRefused, .loginNeedsEncryption, .noLoginMechanism, .invalidLogin,
            .invalidHeloName, .invalidAddress, .noRecipients, .tooManyRecipients:
            Problem("smtp-settings", exit: .configuration, message: failure.wording)
        case .transient:
            Problem(
                "server-busy", exit: .temporary, message: failure.wording, next: ["try again later"])
        case .greetingRefused, .messageTooLarge, .needs8BitMIME, .needsSMTPUTF8, .recipientsRefused,
            .permanent, .unexpectedReply, .lost, .wrongState, .unknownAfterDot:
            Problem("smtp", exit: .unavailable, message: failure.wording)
        }
    }

    private static func web(_ failure: HTTPFailure) -> Problem {
        switch failure.code {
        case .transport(let error): transport(error)
        case .timedOut:
            Problem(
                "unreachable", exit: .unavailable, message: failure.description, next: ["try again later"])
        case .tooLong, .notHTTP, .tooManyRedirects, .badRedirect, .notEncrypted:
            Problem("bad-answer", exit: .unavailable, message: failure.description)
        case .unsafeRequest: Problem("bug", exit: .bug, message: failure.description)
        case .cancelled: Problem("interrupted", exit: .interrupted, message: "interrupted")
        }
    }

    private static func step(after fault: TransportError.CertificateFault) -> String {
        switch fault {
        case .issuer: "when the server has a certificate authority of its own: ca-file: PATH"
        case .dates: "ask the owner of the server to renew the certificate"
        case .name: "correct host: in opus.yaml, if the certificate has the right name of the server"
        case .pin: "ask the owner of the server whether the certificate was renewed"
        }
    }

    private static func transport(_ error: TransportError) -> Problem {
        switch error.code {
        case .untrustedCertificate(_, let fault):
            Problem(
                "untrusted-certificate", exit: .unavailable, message: error.description,
                next: [step(after: fault)])
        case .notTLS:
            Problem(
                "unreachable", exit: .unavailable, message: error.description,
                next: ["security: starttls for this server in opus.yaml"])
        case .speaksTLS:
            Problem(
                "unreachable", exit: .unavailable, message: error.description,
                next: ["security: tls for this server in opus.yaml"])
        case .badCAFile: Problem("bad-ca-file", exit: .configuration, message: error.description)
        case .notThisMachine:
            Problem(
                "in-clear", exit: .configuration, message: error.description,
                next: ["host: 127.0.0.1", "security: tls", "correct localhost in /etc/hosts"])
        case .unknownHost, .refused, .unreachable, .timedOut, .tlsFailed, .closedByPeer, .reset,
            .networkChanged, .plaintextAfterStartTLS, .cancelled, .closed, .busy, .failed:
            Problem(
                "unreachable", exit: .unavailable, message: error.description,
                next: ["check host, port and security in opus.yaml, and the network"])
        }
    }
}

extension Problem {
    /// The effect on the account's queue: its steps wait, and are not lost. nil: the connection is not the cause.
    var halt: DrainReport.Halt? {
        if exit == .loginRefused { return .loginRefused }
        return Self.unconnected.contains(code) ? .offline : nil
    }

    /// The codes of problems that prevent a connection, on the way to the server, on the server, or on this machine.
    private static let unconnected: Set = [
        "unreachable", "imap", "server-busy", "untrusted-certificate", "password-command", "login-impossible",
        "bad-ca-file", "in-clear", "maildir",
    ]
}

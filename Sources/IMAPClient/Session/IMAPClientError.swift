public import IMAPProtocol
public import Models
public import SASL
public import Transport

/// Why a call failed.
///
/// Texts of the server are unchanged, at most 500 bytes: escape them before you show them. After
/// ``refused(command:status:code:text:)``, ``invalidRequest(_:)``, ``missingCapability(_:)``,
/// ``unsafe(command:server:)``, ``notAllowed(command:_:allowed:)`` and ``noMailboxSelected``, the connection can still
/// be used. After every other error it has ended, and later calls throw the same error.
public indirect enum IMAPClientError: Error, Equatable, Sendable {
    case transport(TransportError)
    /// A login over a network without TLS; the client does not connect.
    case plaintextRefused(host: String)
    case preauthBeforeTLS
    case startTLSRefused(String)
    /// The user or the password is wrong; the text is the server's.
    case loginRefused(String)
    /// The server cannot check logins now; try again later.
    case loginUnavailable(String)
    case noLoginMechanism(offered: [String])
    /// The account's credentials do not allow a login, or the server violated the mechanism.
    case badCredentials(SASLError)
    case refused(command: String, status: StatusResponse.Status, code: ResponseCode?, text: String)
    /// A set needed several commands; some were done, and one failed for this cause.
    case partlyDone(CopyUID?, cause: IMAPClientError)
    case missingCapability(Capability)
    /// This server does not do what the command requires, so it was not sent.
    case unsafe(command: String, server: ServerProfile.Kind)
    /// The user's settings do not allow the command, so it was not sent.
    case notAllowed(command: String, Permission, allowed: String)
    case invalidRequest(EncodingError)
    case noMailboxSelected
    case bye(String)
    case limit(FramingError)
    case `protocol`(String)
    /// The caller's callback failed during a fetch, and the connection was closed.
    case abandoned
    case loggedOut
}

extension IMAPClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .transport(let error): error.description
        case .plaintextRefused(let host):
            "a login at \(host) without TLS would send the password in the clear; use tls or starttls"
        case .preauthBeforeTLS: ConnectionStateError.preauthBeforeTLS.description
        case .startTLSRefused(let text): ConnectionStateError.startTLSRefused(text).description
        case .loginRefused(let text): "the server refused the login: \(text)"
        case .loginUnavailable(let text): "the server cannot check logins now, try again later: \(text)"
        case .noLoginMechanism(let offered):
            ConnectionStateError.noLoginMechanism(offered: offered).description
        case .badCredentials(let error): error.description
        case .refused(let command, let status, _, let text):
            "the server answered \(status.rawValue) to \(command): \(text)"
        case .partlyDone(_, let cause): "only some messages were done: \(cause)"
        case .missingCapability(let capability): "the server does not offer \(capability)"
        case .unsafe(let command, let server):
            "\(command) was not sent, because it has another effect on \(server.rawValue); delete in its own program"
        case .notAllowed(let command, let permission, let allowed):
            "\(command) was not sent: allow: \(allowed) in opus.yaml does not let opus \(permission.words)"
        case .invalidRequest(let error): error.description
        case .noMailboxSelected: ConnectionStateError.noMailboxSelected.description
        case .bye(let text): ConnectionStateError.bye(text).description
        case .limit(let error): error.description
        case .protocol(let what): "the server broke the protocol: \(what)"
        case .abandoned: "the connection was given up in the middle of a fetch"
        case .loggedOut: ConnectionStateError.loggedOut.description
        }
    }
}

extension IMAPClientError {
    static func refusal(of command: String, _ status: StatusResponse) -> IMAPClientError {
        .refused(command: command, status: status.status, code: status.code, text: status.text)
    }

    init(_ error: ConnectionStateError) {
        switch error {
        case .preauthBeforeTLS: self = .preauthBeforeTLS
        case .startTLSRefused(let text): self = .startTLSRefused(text)
        case .noLoginMechanism(let offered): self = .noLoginMechanism(offered: offered)
        case .loginRefused(let code, let text):
            self = Self.isTemporary(code) ? .loginUnavailable(text) : .loginRefused(text)
        case .login(let error): self = .badCredentials(error)
        case .bye(let text): self = .bye(text)
        case .unexpected(let what): self = .protocol(what)
        case .notLoggedIn: self = .protocol("a command before login")
        case .noMailboxSelected: self = .noMailboxSelected
        case .loggedOut: self = .loggedOut
        }
    }

    /// Response codes that do not mean a wrong password. RFC 5530 §3.
    private static func isTemporary(_ code: ResponseCode?) -> Bool {
        switch code {
        case .unavailable, .overQuota: true
        case .other(let name, _): ["INUSE", "LIMIT", "SERVERBUG", "THROTTLED", "CONTACTADMIN"].contains(name)
        case nil, .capability, .uidValidity, .uidNext, .highestModSeq, .noModSeq, .permanentFlags, .readOnly,
            .readWrite, .copyUID, .appendUID, .tryCreate, .alert, .authenticationFailed, .modified, .closed,
            .nonExistent, .alreadyExists:
            false
        }
    }
}

extension IMAPClientError {
    /// Whether the server or the network ended the session.
    public var isLoss: Bool {
        switch self {
        case .transport(let error):
            switch error.code {
            case .cancelled, .closed, .busy, .unknownHost, .badCAFile, .notThisMachine, .notTLS, .speaksTLS,
                .networkChanged:
                false
            case .refused, .unreachable, .timedOut, .untrustedCertificate, .tlsFailed, .closedByPeer, .reset,
                .plaintextAfterStartTLS, .failed:
                true
            }
        case .bye, .limit, .protocol: true
        case .refused, .invalidRequest, .missingCapability, .noMailboxSelected, .unsafe, .notAllowed,
            .plaintextRefused,
            .preauthBeforeTLS, .startTLSRefused, .loginRefused, .loginUnavailable, .noLoginMechanism,
            .badCredentials, .partlyDone, .abandoned, .loggedOut:
            false
        }
    }
}

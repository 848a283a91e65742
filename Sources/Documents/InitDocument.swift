import Discovery
import Models
public import Pipeline

/// `opus.init/1`
public struct InitDocument: Encodable, Sendable {
    struct Server: Encodable, Sendable {
        var host: String
        var port: Int
        var security: String
    }

    struct Rule: Encodable, Sendable {
        var rule: String
        var messages: Int
        var actions: [String]
    }

    struct Folder: Encodable, Sendable {
        var name: String
        var role: String?
    }

    struct Plan: Encodable, Sendable {
        var id: String
        var messages: Int
        var changed: Int
    }

    var schema = "opus.init/1"
    var workspace: String
    var account: String
    var created: Bool
    var imap: Server?
    var smtp: Server?
    var mailboxes: [Folder]
    var rules: [Rule]
    var plan: Plan

    /// - Parameters:
    ///   - look: The first look at the account.
    ///   - workspace: Path of opus.yaml.
    ///   - created: Whether the command created the file.
    ///   - wish: The account as it was made now; nil for one that was there.
    public init(_ look: FirstLook, workspace: String, created: Bool, wish: AccountWish?) {
        self.workspace = workspace
        account = look.account.rawValue
        self.created = created
        if case .servers(let imap, let smtp) = wish?.mail {
            self.imap = Self.server(imap)
            self.smtp = smtp.map(Self.server)
        }
        mailboxes = look.mailboxes.map { Folder(name: $0.displayName, role: $0.role?.rawValue) }
        rules = look.numbers.map { Rule(rule: $0.rule, messages: $0.messages, actions: $0.actions) }
        plan = Plan(
            id: look.plan.name, messages: look.plan.items.count,
            changed: look.plan.items.count { !$0.isUntouched })
    }

    private static func server(_ server: ServerWish) -> Server {
        Server(host: server.host, port: server.port, security: server.security.rawValue)
    }
}

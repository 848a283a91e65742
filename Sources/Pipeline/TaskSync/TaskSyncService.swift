import Accounts
import Foundation
import Models

/// A calendar service: its address and the page for creating a password, or why it cannot store tasks.
public struct TaskSyncService: Sendable {
    public var name: String
    /// The name in texts for users.
    public var title: String
    /// The URL, with `HOST` instead of the user's own server; nil: the user must give the whole URL.
    var url: String?
    /// Domains of addresses that log in to this service.
    var domains: [String] = []
    /// The page for creating the password.
    var page: String?
    /// Why this service cannot be used; nil: it can.
    var obstacle: String?

    public static let all: [TaskSyncService] = [
        TaskSyncService(name: "radicale", title: "Radicale", url: "HOST/"),
        TaskSyncService(
            name: "nextcloud", title: "Nextcloud", url: "HOST/remote.php/dav/",
            page: "an app password: Settings, Security, Devices & sessions"),
        TaskSyncService(
            name: "fastmail", title: "Fastmail", url: "https://caldav.fastmail.com/",
            domains: ["fastmail.com", "fastmail.fm", "fastmail.net", "fastmail.org"],
            page: "an app password with access to calendars: https://app.fastmail.com/settings/security/apps"),
        TaskSyncService(
            name: "mailbox.org", title: "mailbox.org", url: "https://dav.mailbox.org/",
            domains: ["mailbox.org"],
            page: "the password of the account, or an app password with two-factor authentication"),
        TaskSyncService(
            name: "posteo", title: "Posteo", url: "https://posteo.de:8443/",
            domains: ["posteo.de", "posteo.net", "posteo.org", "posteo.eu", "posteo.at", "posteo.ch"],
            page: "the password of the account, or an app password"),
        TaskSyncService(name: "xandikos", title: "Xandikos", url: "HOST/"),
        TaskSyncService(name: "baikal", title: "Baïkal", url: "HOST/dav.php/"),
        TaskSyncService(name: "sogo", title: "SOGo (Mailcow)", url: "HOST/SOGo/dav/"),
        TaskSyncService(name: "caldav", title: "the calendar server", url: nil),
        TaskSyncService(
            name: "icloud", title: "iCloud",
            obstacle: "Apple's Reminders are not reachable by CalDAV since iOS 13"),
        TaskSyncService(name: "google", title: "Google", obstacle: "Google's CalDAV has events and no tasks"),
        TaskSyncService(
            name: "outlook", title: "Outlook",
            obstacle: "Microsoft has no CalDAV; To Do has an interface of its own"),
    ]

    init(
        name: String, title: String, url: String? = nil, domains: [String] = [], page: String? = nil,
        obstacle: String? = nil
    ) {
        self.name = name
        self.title = title
        self.url = url
        self.domains = domains
        self.page = page
        self.obstacle = obstacle
    }

    /// - Throws: ``Problem`` if opus does not know the service, or the service cannot store tasks.
    public static func named(_ name: String) throws -> TaskSyncService {
        guard let service = all.first(where: { $0.name == name.lowercased() }) else {
            let known = all.filter { $0.obstacle == nil }.map(\.name).joined(separator: ", ")
            throw Problem(
                "no-such-service", exit: .usage, message: "opus does not know the service \"\(name)\"",
                next: ["one of: " + known])
        }
        if let obstacle = service.obstacle {
            throw Problem(
                "no-tasks-there", exit: .unavailable,
                message: "\(service.title) cannot keep the tasks: \(obstacle)",
                next: ["use another calendar server: opus help tasks sync-setup"])
        }
        return service
    }

    /// The address of the server: the service's, or the one that the user typed.
    ///
    /// - Throws: ``Problem`` if it is missing, or if the password would be sent unencrypted.
    func address(_ typed: String?) throws -> String {
        guard let typed else {
            if let url, !url.hasPrefix("HOST") { return url }
            throw Problem(
                "no-url", exit: .usage, message: "\(title) is a server of your own: its address is missing",
                next: ["opus tasks sync-setup \(name) --url https://cloud.example.org"])
        }
        var text = typed.contains("://") ? typed : "https://" + typed
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            ["http", "https"].contains(parts.scheme), parts.user == nil, parts.password == nil,
            parts.query == nil, parts.fragment == nil,
            text.unicodeScalars.allSatisfy({ $0.isASCII && $0.value > 0x20 && $0.value != 0x7F })
        else {
            throw Problem(
                "bad-url", exit: .usage, message: "\"\(typed)\" is not the address of a server",
                next: ["--url https://cloud.example.org"])
        }
        let isHere = host == "localhost" || host == "127.0.0.1" || host == "[::1]" || host == "::1"
        if parts.scheme == "http", !isHere {
            throw Problem(
                "not-encrypted", exit: .usage,
                message: "over http: your password would cross the network unencrypted",
                next: ["--url https://\(host)"])
        }
        if parts.path.isEmpty || parts.path == "/", let url, url.hasPrefix("HOST/") {
            text = (text.hasSuffix("/") ? String(text.dropLast()) : text) + url.dropFirst("HOST".count)
        }
        return text.hasSuffix("/") ? text : text + "/"
    }
}

import Foundation
import Glibc
import Models
import Pipeline

/// Reports the state of a service to systemd: ready, status, alive, stopping. sd_notify(3).
///
/// Without `NOTIFY_SOCKET` it sends nothing.
struct ServiceManager: Sendable {
    private let path: String?
    /// Half the time after which systemd kills a silent service; nil: systemd does not check.
    let watchdog: Duration?

    init(_ environment: [String: String]) {
        path = environment["NOTIFY_SOCKET"]
        let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdog = isOurs && microseconds > 0 && path != nil ? .microseconds(microseconds / 2) : nil
    }

    func ready() { send("READY=1") }
    func alive() { send("WATCHDOG=1") }
    func stopping() { send("STOPPING=1\nSTATUS=ending after the current step") }
    func status(_ text: String) {
        send("STATUS=" + TerminalText.line(text).replacingOccurrences(of: "\n", with: " "))
    }

    private func send(_ text: String) {
        guard let path, path.hasPrefix("/") || path.hasPrefix("@") else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // "@" is an abstract name: its first octet is zero.
        var name = Array(path.utf8)
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(AF_UNIX, type, 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bytes = Array(text.utf8)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }
}

/// Lines for the journal of systemd: each begins with its priority. sd-daemon(3).
struct JournalLines: Sendable {
    enum Priority: Int, Sendable {
        case error = 3
        case warning = 4
        case notice = 5
        case information = 6
    }

    /// Whether standard error goes to the journal.
    let isOn: Bool

    init(_ environment: [String: String]) {
        guard let stream = environment["JOURNAL_STREAM"] else {
            isOn = false
            return
        }
        // The variable is inherited by programs whose output goes elsewhere.
        var found = stat()
        isOn = fstat(STDERR_FILENO, &found) == 0 && stream == "\(found.st_dev):\(found.st_ino)"
    }

    func marked(_ text: String, _ priority: Priority) -> String {
        guard isOn else { return text }
        return text.split(separator: "\n").map { "<\(priority.rawValue)>\($0)" }.joined(separator: "\n")
    }
}

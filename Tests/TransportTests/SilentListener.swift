import Glibc
import Testing

/// A port whose queue of new connections is full: the system answers no further one.
final class SilentListener {
    let port: Int
    private var sockets: [Int32] = []

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        sockets.append(listener)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let name = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(listener, name, length) == 0 && listen(listener, 0) == 0
                    && getsockname(listener, name, &length) == 0
            }
        }
        try #require(name)
        port = Int(UInt16(bigEndian: address.sin_port))
        for _ in 0..<4 {
            let caller = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK, 0)
            sockets.append(caller)
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(caller, $0, length) }
            }
        }
    }

    deinit { for socket in sockets { close(socket) } }
}

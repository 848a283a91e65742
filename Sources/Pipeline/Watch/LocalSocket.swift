import Glibc

/// Unix domain sockets between processes of one user.
enum LocalSocket {
    /// Replaces a socket that a killed process left behind.
    ///
    /// - Returns: The descriptor, or nil if the system provides none.
    static func listening(at path: String) -> Int32? {
        opened(path) { socket, address, length in
            _ = unlink(path)
            // Permissions are set before the socket has a name, so that other users can never open it.
            return fchmod(socket, 0o600) == 0 && bind(socket, address, length) == 0 && listen(socket, 16) == 0
        }
    }

    /// - Returns: The descriptor, or nil: no process listens there, or it belongs to another user.
    static func connected(to path: String, milliseconds: Int) -> Int32? {
        opened(path) { socket, address, length in
            limit(socket, milliseconds)
            return connect(socket, address, length) == 0 && isOwn(socket)
        }
    }

    /// nil: no client is waiting, or the client belongs to another user.
    static func accepted(from listener: Int32, milliseconds: Int) -> Int32? {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else { return nil }
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        limit(socket, milliseconds)
        guard isOwn(socket) else {
            close(socket)
            return nil
        }
        return socket
    }

    private static func opened(
        _ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Int32? {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        // The address of a socket has at most 107 octets, a path may have more. So the path goes through an
        // open folder.
        let folder = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        defer { close(folder) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        let name = path.utf8.count < room ? path : "/proc/self/fd/\(folder)\(path[slash...])"
        guard name.utf8.count < room else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(name.utf8)) }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(AF_UNIX, type, 0)
        guard socket >= 0 else { return nil }
        let isDone = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isDone else {
            close(socket)
            return nil
        }
        return socket
    }

    /// Sets the maximum time of one read or write.
    private static func limit(_ socket: Int32, _ milliseconds: Int) {
        var time = timeval(tv_sec: milliseconds / 1000, tv_usec: (milliseconds % 1000) * 1000)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, size)
    }

    /// Whether the other side is a process of this user or of root.
    private static func isOwn(_ socket: Int32) -> Bool {
        // struct ucred, which Swift's Glibc module does not have.
        var peer: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else { return false }
        return peer.user == geteuid() || peer.user == 0
    }

    // MARK: Reading and writing

    enum Received {
        case octets(ArraySlice<UInt8>)
        /// The other side has closed the connection.
        case end
        /// The time limit has passed; more data may follow.
        case nothing
        case failed
    }

    static func receive(_ socket: Int32) -> Received {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket, &buffer, buffer.count, 0)
        if count > 0 { return .octets(buffer[..<count]) }
        if count == 0 { return .end }
        return [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) ? .nothing : .failed
    }

    /// Whether all bytes were written.
    static func write(_ socket: Int32, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

import Glibc
import NIOCore

/// Makes the system acknowledge received data at once. Otherwise a server that writes an answer in small pieces, and
/// waits for each acknowledgement, is delayed by 40 ms for each piece. Linux resets the option, so it is set with each
/// read. tcp(7), TCP_QUICKACK.
enum QuickAck {
    static func ask(_ channel: any Channel) {
        guard let options = channel as? any SocketOptionProvider else { return }
        // If the option cannot be set, only the speed changes.
        _ = options.unsafeSetSocketOption(
            level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_QUICKACK), value: CInt(1))
    }
}

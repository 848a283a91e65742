import Glibc
import NIOCore

/// Tells the system to acknowledge at once what came in: a server that writes an answer in small pieces, and waits for
/// each to be acknowledged, is else held up for 40 ms a piece. Linux forgets the wish, so it is made with each read.
/// tcp(7), TCP_QUICKACK.
enum QuickAck {
    static func ask(_ channel: any Channel) {
        guard let options = channel as? any SocketOptionProvider else { return }
        // One that cannot be set changes nothing but the speed.
        _ = options.unsafeSetSocketOption(
            level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_QUICKACK), value: CInt(1))
    }
}

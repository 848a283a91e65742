import MIMEParser
import Models

/// The result of a move without proof: one table over both ends.
///
/// | in the source | new in the destination | verdict |
/// |---|---|---|
/// | yes | none | ``notApplied`` |
/// | no | one | ``confirmed(_:)`` |
/// | yes | one | ``partial(_:)`` |
/// | no | none | ``elsewhere`` |
/// | any | several | the one with the same time and size, else ``ambiguous`` |
///
/// RFC 6851 §3.3: a server may leave a message at both ends, never at neither.
enum MoveVerdict: Equatable {
    /// The move may be requested again.
    case notApplied
    case confirmed(FoundMessage)
    /// The server made a copy, but did not remove the original.
    case partial(FoundMessage)
    /// Another program moved or removed it.
    case elsewhere
    /// Several messages match, and opus cannot tell which one was moved.
    case ambiguous

    /// The known properties of the message itself.
    struct Original {
        /// The canonical header block.
        var header: [UInt8]
        var received: Timestamp?
        var size: Int?
    }

    /// - Parameters:
    ///   - inSource: whether it is still where it was.
    ///   - found: candidates in the destination, whatever they were found by.
    ///   - original: the message itself.
    ///   - firstNew: the destination's UIDNEXT before the move: messages below it were there before. nil:
    ///     unknown.
    /// - Returns: the row of the table.
    static func judge(
        inSource: Bool, found: [FoundMessage], original: Original, firstNew: UInt32?
    ) -> MoveVerdict {
        let arrived = found.filter { message in
            (message.uid == 0 || message.uid >= firstNew ?? 0)
                && HeaderBlock.canonical(message.header) == original.header
                && (inSource || !isOfOtherSize(message, original))
        }
        guard let arrival = one(of: arrived, original) else {
            if arrived.count > 1 { return .ambiguous }
            return inSource ? .notApplied : .elsewhere
        }
        return inSource ? .partial(arrival) : .confirmed(arrival)
    }

    /// Scans and imports may share a header; their sizes distinguish them. While the message is still in the
    /// source, opus compares the bytes of both before it decides.
    private static func isOfOtherSize(_ message: FoundMessage, _ original: Original) -> Bool {
        guard let size = message.size, let expected = original.size, expected > 0, size != expected else {
            return false
        }
        return !HeaderBlock.identifies(original.header)
    }

    /// A server keeps INTERNALDATE and the size of a message that it moves or copies. RFC 3501 §6.4.7.
    private static func one(of arrived: [FoundMessage], _ original: Original) -> FoundMessage? {
        guard arrived.count > 1 else { return arrived.first }
        let alike = arrived.filter { $0.received == original.received && $0.size == original.size }
        return alike.count == 1 && original.received != nil ? alike.first : nil
    }
}

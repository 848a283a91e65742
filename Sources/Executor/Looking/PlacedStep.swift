import MIMEParser
import Models

/// A step on a message, and the place for which it was planned.
struct PlacedStep {
    let step: Step
    let key: MessageKey
}

enum View {
    case there(Sighting)
    case gone
    case another
    /// The message is there, but the account did not return it.
    case unreadable

    /// Why a step waits whose message is unreadable.
    static let notReturned = "the server did not return the message; opus tries again"

    var isAnother: Bool {
        if case .another = self { return true }
        return false
    }
}

/// A step, and the message that is at its place now.
struct Aimed {
    let step: Step
    let target: Target
    let view: View
    let headerBlock: [UInt8]
    let messageID: MessageID?
    let remoteID: String?
    /// As stored: distinguishes two messages with the same header.
    let received: Timestamp?
    let size: Int?

    var isMarkedDeleted: Bool {
        if case .there(let sighting) = view { return sighting.flags.contains(.deleted) }
        return false
    }

    /// The header block in its canonical form.
    var header: [UInt8] { HeaderBlock.canonical(headerBlock) }
}

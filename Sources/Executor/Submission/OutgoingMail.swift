import Models

/// A mail that is to be sent, as its step has it.
struct OutgoingMail {
    let message: [UInt8]
    let reversePath: String
    let forwardPaths: [String]
    let token: MessageID
}

import Models

/// A mail to be sent, as stored in its step.
struct OutgoingMail {
    let message: [UInt8]
    let reversePath: String
    let forwardPaths: [String]
    let token: MessageID
}

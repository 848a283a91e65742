/// The flags of a message after a STORE, as the server reports them: the proof of the change.
///
/// A message without an echo was not changed: some servers answer OK for a missing message.
public struct FlagEcho: Equatable, Sendable {
    public var uid: UInt32
    public var flags: [String]
    public var modSeq: UInt64?

    public init(uid: UInt32, flags: [String], modSeq: UInt64? = nil) {
        self.uid = uid
        self.flags = flags
        self.modSeq = modSeq
    }
}

/// The labels of a message after a STORE of labels, in the server's bytes: the proof of the change.
public struct LabelEcho: Equatable, Sendable {
    public var uid: UInt32
    public var labels: [[UInt8]]

    public init(uid: UInt32, labels: [[UInt8]]) {
        self.uid = uid
        self.labels = labels
    }
}

/// The flags that a message has after a STORE, in the server's words: the evidence that it happened.
///
/// A message without an echo was not changed: some servers answer OK for one that is gone.
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

/// The labels that a message has after a STORE of labels, in the server's bytes: the evidence that it happened.
public struct LabelEcho: Equatable, Sendable {
    public var uid: UInt32
    public var labels: [[UInt8]]

    public init(uid: UInt32, labels: [[UInt8]]) {
        self.uid = uid
        self.labels = labels
    }
}

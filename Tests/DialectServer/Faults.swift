/// What goes wrong, and when: a plan that a test arms, and that plays out the same way each time.
public struct Fault: Sendable, CustomStringConvertible {
    public enum Effect: Sendable {
        /// The connection ends; the command is not carried out.
        case closeBeforeReply
        /// The command is carried out, and the connection ends without an answer.
        case closeAfterDoing
        /// Carried out; the untagged responses come, the tagged one does not.
        case closeBeforeEnd
        /// Carried out; the connection ends after so many octets of the reply.
        case closeAfterOctets(Int)
        /// Nothing comes any more, and the connection stays.
        case stall
        case bye
        /// `NO [UNAVAILABLE] text`; not carried out.
        case refuse(status: String, code: String?)
        /// A line before the reply that no grammar knows.
        case garbage
        /// More untagged responses before the end.
        case untagged([String])
        /// VANISHED, or VANISHED (EARLIER), for messages that are still there.
        case lyingVanished
        /// The command is carried out, its FETCH responses do not come.
        case withoutFetchData
        case duplicateFetch
        case reverseFetch
        /// UIDVALIDITY of every mailbox changes before the command.
        case newUIDValidity(String)
        /// The answer is cut off somewhere, or replaced from there on.
        case cut(Cut)
        /// Another client comes first; the text is human-readable.
        case act(String, @Sendable (inout MailModel) -> Void)
    }

    /// `SELECT`, `UID FETCH`; nil for every command.
    public var command: String?
    /// So many of them go well before.
    public var skipping: Int
    /// How many times.
    public var count: Int
    public var effect: Effect

    public init(_ effect: Effect, at command: String? = nil, skipping: Int = 0, count: Int = 1) {
        self.effect = effect
        self.command = command
        self.skipping = skipping
        self.count = count
    }

    public var description: String {
        let place = "at \(command ?? "any command") +\(skipping)" + (count > 1 ? " ×\(count)" : "")
        if case .act(let words, _) = effect { return "\(words) \(place)" }
        return "\(effect) \(place)"
    }
}

extension Fault.Effect {
    /// What happens before the command; nil lets it run.
    func replacement() -> Reply? {
        switch self {
        case .closeBeforeReply: Reply(closes: true, isWithoutEnd: true)
        case .stall: Reply(isWithoutEnd: true)
        case .bye:
            Reply(untagged: [Array("* BYE the server is going down".utf8)], closes: true, isWithoutEnd: true)
        case .refuse(let status, let code): Reply(status: status, code: code, text: "not now")
        case .closeAfterDoing, .closeBeforeEnd, .closeAfterOctets, .garbage, .untagged, .lyingVanished,
            .withoutFetchData, .duplicateFetch, .reverseFetch, .newUIDValidity, .cut, .act:
            nil
        }
    }

    /// What happens to the reply.
    func spoil(_ reply: inout Reply) {
        switch self {
        case .closeAfterDoing:
            reply = Reply(closes: true, isWithoutEnd: true)
        case .closeBeforeEnd:
            reply.closes = true
            reply.isWithoutEnd = true
        case .garbage:
            reply.untagged.insert(Array("* %&! (((".utf8), at: 0)
        case .untagged(let lines):
            reply.untagged += lines.map { Array($0.utf8) }
        case .withoutFetchData:
            reply.untagged.removeAll(where: Self.isFetch)
        case .duplicateFetch:
            reply.untagged = reply.untagged.flatMap { Self.isFetch($0) ? [$0, $0] : [$0] }
        case .reverseFetch:
            let fetches = reply.untagged.filter(Self.isFetch)
            reply.untagged = reply.untagged.filter { !Self.isFetch($0) } + fetches.reversed()
        case .closeBeforeReply, .closeAfterOctets, .stall, .bye, .refuse, .lyingVanished, .newUIDValidity,
            .cut, .act:
            break
        }
    }

    static func isFetch(_ line: [UInt8]) -> Bool {
        let words = line.prefix(30).split(separator: UInt8(ascii: " "), maxSplits: 3)
        return words.count > 2 && words[0] == [UInt8(ascii: "*")] && words[2].starts(with: "FETCH".utf8)
    }
}

/// The faults that are still to come.
struct FaultPlan {
    private var waiting: [Fault] = []

    var isEmpty: Bool { waiting.isEmpty }

    mutating func arm(_ faults: [Fault]) { waiting += faults }
    mutating func disarm() { waiting = [] }

    /// The effects that this command meets.
    mutating func take(_ name: String) -> [Fault.Effect] {
        var effects: [Fault.Effect] = []
        for index in waiting.indices where waiting[index].command == nil || waiting[index].command == name {
            if waiting[index].skipping > 0 {
                waiting[index].skipping -= 1
            } else {
                waiting[index].count -= 1
                effects.append(waiting[index].effect)
            }
        }
        waiting.removeAll { $0.count <= 0 }
        return effects
    }
}

/// Which parts of a multipart are its text, and which are beside it. RFC 2387 §3.2, RFC 6522 §3.
struct ShownParts {
    private let message: ParsedMessage

    init(_ message: ParsedMessage) { self.message = message }

    /// The shown children of a multipart other than alternatives, in order.
    func children(of part: Part) -> ArraySlice<Int> {
        switch part.contentType.subtype {
        case "related": relatedRoot(part)
        case "signed": part.children.prefix(1)
        case "report":
            part.children.prefix(1)
                + part.children.dropFirst().filter { isDeliveryStatus(message.parts[$0]) }
        case "encrypted": []
        case _: part.children[...]
        }
    }

    /// Whether the part is a text that is not shown: a further one in multipart/related, or one below a signed
    /// part.
    func leavesOut(_ part: Part) -> Bool {
        guard let parent = part.parent.map({ message.parts[$0] }),
            ["related", "signed"].contains(parent.contentType.subtype)
        else { return false }
        return !children(of: parent).contains(part.index)
    }

    /// Whether the part of a report says what happened to each recipient. RFC 3464, RFC 6533.
    func isDeliveryStatus(_ part: Part) -> Bool {
        part.contentType.type == "message"
            && ["delivery-status", "global-delivery-status"].contains(part.contentType.subtype)
            && part.parent.map { message.parts[$0].contentType.subtype } == "report"
    }

    /// The part that `start` names, otherwise the first one. RFC 2387 §3.2. Some programs put a picture first: then it is
    /// the first part that can be shown.
    private func relatedRoot(_ related: Part) -> ArraySlice<Int> {
        let children = related.children
        let wanted = related.contentType.parameters["start"].flatMap(Self.bareID)
        let named = wanted.flatMap { wanted in
            children.prefix(Self.mostRoots).firstIndex {
                message.contentID(of: message.parts[$0]) == wanted
            }
        }
        let shown = children.firstIndex { index in
            let part = message.parts[index]
            return part.contentType.isMultipart || message.isInlineText(part)
        }
        guard let root = named ?? shown else { return children.prefix(1) }
        return children[root...root]
    }

    /// The maximum number of related parts in which the root is searched.
    private static let mostRoots = 100

    private static func bareID(_ text: String) -> String? {
        let id = Array(text.utf8)[...].trimmed.drop { $0 == ASCII.less }
        let bare = id.last == ASCII.greater ? id.dropLast() : id
        return bare.isEmpty ? nil : bare.text
    }
}

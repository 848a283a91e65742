import IMAPProtocol
import NIOCore

/// Makes a requested message from the server's answers: which items came, are missing, or were too long.
extension FetchedMessage {
    init(_ uid: UInt32, _ response: FetchResponse, _ items: FetchItems) {
        self.init(
            uid: uid, flags: response.flags ?? [], internalDate: response.internalDate,
            size: response.size.flatMap { Int(exactly: $0) }, header: items.header(of: response),
            body: items.body(of: response), modSeq: response.modSeq, missing: items.missing(in: response),
            omittedSize: items.omittedSize(in: response))
        emailID = response.emailID
        gmailID = response.gmailMessageID
        labels = response.gmailLabels
        structure = response.bodyStructure
        for request in items.sections { sections[request.name] = request.bytes(of: response) }
    }
}

extension FetchItems {
    /// Whether message data was requested. If so, the message is complete when all data came, otherwise when all items
    /// came.
    var wantData: Bool { header || body != nil || !sections.isEmpty }

    func areIn(_ response: FetchResponse) -> Bool {
        (!header || response.section("HEADER") != nil) && (body == nil || response.section("") != nil)
            && sections.allSatisfy { response.section($0.name) != nil }
    }

    /// Identifiers are not included: they are optional hints.
    func missing(in response: FetchResponse) -> Set<FetchedMessage.Item> {
        var missing: Set<FetchedMessage.Item> = []
        if flags, response.flags == nil { missing.insert(.flags) }
        if internalDate, response.internalDate == nil { missing.insert(.internalDate) }
        if size, response.size == nil { missing.insert(.size) }
        if modSeq, response.modSeq == nil { missing.insert(.modSeq) }
        if gmailLabels, response.gmailLabels == nil { missing.insert(.labels) }
        if bodyStructure, response.bodyStructure == nil { missing.insert(.structure) }
        if header, header(of: response) == nil { missing.insert(.header) }
        if body != nil, body(of: response) == nil { missing.insert(.body) }
        if sections.contains(where: { $0.bytes(of: response) == nil }) { missing.insert(.sections) }
        return missing
    }

    func header(of response: FetchResponse) -> ByteBuffer? {
        guard header, case .bytes(let buffer) = response.section("HEADER")?.content,
            buffer.readableBytes <= headerMaximum
        else { return nil }
        return buffer
    }

    /// At most the requested size, even from a server without partial fetches.
    func body(of response: FetchResponse) -> ByteBuffer? {
        guard case .bytes(let buffer) = response.section("")?.content else { return nil }
        return switch body {
        case nil: nil
        case .whole(let maximum): buffer.readableBytes <= maximum ? buffer : nil
        case .first(let count): buffer.start(max(1, count))
        }
    }

    /// The size of the first data that was discarded.
    func omittedSize(in response: FetchResponse) -> Int? {
        for section in response.sections {
            switch section.content {
            case .omitted(let size): return size
            case .bytes(let buffer):
                if isAsked(section.name), !keeps(section.name, of: response) { return buffer.readableBytes }
            case .missing: continue
            }
        }
        return nil
    }

    private func isAsked(_ name: String) -> Bool {
        switch name {
        case "HEADER" where header: true
        case "": body != nil
        default: sections.contains { $0.name == name }
        }
    }

    private func keeps(_ name: String, of response: FetchResponse) -> Bool {
        switch name {
        case "HEADER" where header: header(of: response) != nil
        case "": body(of: response) != nil
        default: sections.first { $0.name == name }?.bytes(of: response) != nil
        }
    }
}

extension SectionRequest {
    /// The data of the section, cut to the count of a partial fetch; nil: the whole section is too long.
    fileprivate func bytes(of response: FetchResponse) -> ByteBuffer? {
        guard let section = response.section(name), case .bytes(let buffer) = section.content else {
            return nil
        }
        if let offset {
            // A server without partial fetches sends the whole section. Its beginning is usable, later pieces are not.
            guard Int(section.origin ?? 0) == offset else { return nil }
            return buffer.start(count)
        }
        return buffer.readableBytes <= count ? buffer : nil
    }
}

extension ByteBuffer {
    fileprivate func start(_ count: Int) -> ByteBuffer? {
        getSlice(at: readerIndex, length: min(count, readableBytes))
    }
}

// What must hold for every response, whatever its bytes were.

public import IMAPProtocol
import NIOCore
import Oracle

/// Holds a response against every promise of the parser.
public func check(_ response: Response, size: Int, _ limits: ResponseLimits) {
    switch response {
    case .tagged(let tag, let status):
        promise((1...64).contains(tag.rawValue.utf8.count), "a tag is short")
        promise(status.status != .bye && status.status != .preauth, "a tagged response is OK, NO or BAD")
        check(status, limits)
    case .continuation(let text): checkWords(text)
    case .untagged(let untagged): check(untagged, size: size, limits)
    }
}

private func check(_ response: Untagged, size: Int, _ limits: ResponseLimits) {
    switch response {
    case .status(let status): check(status, limits)
    case .search(let found):
        let isBounded = found.numbers.count <= limits.numbers
        promise(isBounded && !found.numbers.contains(0), "numbers are bounded, and above 0")
    case .esearch(let found):
        for set in [found.all, found.partial].compactMap(\.self) { check(set) }
    case .vanished(let gone): check(gone.uids)
    case .fetch(let fetch): check(fetch, limits)
    case .unparsable(let lost):
        promise(lost.offset >= 0 && lost.offset <= size, "a fault is inside what came")
        promise(lost.excerpt.count <= 200, "an excerpt is short")
        promise(lost.uid != 0, "no message has the UID 0")
    case .flags(let flags): flags.forEach(checkWords)
    case .list(let listed):
        promise(!ModifiedUTF7.displayName(listed.name).isEmpty || listed.name.isEmpty, "a name is shown")
        promise(listed.attributes.count <= limits.items, "attributes are bounded")
    case .id(let fields):
        promise(fields.count <= limits.items, "fields are bounded")
        for field in fields { [field.name, field.value ?? ""].forEach(checkWords) }
    case .capability, .enabled, .mailboxStatus, .exists, .recent, .expunge, .namespace, .myRights, .quota,
        .quotaRoot,
        .blank,
        .other:
        break
    }
}

/// 500 octets of a server's words; those that are no UTF-8 take three.
private func checkWords(_ text: String) {
    promise(text.utf8.count <= 1_503, "a server's words are bounded")
}

private func check(_ status: StatusResponse, _ limits: ResponseLimits) {
    checkWords(status.text)
    switch status.code {
    case .copyUID(let proof):
        promise(proof.sources.count == proof.destinations.count, "a proof of a copy has pairs")
        promise(proof.sources.count <= limits.items, "a proof is bounded")
    case .modified(let set): check(set)
    case .other(let name, let arguments): [name, arguments].forEach(checkWords)
    case _: break
    }
}

private func check(_ set: UIDSet) {
    var end: UInt32 = 0
    for range in set.ranges {
        promise(range.lowerBound > 0, "no message has the UID 0")
        promise(end == 0 || range.lowerBound - 1 > end, "ranges ascend and do not touch: \(set)")
        end = range.upperBound
    }
    guard set.ranges.count <= 100 else { return }
    let pieces = set.split(maximumBytes: 24)
    promise(pieces.allSatisfy { $0.description.utf8.count <= 24 }, "a piece of a set fits its line")
    promise(pieces.reduce(UIDSet()) { $0.union($1) } == set, "the pieces of a set are the set")
    guard !set.isEmpty else { return }
    let again = Reading(Array("* VANISHED \(set)\r\n".utf8), .whole, .standard)
    promise(again.responses == [.untagged(.vanished(VanishedUIDs(set)))], "a set is read as it is written")
}

private func check(_ fetch: FetchResponse, _ limits: ResponseLimits) {
    promise(fetch.uid != 0 && fetch.modSeq != 0, "neither a UID nor a MODSEQ is 0")
    fetch.flags?.forEach(checkWords)
    if let date = fetch.internalDate {
        let written = InternalDate.format(date)
        let inside = (-62_167_219_200...253_402_300_799).contains(date)
        promise(!inside || InternalDate.parse(written.utf8) == date, "a date is read as written: \(written)")
    }
    if let structure = fetch.bodyStructure { check(structure, limits) }
    if let envelope = fetch.envelope { check(envelope, limits) }
    for id in [fetch.emailID, fetch.threadID].compactMap(\.self) { checkWords(id) }
    var merged = FetchResponse(sequenceNumber: fetch.sequenceNumber)
    merged.merge(fetch)
    promise(merged == fetch, "what is merged into nothing stays what it is")
}

private func check(_ envelope: Envelope, _ limits: ResponseLimits) {
    let lists = [
        envelope.from, envelope.sender, envelope.replyTo, envelope.to, envelope.cc, envelope.bcc,
    ]
    promise(lists.reduce(0) { $0 + $1.count } <= limits.items, "addresses are bounded")
    for address in lists.joined() { checkWords(address.address ?? "") }
}

/// Parts hang together, and each number that can be fetched is the number of one part.
private func check(_ structure: BodyStructure, _ limits: ResponseLimits) {
    let parts = structure.parts
    promise((1...limits.parts).contains(parts.count), "parts are bounded, and there is one")
    var owners: [String: Int] = [:]
    for (index, part) in parts.enumerated() {
        if let parent = part.parent {
            let isThere = parent < index && parts[parent].children.contains(index)
            promise(isThere, "part \(index) hangs on its parent")
        } else {
            promise(index == 0, "only the first part has no parent")
        }
        for child in part.children {
            promise(child > index && parts[child].parent == index, "children of \(index) hang on it")
        }
        if let first = owners[part.section] {
            promise(part.parent == first && part.type == "multipart", "section \(part.section) is one part")
        } else {
            owners[part.section] = index
        }
        if let envelope = part.envelope { check(envelope, limits) }
    }
    promise(structure.leaves.allSatisfy { !$0.section.isEmpty }, "what can be fetched has a number")
}

import Inspection
import Models
import Pipeline

/// A response of an IMAP server in words. It contains text of strangers: escape it before you print it.
struct ResponseText {
    let words: String

    init(_ response: ResponseInspection) {
        var pieces = Self.status(response)
        pieces += response.number.map { ["\($0)"] } ?? []
        pieces += response.capabilities ?? []
        pieces += response.flags ?? []
        pieces += response.list.map(Self.pieces) ?? []
        pieces += response.mailboxStatus.map(Self.pieces) ?? []
        pieces += response.search.map(Self.pieces) ?? []
        pieces += response.vanished.map { [$0.uids, $0.earlier ? "earlier" : ""] } ?? []
        pieces += response.fetch.map(FetchText.pieces) ?? []
        pieces += response.id?.map { "\($0.name)=\($0.value ?? "NIL")" } ?? []
        pieces += response.namespace.map(Self.pieces) ?? []
        pieces += response.rights.map { [$0.mailbox.name + ":", $0.rights] } ?? []
        pieces += response.quota.map(Self.pieces) ?? []
        pieces += response.quotaRoot.map { [$0.mailbox.name + ":"] + $0.roots.map { "\"\($0)\"" } } ?? []
        pieces += [response.keyword ?? ""]
        pieces += response.unparsable.map(Self.pieces) ?? []
        if response.kind == "incomplete" {
            pieces.append(counted(response.length, "byte") + " without an end")
        }
        if !response.quirks.isEmpty {
            pieces.append("{" + response.quirks.keys.sorted().joined(separator: ", ") + "}")
        }
        words = pieces.filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private static func status(_ response: ResponseInspection) -> [String] {
        let code = response.code.map { "[" + pieces($0).joined(separator: " ") + "]" }
        return [response.tag, response.status, code, response.text].compactMap(\.self)
    }

    private static func pieces(_ code: CodeInspection) -> [String] {
        let list = { (numbers: [UInt32]?) in numbers?.map(String.init).joined(separator: ",") }
        return [
            code.name, code.uidValidity.map(String.init), code.uid.map(String.init),
            code.number.map(String.init), code.flags?.joined(separator: " "),
            code.capabilities?.joined(separator: " "), list(code.sources), list(code.destinations), code.uids,
            code.arguments,
        ].compactMap(\.self)
    }

    private static func pieces(_ list: ListInspection) -> [String] {
        let facts = [
            list.mailbox.name, list.role.map { "(\($0))" }, list.delimiter.map { "delimiter \($0)" },
            list.oldName.map { "was \($0.name)" },
        ]
        return facts.compactMap(\.self) + list.attributes + list.childInfo
    }

    private static func pieces(_ status: MailboxStatusInspection) -> [String] {
        let items: [(String, UInt64?)] = [
            ("messages", status.messages.map(UInt64.init)), ("recent", status.recent.map(UInt64.init)),
            ("unseen", status.unseen.map(UInt64.init)), ("deleted", status.deleted.map(UInt64.init)),
            ("uidnext", status.uidNext.map(UInt64.init)),
            ("uidvalidity", status.uidValidity.map(UInt64.init)), ("modseq", status.highestModSeq),
            ("size", status.size), ("appendlimit", status.appendLimit),
        ]
        let numbers = items.compactMap { name, value in value.map { "\(name) \($0)" } }
        return [status.mailbox.name] + numbers + (status.mailboxID.map { ["id \($0)"] } ?? [])
    }

    private static func pieces(_ search: SearchInspection) -> [String] {
        let facts = [
            search.tag, search.count.map { "\($0) found" }, search.numbers, search.min.map { "min \($0)" },
            search.max.map { "max \($0)" }, search.partial.map { "partial \($0)" },
            search.highestModSeq.map { "modseq \($0)" },
        ]
        return facts.compactMap(\.self)
    }

    private static func pieces(_ namespace: NamespaceInspection) -> [String] {
        let all = [
            ("personal", namespace.personal), ("others", namespace.otherUsers), ("shared", namespace.shared),
        ]
        return all.flatMap { name, entries in
            entries.map { "\(name) \"\($0.prefix)\" \($0.delimiter ?? "NIL")" }
        }
    }

    private static func pieces(_ quota: QuotaInspection) -> [String] {
        ["\"\(quota.root)\""] + quota.resources.map { "\($0.name) \($0.usage) of \($0.limit)" }
    }

    private static func pieces(_ lost: UnparsableInspection) -> [String] {
        [
            lost.keyword ?? "", lost.uid.map { "uid \($0)" } ?? "", "\(lost.reason) at \(lost.at)",
            "in: \(lost.excerpt)",
        ]
    }
}

/// What FETCH says of one message, in words.
enum FetchText {
    static func pieces(_ fetch: FetchInspection) -> [String] {
        let facts = [
            "#\(fetch.sequence)", fetch.uid.map { "uid \($0)" },
            fetch.flags.map { "flags (\($0.joined(separator: " ")))" }, fetch.size.map { "size \($0)" },
            fetch.modSeq.map { "modseq \($0)" }, fetch.internalDate, fetch.emailID.map { "email \($0)" },
            fetch.threadID.map { "thread \($0)" }, fetch.gmailMessageID.map { "gmail \($0)" },
            fetch.gmailThreadID.map { "gmail thread \($0)" },
            fetch.gmailLabels.map { "labels (\($0.map(\.name).joined(separator: ", ")))" },
            fetch.envelope.map(words), fetch.structure.map(words),
        ]
        let lost = fetch.unreadable.map { "unreadable \($0.name)" + ($0.reason.map { ": \($0)" } ?? "") }
        return facts.compactMap(\.self) + fetch.sections.map(words) + lost
    }

    private static func words(_ envelope: EnvelopeInspection) -> String {
        let from = envelope.from.compactMap { person in
            person.mailbox.map { "\($0)@\(person.host ?? "")" }
        }
        return "envelope \"\(envelope.subject ?? "")\" from \(from.first ?? "(no address)")"
    }

    private static func words(_ parts: [BodyPartInspection]) -> String {
        let described = parts.map { part in
            (part.section.isEmpty ? "" : part.section + " ") + part.contentType
                + (part.size.map { " \($0)" } ?? "")
        }
        return "parts (" + described.joined(separator: ", ") + ")"
    }

    private static func words(_ section: SectionInspection) -> String {
        let origin = section.origin.map { "<\($0)>" } ?? ""
        guard let size = section.size else { return "BODY[\(section.section)]\(origin) NIL" }
        let sum = section.sha256.map { " sha256 \($0.prefix(12))" } ?? ""
        return "BODY[\(section.section)]\(origin) \(counted(size, "byte"))\(sum)"
    }
}

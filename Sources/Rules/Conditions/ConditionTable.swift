/// All conditions of the rules language, in the order of the help page. Each one, or each group of similar
/// ones, has its own file in this folder.
enum ConditionTable {
    static let entries: [ConditionEntry] = [
        .from,
        .to,
        .cc,
        .bcc,
        .replyTo,
        .sender,
        .recipient,
        .recipientCount,
        .deliveredTo,
        .returnPath,
        .subject,
        .body,
        .text,
        .amount,
        .header,
        .listId,
        .list,
        .listUnsubscribe,
        .precedence,
        .autoSubmitted,
        .isBulk,
        .isBounce,
        .isAutoReply,
        .isInvite,
        .isReceipt,
        .hasAttachment,
        .hasPDF,
        .hasInvite,
        .attachmentName,
        .attachmentText,
        .attachmentType,
        .attachmentSize,
        .size,
        .messageID,
        .opusID,
        .isSigned,
        .isEncrypted,
        .isUnread,
        .isRead,
        .isFlagged,
        .isAnswered,
        .isDraft,
        .isDuplicate,
        .isSnoozed,
        .isBack,
        .keyword,
        .label,
        .inMailbox,
        .threadSize,
        .threadUnanswered,
        .threadIReplied,
        .threadWaitingFor,
        .threadHas,
        .hasOpenTask,
        .taskList,
        .taskWaiting,
        .taskAnswered,
        .taskOverdue,
        .taskWaited,
        .authDmarc,
        .authDkim,
        .authSpf,
        .signedValid,
        .signedBroken,
        .senderFirstSeen,
        .senderCount,
        .daysSince,
        .matched,
        .age,
        .older,
        .newer,
        .date,
        .sent,
        .received,
        .event,
        .weekday,
        .day,
        .month,
        .time,
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: entries.map { ($0.name, $0) })

    /// Words before a colon that require a second word: `is`, `has`, `attachment`, `thread`, `task`, `auth`, `sender`.
    static let families = Set(
        entries.compactMap { entry in
            entry.name.contains("<")
                ? nil : entry.name.split(separator: ":").dropLast().first.map(String.init)
        })

    /// The entry of a full name such as `from` or `is:unread`; `header:<name>` is found by that name.
    static func entry(_ name: String) -> ConditionEntry? { byName[name] }

    /// All valid names, for "did you mean".
    static let names: [String] =
        entries.map(\.name).map { $0 == "header:<name>" ? "header" : $0 } + families.sorted()

    static func words(ofFamily family: String) -> [String] {
        entries.filter { $0.name.hasPrefix(family + ":") }
            .map { String($0.name.dropFirst(family.count + 1)) }
    }
}

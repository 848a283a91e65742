/// opus recognises more marks of replies and forwards, such as `R:`. The next syncs read the subjects again that may have one.
enum SubjectMarkSchema {
    static let sql = """
        INSERT OR IGNORE INTO subject_due (account, subject_key)
            SELECT account, subject_key FROM message WHERE subject_key <> 0 AND (\(isMarked));
        UPDATE message SET subject_key = NULL WHERE subject_key <> 0 AND (\(isMarked));
        """

    /// Finds too many rather than too few: each is only read again. SQLite folds no letters beyond ASCII.
    private static let isMarked = ["r", "i", "bls", "odg", "trs", "رد", "إعادة توجيه", "השב", "הועבר"]
        .flatMap { mark in [":", " :", "："].map { "subject LIKE '%\(mark)\($0)%'" } }
        .joined(separator: " OR ")
}

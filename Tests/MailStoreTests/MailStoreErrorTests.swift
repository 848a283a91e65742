import GRDB
import Testing

@testable import MailStore

@Suite struct MailStoreErrorTests {
    @Test(
        "SQLite result codes become errors of the store, without the SQL",
        arguments: [
            (ResultCode.SQLITE_FULL, MailStoreError.full),
            (.SQLITE_BUSY, .busy),
            (.SQLITE_BUSY_SNAPSHOT, .busy),
            (.SQLITE_CORRUPT_VTAB, .corrupt(reason: "why")),
            (.SQLITE_NOTADB, .corrupt(reason: "why")),
            (.SQLITE_IOERR_FSYNC, .io(reason: "why")),
            (.SQLITE_READONLY, .io(reason: "why")),
            (.SQLITE_ERROR, .sql(reason: "why")),
        ])
    func codes(_ code: ResultCode, _ expected: MailStoreError) {
        let error = DatabaseError(
            resultCode: code, message: "why", sql: "SELECT secret FROM mail", arguments: ["secret"])
        #expect(MailStoreError(error) == expected)
        #expect(!MailStoreError(error).description.contains("secret"))
    }

    @Test("the error about a file that cannot be opened names the file")
    func opening() {
        let error = DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "why")
        #expect(MailStoreError(error, opening: "/a/b") == .cannotOpen(path: "/a/b", reason: "why"))
    }
}

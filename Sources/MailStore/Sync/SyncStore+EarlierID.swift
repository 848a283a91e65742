import GRDB
public import Models

extension SyncStore {
    /// The id of the content in the old store during a rebuild; nil: it had none, or the store is not being
    /// rebuilt.
    public func earlierID(
        fingerprint: String, header: String, body: BodyDigest?, account: AccountID
    ) throws(MailStoreError) -> EmailID? {
        try file.lookingUp { db in
            guard let earlier = try EarlierStore(db), let account = try db.accountRow(account) else {
                return nil
            }
            return try earlier.id(fingerprint: fingerprint, header: header, body: body, account: account)
                .map { EmailID(rawValue: $0) }
        }
    }
}

public import Models

/// A message in a report that may be one of a bundle.
public protocol BundledMail {
    var bundle: Bundle? { get }
    var writer: EmailAddress? { get }
}

extension BundleNames {
    /// The messages with a line of their own, and the bundles of more than one message, sorted by name.
    public static func grouping<Mail: BundledMail>(
        _ mails: [Mail]
    ) -> (single: [Mail], bundles: [BundleNames]) {
        let members = Dictionary(grouping: mails, by: \.bundle)
        let isBundled = { (bundle: Bundle?) in bundle != nil && (members[bundle]?.count ?? 0) > 1 }
        let bundles = members.compactMap { bundle, all in
            isBundled(bundle) ? bundle.map { BundleNames($0, writers: all.map(\.writer)) } : nil
        }
        return (mails.filter { !isBundled($0.bundle) }, bundles.sorted { $0.bundle < $1.bundle })
    }
}

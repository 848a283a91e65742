/// A document with the keys of a report of `Inspection`, and its schema.
public protocol ReportDocument: Encodable {
    associatedtype Report: Encodable

    var schema: String { get }
    var report: Report { get }
}

private enum SchemaKey: CodingKey { case schema }

extension ReportDocument {
    public func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var keys = encoder.container(keyedBy: SchemaKey.self)
        try keys.encode(schema, forKey: .schema)
    }
}

/// Parses a message into its parts, in one pass. It never fails and does not recurse.
///
/// Errors are in ``ParsedMessage/defects``; a message beyond a limit is read up to it.
public func parse(_ bytes: [UInt8], limits: MIMELimits = .standard) -> ParsedMessage {
    var scanner = PartScanner(bytes, limits: limits)
    scanner.run()
    return ParsedMessage(
        bytes: bytes, parts: scanner.parts, fields: scanner.fields, defects: scanner.log.defects,
        limits: limits)
}

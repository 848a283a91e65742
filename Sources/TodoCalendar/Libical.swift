import CLibical

/// All calls of libical's parser and writer.
///
/// For text that libical creates, only functions that return an owned buffer (`_r`) are used: the others share a ring
/// of buffers that is overwritten.
enum Libical {
    /// Runs on libical's thread (``CalendarThread``).
    static func run<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try CalendarThread.run(body)
    }

    /// Copies a buffer that libical returned, and frees it.
    static func take(_ buffer: UnsafeMutablePointer<CChar>?) -> String? {
        guard let buffer else { return nil }
        defer { icalmemory_free_buffer(buffer) }
        return String(cString: buffer)
    }

    /// Parses text that ``CalendarOutline`` accepted. The caller frees the component.
    static func parse(_ text: [UInt8]) -> OpaquePointer? {
        let characters = text.map { CChar(bitPattern: $0) } + [0]
        return icalparser_parse_string(characters)
    }

    static func properties(of component: OpaquePointer) -> [OpaquePointer] {
        var found: [OpaquePointer] = []
        var next = icalcomponent_get_first_property(component, ICAL_ANY_PROPERTY)
        while let property = next {
            found.append(property)
            next = icalcomponent_get_next_property(component, ICAL_ANY_PROPERTY)
        }
        return found
    }

    static func components(
        of component: OpaquePointer, _ kind: icalcomponent_kind = ICAL_ANY_COMPONENT
    ) -> [OpaquePointer] {
        var found: [OpaquePointer] = []
        var next = icalcomponent_get_first_component(component, kind)
        while let child = next {
            found.append(child)
            next = icalcomponent_get_next_component(component, kind)
        }
        return found
    }

    /// The number of lines that libical cannot parse: it would write an X-LIC-ERROR for each.
    static func errorCount(_ text: [UInt8]) -> Int? {
        guard let component = parse(text) else { return nil }
        defer { icalcomponent_free(component) }
        return Int(icalcomponent_count_errors(component))
    }
}

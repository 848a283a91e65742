import CLibical
import Models

/// The relation of a task to another one: a RELATED-TO line. RFC 5545 §3.8.4.5, RFC 9253 §4.
///
/// Other programs read only the first PARENT; they keep DEPENDS-ON without showing it.
struct TodoRelation: Equatable {
    enum Kind: Equatable {
        case parent
        case dependsOn
        /// CHILD, SIBLING and others. opus keeps them but does not use them.
        case other
    }

    /// The most relations of a task, more than a person creates.
    static let most = 100

    var kind: Kind
    var uid: TodoID

    /// nil: the relation names no task.
    init?(_ property: OpaquePointer) {
        guard let value = icalproperty_get_value(property),
            let uid = Self.text(value), !uid.isEmpty
        else { return nil }
        self.uid = TodoID(uid)
        let type = Libical.take(icalproperty_get_parameter_as_string_r(property, "RELTYPE"))
        switch type?.uppercased() {
        // Without RELTYPE, it is the parent. RFC 5545 §3.2.15.
        case nil, "PARENT": kind = .parent
        case "DEPENDS-ON": kind = .dependsOn
        case _: kind = .other
        }
    }

    /// The relation of an unfolded content line.
    init?(line: [UInt8]) {
        guard let property = icalproperty_new_from_string(String(decoding: line, as: UTF8.self)) else {
            return nil
        }
        defer { icalproperty_free(property) }
        guard icalproperty_isa(property) == ICAL_RELATEDTO_PROPERTY else { return nil }
        self.init(property)
    }

    private static func text(_ value: OpaquePointer) -> String? {
        guard icalvalue_isa(value) == ICAL_TEXT_VALUE else {
            return Libical.take(icalvalue_as_ical_string_r(value))
        }
        return icalvalue_get_text(value).map { String(cString: $0) }
    }

    static func property(_ kind: Kind, _ id: TodoID) -> OpaquePointer? {
        let property = icalproperty_new_relatedto(CleanText.line(id.rawValue))
        guard let property else { return nil }
        switch kind {
        case .parent, .other:
            icalproperty_add_parameter(property, icalparameter_new_reltype(ICAL_RELTYPE_PARENT))
        case .dependsOn:
            icalproperty_add_parameter(
                property, icalparameter_new_from_value_string(ICAL_RELTYPE_PARAMETER, "DEPENDS-ON"))
        }
        return property
    }
}

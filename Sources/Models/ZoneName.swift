/// The name of a time zone in a calendar file (TZID), which each program writes in its own way.
public enum ZoneName {
    /// The name in the tz database: the TZID itself, the part after a vendor's prefix
    /// (`/freeassociation.sourceforge.net/Europe/Paris`), or the zone of a Windows name; nil: not known.
    public static func known(_ tzid: String, isKnown: (String) -> Bool) -> String? {
        if isKnown(tzid) { return tzid }
        let parts = tzid.split(separator: "/")
        for count in [3, 2] where parts.count > count {
            let suffix = parts.suffix(count).joined(separator: "/")
            if isKnown(suffix) { return suffix }
        }
        return WindowsZones.names[tzid]
    }
}

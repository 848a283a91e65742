import CLibical

/// The version of libical that this program was built with.
public enum LibicalVersion {
    /// `libical 3.0`
    public static var text: String { "libical " + ICAL_VERSION }
}

public import Models

/// `opus.service/1`: the units of `opus service`.
public struct ServiceDocument: Encodable, Sendable {
    /// What systemd reports about a unit. Its words are those of `systemctl show`.
    public struct Unit: Encodable, Sendable {
        /// `opus-watch.service`
        public var name: String
        /// Where it is; nil: it is not installed.
        public var file: String?
        /// `active`, `inactive`, `failed`; nil: systemd reports nothing.
        public var state: String?
        /// `running`, `waiting`, `dead`
        public var substate: String?
        /// Whether it starts by itself: `enabled`, `disabled`, `static`.
        public var starts: String?
        /// `success`, `exit-code`, `watchdog`
        public var result: String?
        /// The exit code of its last run, if it has ended.
        public var exitCode: Int?
        /// What the watch says that it does.
        public var says: String?
        /// The process that runs now.
        public var process: Int?
        /// How often systemd has started it again.
        public var restarts: Int?
        /// When the state began.
        public var since: Timestamp?
        /// For a timer: when it is due.
        public var next: Timestamp?

        public init(name: String) { self.name = name }
    }

    var schema = "opus.service/1"
    /// Where units are installed.
    var folder: String
    var units: [Unit]
    /// The units that the command started or deleted.
    var started: [String]?
    var removed: [String]?
    /// Lines for a crontab, on a machine without systemd.
    var crontab: [String]?

    public init(
        folder: String, units: [Unit], started: [String]? = nil, removed: [String]? = nil,
        crontab: [String]? = nil
    ) {
        (self.folder, self.units) = (folder, units)
        (self.started, self.removed, self.crontab) = (started, removed, crontab)
    }
}

import Crypto
public import Models

/// The short ids of tasks: a hash of the UID, never a row number.
public enum TaskName {
    public static func hash(of id: TodoID) -> String {
        Crockford.encode(Array(SHA256.hash(Array(id.rawValue.utf8)).prefix(10)))
    }

    public static func short(_ id: TodoID, length: Int = 4) -> String {
        "t:" + hash(of: id).prefix(max(4, length))
    }
}

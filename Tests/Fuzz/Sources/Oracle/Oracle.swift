// What must hold for any bytes, beyond "it did not crash".
//
// A broken promise ends the process, which is how libFuzzer learns of it.

import Glibc

/// Ends the process with a sentence on standard error unless the promise holds.
public func promise(
    _ holds: Bool, _ sentence: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    guard !holds else { return }
    let text = "broken promise: \(sentence()) (\(file):\(line))\n"
    _ = text.withCString { write(2, $0, strlen($0)) }
    abort()
}

/// The input of a run as an array, which is what the parser takes.
public func input(_ data: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: data, count: data == nil ? 0 : count))
}

extension String {
    /// Control characters (Unicode Cc) that are no line end and no tab.
    public var hasControls: Bool {
        unicodeScalars.contains {
            $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
        }
    }

    /// Any control character at all: what must not stand in a header value.
    public var hasAnyControls: Bool {
        unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}

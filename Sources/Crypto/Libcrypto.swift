/// Stops the program when libcrypto cannot do its work.
///
/// This happens when memory is used up, or when the library is built without an algorithm that it
/// always has; never because of what was hashed. Continuing would mean identities made of zeros.
func requireLibcrypto(_ works: Bool, _ call: StaticString) {
    precondition(works, "libcrypto failed in \(call): the installation of OpenSSL is broken")
}

/// Lends the bytes of any sequence as one piece of memory, without a copy where it has one.
func withBytes<Output>(
    _ bytes: some Sequence<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Output
) -> Output {
    if let output = bytes.withContiguousStorageIfAvailable(body) { return output }
    return Array(bytes).withUnsafeBufferPointer(body)
}

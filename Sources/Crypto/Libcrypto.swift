/// Stops the program if libcrypto fails.
///
/// This happens if there is no memory, or if the library lacks a standard algorithm, and never because of the input.
/// Continuing would produce identifiers of zeros.
func requireLibcrypto(_ works: Bool, _ call: StaticString) {
    precondition(works, "libcrypto failed in \(call): the installation of OpenSSL is broken")
}

/// Passes the bytes of a sequence as one block of memory, without a copy if the sequence has one.
func withBytes<Output>(
    _ bytes: some Sequence<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Output
) -> Output {
    if let output = bytes.withContiguousStorageIfAvailable(body) { return output }
    return Array(bytes).withUnsafeBufferPointer(body)
}

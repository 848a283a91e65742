import Crypto
import Testing

/// Known answers: FIPS 180-4 examples, RFC 4231, RFC 9562 and Python's `uuid.uuid5`.
@Suite struct HashTests {
    static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    static let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    static let twoBlocks = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"

    @Test(arguments: [
        ("", nothing),
        ("abc", abc),
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", twoBlocks),
    ])
    func `SHA-256 gives the standard's answers`(text: String, digest: String) {
        #expect(Hex.encode(SHA256.hash(Array(text.utf8))) == digest)
        #expect(Hex.encode(SHA256.hash(text.utf8)) == digest)
        #expect(Hex.encode(SHA256.hash(Array(("x" + text).utf8).dropFirst())) == digest)
        Array(text.utf8).withUnsafeBytes { #expect(Hex.encode(SHA256.hash($0)) == digest) }
    }

    @Test(arguments: [1, 3, 63, 64, 65])
    func `hashing in pieces gives the same result`(size: Int) {
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        var digest = SHA256.Incremental()
        for start in stride(from: 0, to: bytes.count, by: size) {
            digest.update(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(digest.finalize() == SHA256.hash(bytes))
    }

    @Test func `a copy of a running hash is independent`() {
        var one = SHA256.Incremental()
        one.update("a".utf8)
        var other = one
        one.update("bc".utf8)
        other.update("xy".utf8)
        #expect(Hex.encode(one.finalize()) == Self.abc)
        #expect(other.finalize() == SHA256.hash("axy".utf8))
        #expect(Hex.encode(one.finalize()) == Self.abc, "finalize leaves it usable")
    }

    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
    func `HMAC-SHA-256 gives the answers of RFC 4231`(key: [UInt8], text: String, digest: String) {
        #expect(Hex.encode(HashFunction.sha256.authenticate(text.utf8, key: key)) == digest)
    }

    @Test func `an empty key is not replaced by the key of the previous call`() {
        let one = HashFunction.sha256.authenticate("x".utf8, key: [])
        _ = HashFunction.sha256.authenticate("x".utf8, key: "other".utf8)
        #expect(HashFunction.sha256.authenticate("x".utf8, key: []) == one)
    }

    @Test func `HMAC-SHA-1 gives the answer of RFC 2202`() {
        let digest = HashFunction.sha1.authenticate("what do ya want for nothing?".utf8, key: "Jefe".utf8)
        #expect(Hex.encode(digest) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        #expect(Hex.encode(HashFunction.sha1.hash("abc".utf8)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(Hex.encode(HashFunction.sha256.hash("abc".utf8)) == Self.abc)
    }

    /// RFC 6070 §2, and the same inputs for SHA-256 with Python's `hashlib.pbkdf2_hmac`.
    @Test(arguments: [
        (HashFunction.sha1, 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
        (.sha1, 4_096, "4b007901b765489abead49d926f721d065a429c1"),
        (.sha256, 1, "120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b"),
        (.sha256, 4_096, "c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a"),
    ])
    func `PBKDF2 gives the standard's answers`(hash: HashFunction, iterations: Int, key: String) {
        let derived = hash.derive(
            password: Array("password".utf8), salt: Array("salt".utf8), iterations: iterations)
        #expect(Hex.encode(derived) == key)
    }

    @Test func `a password that is empty or contains a NUL is hashed completely`() {
        let salt = Array("sa\u{0}lt".utf8)
        let one = HashFunction.sha1.derive(
            password: Array("pass\u{0}word".utf8), salt: salt, iterations: 4_096)
        // RFC 6070, the first 16 bytes.
        #expect(Hex.encode(one.prefix(16)) == "56fa6aa75548099dcc37d7f03425e0c3")
        #expect(HashFunction.sha256.derive(password: [], salt: salt, iterations: 1).count == 32)
    }

    @Test func `UUIDv5 gives the well-known answer`() throws {
        let dns = try #require(Hex.decode("6ba7b8109dad11d180b400c04fd430c8"))
        #expect(
            UUIDv5.make(namespace: dns, name: Array("python.org".utf8))
                == "886313e1-3b8a-5372-9b90-0c9aee199e5d")
        #expect(
            UUIDv5.make(namespace: dns, name: Array("www.example.com".utf8))
                == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
    }

    @Test func `the namespace of opus does not change`() {
        // Ids in people's files are made from it: a change would make every one of them a stranger.
        #expect(Hex.encode(UUIDv5.opusNamespace) == "eabd0d026c194106a4e1e3098ebe1140")
        #expect(
            UUIDv5.make(namespace: UUIDv5.opusNamespace, name: Array("opus".utf8))
                == UUIDv5.make(namespace: UUIDv5.opusNamespace, name: Array("opus".utf8)))
    }
}

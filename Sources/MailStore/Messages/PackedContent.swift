import CZlib
import GRDB
import GRDBSQLite
import Models

/// Stored headers and texts: deflated if that is shorter. See docs/decisions/0024-packed-content.md.
///
/// The first byte is the format. 0: plain. 1: four bytes with the length, then a raw deflate stream with a
/// preset dictionary. The view `content` unpacks them with SQL functions that opus adds to every connection.
enum PackedContent {
    /// Text that most headers share. Never changed: a new dictionary gets a new first byte.
    private static let dictionary: [UInt8] = Array(
        """
        text/html; charset="utf-8" multipart/alternative; boundary="--= multipart/mixed; application/pdf; name="iso-8859-1 \
        quoted-printable base64 7bit 8bit List-Help: <mailto: List-Post: <mailto: List-Archive: <https:// X-Spam-Status: No, \
        score= X-Google-DKIM-Signature: ARC-Seal: i=1; ARC-Message-Signature: ARC-Authentication-Results: Feedback-ID: \
        X-Received: by 2002: Auto-Submitted: auto-generated\r\nPrecedence: bulk\r\nReply-To: \r\nCc: \r\nSender: \r\nErrors-To: \
        \r\nX-Mailer: \r\nUser-Agent: Mozilla Thunderbird\r\nList-Id: <\r\nList-Unsubscribe: <https://\r\n\
        List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\nReturn-Path: <bounces+\r\nDelivered-To: \r\nReceived-SPF: pass \
        client-ip= envelope-from=\r\nAuthentication-Results: mx. dkim=pass header.i=@ header.s= header.b=; spf=pass \
        smtp.mailfrom=; dmarc=pass (p=NONE sp=NONE dis=NONE) header.from=\r\nDKIM-Signature: v=1; a=rsa-sha256; \
        c=relaxed/relaxed; d=gmail.com; s= t= x= h=to:subject:message-id:date:from:mime-version:cc:reply-to; bh= b=\r\n\
        Received: from mail. (localhost [127.0.0.1]) by mx. (Postfix) with ESMTPS id for <> (version=TLS1_3 \
        cipher=TLS_AES_256_GCM_SHA384 bits=256/256); Mon, Tue, Wed, Thu, Fri, Sat, Sun, Jan Feb Mar Apr May Jun Jul Aug Sep \
        Oct Nov Dec 2025 2026 +0000 (UTC) +0100 (CET)\r\nIn-Reply-To: <\r\nReferences: <\r\nMIME-Version: 1.0\r\n\
        Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Type: \
        multipart/alternative; boundary="\r\nFrom: \r\nTo: \r\nSubject: =?utf-8?Q?Re: \r\nDate: Message-ID: <@mail.gmail.com>\r\n
        """.utf8)

    private static let plain: UInt8 = 0
    private static let deflated: UInt8 = 1
    private static let headLength = 5
    /// Shorter content is not deflated, because that gains nothing.
    private static let shortest = 96
    /// No text is longer; a larger length means that the file is damaged.
    private static let longest = 256 << 20
    private static let level: Int32 = 6

    static func pack(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { pack($0) } }
    static func pack(_ text: String) -> [UInt8] {
        var text = text
        return text.withUTF8 { pack(UnsafeRawBufferPointer($0)) }
    }

    static func pack(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        if bytes.count >= shortest, bytes.count <= longest, let packed = deflate(bytes) { return packed }
        return [plain] + bytes
    }

    /// nil: the deflated form is not shorter.
    private static func deflate(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var packed = [UInt8](repeating: 0, count: bytes.count)
        let room = packed.count - headLength
        let written = withStream { stream -> Int? in
            guard
                deflateInit2_(
                    stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, streamSize)
                    == Z_OK
            else { return nil }
            defer { deflateEnd(stream) }
            guard deflateSetDictionary(stream, dictionary, UInt32(dictionary.count)) == Z_OK else {
                return nil
            }
            return packed.withUnsafeMutableBytes { target in
                stream.pointee.next_in = pointer(bytes.baseAddress)
                stream.pointee.avail_in = UInt32(bytes.count)
                stream.pointee.next_out = pointer(
                    UnsafeRawPointer(target.baseAddress).map { $0 + headLength })
                stream.pointee.avail_out = UInt32(room)
                return CZlib.deflate(stream, Z_FINISH) == Z_STREAM_END
                    ? room - Int(stream.pointee.avail_out) : nil
            }
        }
        guard let written else { return nil }
        packed.removeLast(room - written)
        packed[0] = deflated
        for place in 0..<4 { packed[1 + place] = UInt8(truncatingIfNeeded: bytes.count >> (8 * place)) }
        return packed
    }

    private static let streamSize = Int32(MemoryLayout<z_stream>.size)

    /// zlib stores the address of its stream, so the stream must not move.
    private static func withStream<Result>(_ body: (UnsafeMutablePointer<z_stream>) -> Result) -> Result {
        var stream = z_stream()
        return withUnsafeMutablePointer(to: &stream, body)
    }

    private static func pointer(_ address: UnsafeRawPointer?) -> UnsafeMutablePointer<UInt8>? {
        address.map { UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self)) }
    }

    /// nil: the content is damaged, or a later version wrote it.
    static func unpack<Result>(
        _ packed: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        switch packed.first {
        case nil: return nil
        case plain: return body(UnsafeRawBufferPointer(rebasing: packed.dropFirst()))
        case deflated: break
        case .some: return nil
        }
        guard let length = length(of: packed) else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: max(1, length), alignment: 1) { target in
            guard inflate(packed, into: target, length) else { return nil }
            return body(UnsafeRawBufferPointer(rebasing: target[..<length]))
        }
    }

    private static func inflate(
        _ packed: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, _ length: Int
    ) -> Bool {
        withStream { stream in
            guard inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, streamSize) == Z_OK else { return false }
            defer { inflateEnd(stream) }
            guard inflateSetDictionary(stream, dictionary, UInt32(dictionary.count)) == Z_OK else {
                return false
            }
            stream.pointee.next_in = pointer(packed.baseAddress.map { $0 + headLength })
            stream.pointee.avail_in = UInt32(packed.count - headLength)
            stream.pointee.next_out = pointer(UnsafeRawPointer(target.baseAddress))
            stream.pointee.avail_out = UInt32(length)
            return CZlib.inflate(stream, Z_FINISH) == Z_STREAM_END && stream.pointee.avail_out == 0
        }
    }

    /// The length of the unpacked content in bytes; nil: the content is damaged.
    static func length(of packed: UnsafeRawBufferPointer) -> Int? {
        guard packed.first == deflated else { return packed.isEmpty ? nil : packed.count - 1 }
        guard packed.count > headLength else { return nil }
        let length = (0..<4).reduce(0) { $0 | Int(packed[1 + $1]) << (8 * $1) }
        return length <= longest ? length : nil
    }

    // MARK: SQL

    /// `opus_pack(x)`, `opus_unpack(x)`, `opus_unpack_text(x)` and `opus_length(x)`. Innocuous: a view may use them.
    static func addFunctions(to db: Database) throws {
        try add("opus_pack", to: db) { context, _, values in
            let packed = PackedContent.pack(PackedContent.bytes(values))
            sqlite3_result_blob(context, packed, Int32(packed.count), PackedContent.transient)
        }
        try add("opus_unpack", to: db) { context, _, values in
            let isGood: Void? = PackedContent.unpack(PackedContent.bytes(values)) { bytes in
                sqlite3_result_blob(
                    context, bytes.baseAddress ?? PackedContent.nothing, Int32(bytes.count),
                    PackedContent.transient)
            }
            if isGood == nil { sqlite3_result_error_code(context, SQLITE_CORRUPT) }
        }
        try add("opus_unpack_text", to: db) { context, _, values in
            let isGood: Void? = PackedContent.unpack(PackedContent.bytes(values)) { bytes in
                sqlite3_result_text(
                    context, (bytes.baseAddress ?? PackedContent.nothing).assumingMemoryBound(to: CChar.self),
                    Int32(bytes.count), PackedContent.transient)
            }
            if isGood == nil { sqlite3_result_error_code(context, SQLITE_CORRUPT) }
        }
        try add("opus_plain", to: db) { context, _, values in
            let text = Array(PackedContent.bytes(values))
            let plain = PlainLetters.of(text) ?? text
            plain.withUnsafeBytes {
                sqlite3_result_text(
                    context, ($0.baseAddress ?? PackedContent.nothing).assumingMemoryBound(to: CChar.self),
                    Int32($0.count), PackedContent.transient)
            }
        }
        try add("opus_length", to: db) { context, _, values in
            sqlite3_result_int64(context, Int64(PackedContent.length(of: PackedContent.bytes(values)) ?? 0))
        }
    }

    private static func add(
        _ name: String, to db: Database,
        _ function:
            @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
    ) throws {
        let code = sqlite3_create_function_v2(
            db.sqliteConnection, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil,
            function, nil,
            nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    private static func bytes(_ values: UnsafeMutablePointer<OpaquePointer?>?) -> UnsafeRawBufferPointer {
        let value = values?.pointee
        let start = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    /// SQLite copies the bytes. The C macro `SQLITE_TRANSIENT`, which Swift does not import.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    /// A valid address for zero bytes: SQLite would store NULL for a null pointer.
    private nonisolated(unsafe) static let nothing = UnsafeRawPointer(
        UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
}

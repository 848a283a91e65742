/// Messages as they travel: each is known by its subject, and its text says which one it is.
enum TestMail {
    static func plain(_ name: String, size: Int = 0) -> [UInt8] {
        var text = "This is \(name).\r\n"
        while text.utf8.count < size { text += "Another line of \(name) that only fills the message.\r\n" }
        return bytes(name, type: "text/plain; charset=utf-8", body: text)
    }

    /// A text and a file beside it.
    static func withAttachment(_ name: String) -> [UInt8] {
        let body = """
            --b1\r
            Content-Type: text/plain; charset=utf-8\r
            \r
            This is \(name).\r
            --b1\r
            Content-Type: application/octet-stream; name="data.bin"\r
            Content-Disposition: attachment; filename="data.bin"\r
            Content-Transfer-Encoding: base64\r
            \r
            AAECAwQFBgc=\r
            --b1--\r

            """
        return bytes(name, type: "multipart/mixed; boundary=b1", body: body)
    }

    private static func bytes(_ name: String, type: String, body: String) -> [UInt8] {
        let header = """
            From: Ana <ana@acme.example>\r
            To: me@example.org\r
            Subject: \(name)\r
            Message-ID: <\(name)@x.example>\r
            Date: Mon, 7 Jul 2025 10:00:00 +0000\r
            MIME-Version: 1.0\r
            Content-Type: \(type)\r
            \r

            """
        return Array((header + body).utf8)
    }
}

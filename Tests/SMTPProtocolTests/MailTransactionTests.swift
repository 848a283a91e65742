import NIOCore
import Testing

@testable import SMTPProtocol

@Suite struct MailTransactionTests {
    static let message = Array("Subject: x\r\n\r\nhello\r\n".utf8)

    static let pipelined: [Trace] = [
        Trace(
            "all goes well",
            ("start", "C: MAIL FROM:<a@x.example> SIZE=21|RCPT TO:<b@y.example>|RCPT TO:<c@z.example>"),
            ("250 ok", "receive"),
            ("250 ok", "receive"),
            ("251 will forward", "C: DATA"),
            ("354 go", "body"),
            ("end", "C: |."),
            ("250 2.0.0 queued as 42", "sent 250 to b@y.example 250, c@z.example 251")
        ),
        Trace(
            "one refused recipient: nobody gets it, and the session lives on",
            ("start", "C: MAIL FROM:<a@x.example> SIZE=21|RCPT TO:<b@y.example>|RCPT TO:<c@z.example>"),
            ("250 ok", "receive"),
            ("250 ok", "receive"),
            ("550 who", "C: RSET"),
            ("250 ok", "fail: refused c@z.example 550, reusable")
        ),
        Trace(
            "all refusals are reported",
            ("start", "C: MAIL FROM:<a@x.example> SIZE=21|RCPT TO:<b@y.example>|RCPT TO:<c@z.example>"),
            ("250 ok", "receive"),
            ("450 later", "receive"),
            ("550 who", "C: RSET"),
            ("250 ok", "fail: refused b@y.example 450, c@z.example 550, reusable")
        ),
        Trace(
            "a refused sender is told after all replies came in",
            ("start", "C: MAIL FROM:<a@x.example> SIZE=21|RCPT TO:<b@y.example>|RCPT TO:<c@z.example>"),
            ("550 not you", "receive"),
            ("503 no MAIL", "receive"),
            ("503 no MAIL", "C: RSET"),
            ("250 ok", "fail: permanent 550, reusable")
        ),
        Trace(
            "a server that shuts down ends it at once",
            ("start", "C: MAIL FROM:<a@x.example> SIZE=21|RCPT TO:<b@y.example>|RCPT TO:<c@z.example>"),
            ("250 ok", "receive"),
            ("421 bye", "fail: transient 421")
        ),
        Trace(
            "a refusal of RSET ends the session, with the first reason",
            ("start", "C: MAIL FROM:<a@x.example> SIZE=21|RCPT TO:<b@y.example>|RCPT TO:<c@z.example>"),
            ("250 ok", "receive"),
            ("250 ok", "receive"),
            ("550 who", "C: RSET"),
            ("421 bye", "fail: refused c@z.example 550")
        ),
    ]

    @Test(arguments: pipelined)
    func `with PIPELINING the envelope is sent at once`(trace: Trace) throws {
        try run(trace, "SIZE", "PIPELINING")
    }

    static let oneByOne: [Trace] = [
        Trace(
            "all goes well",
            ("start", "C: MAIL FROM:<a@x.example>"),
            ("250 ok", "C: RCPT TO:<b@y.example>"),
            ("250 ok", "C: RCPT TO:<c@z.example>"),
            ("250 ok", "C: DATA"),
            ("354 go", "body"),
            ("end", "C: |."),
            ("250 queued", "sent 250 to b@y.example 250, c@z.example 250")
        ),
        Trace(
            "a refused sender ends it before the recipients",
            ("start", "C: MAIL FROM:<a@x.example>"),
            ("451 later", "C: RSET"),
            ("250 ok", "fail: transient 451, reusable")
        ),
        Trace(
            "a refused recipient: the others are asked too, for the report",
            ("start", "C: MAIL FROM:<a@x.example>"),
            ("250 ok", "C: RCPT TO:<b@y.example>"),
            ("550 who", "C: RCPT TO:<c@z.example>"),
            ("250 ok", "C: RSET"),
            ("250 ok", "fail: refused b@y.example 550, reusable")
        ),
        Trace(
            "a refused DATA is reset",
            ("start", "C: MAIL FROM:<a@x.example>"),
            ("250 ok", "C: RCPT TO:<b@y.example>"),
            ("250 ok", "C: RCPT TO:<c@z.example>"),
            ("250 ok", "C: DATA"),
            ("554 no", "C: RSET"),
            ("250 ok", "fail: permanent 554, reusable")
        ),
        Trace(
            "250 to DATA is an answer that nobody understands",
            ("start", "C: MAIL FROM:<a@x.example>"),
            ("250 ok", "C: RCPT TO:<b@y.example>"),
            ("250 ok", "C: RCPT TO:<c@z.example>"),
            ("250 ok", "C: DATA"),
            ("250 ok", "fail: unexpectedReply 250")
        ),
        Trace(
            "a reply in the middle of the message ends it before the dot",
            ("start", "C: MAIL FROM:<a@x.example>"),
            ("250 ok", "C: RCPT TO:<b@y.example>"),
            ("250 ok", "C: RCPT TO:<c@z.example>"),
            ("250 ok", "C: DATA"),
            ("354 go", "body"),
            ("250 ok", "fail: unexpectedReply 250"),
            ("end", "fail: wrongState(\"the body ends once\")")
        ),
    ]

    static let counted: [Trace] = [
        Trace(
            "all goes well: the last chunk is empty, so that nothing is final before the caller's commit",
            ("start", "C: MAIL FROM:<a@x.example> SIZE=21|RCPT TO:<b@y.example>|RCPT TO:<c@z.example>"),
            ("250 ok", "receive"),
            ("250 ok", "receive"),
            ("250 ok", "chunk: BDAT 21"),
            ("250 21 octets", "commit"),
            ("end", "C: BDAT 0 LAST"),
            ("250 2.0.0 queued as 42", "sent 250 to b@y.example 250, c@z.example 250")
        ),
        Trace(
            "a refused chunk is reset: nothing is final",
            ("start", "C: MAIL FROM:<a@x.example> SIZE=21|RCPT TO:<b@y.example>|RCPT TO:<c@z.example>"),
            ("250 ok", "receive"),
            ("250 ok", "receive"),
            ("250 ok", "chunk: BDAT 21"),
            ("552 too big", "C: RSET"),
            ("250 ok", "fail: permanent 552, reusable")
        ),
        Trace(
            "354 to BDAT is an answer that nobody understands",
            ("start", "C: MAIL FROM:<a@x.example> SIZE=21|RCPT TO:<b@y.example>|RCPT TO:<c@z.example>"),
            ("250 ok", "receive"),
            ("250 ok", "receive"),
            ("250 ok", "chunk: BDAT 21"),
            ("354 go", "fail: unexpectedReply 354")
        ),
    ]

    @Test(arguments: counted)
    func `with CHUNKING the octets are counted`(trace: Trace) throws {
        try run(trace, "SIZE", "PIPELINING", "CHUNKING")
    }

    @Test(arguments: [(4, "fail: lost"), (5, "fail: lost"), (6, "fail: unknownAfterDot(reason: \"gone\")")])
    func `only after the last chunk does a lost connection leave the result unknown`(
        steps: Int, words: String
    ) throws {
        var transaction = try make(["SIZE", "PIPELINING", "CHUNKING"])
        try replay(Self.counted[0].steps.prefix(steps), &transaction)
        #expect(transaction.lose(reason: "gone").words == words)
    }

    @Test func `an empty message is sent with DATA`() throws {
        let envelope = try SMTPEnvelope(reversePath: "", forwardPaths: ["b@y.example"])
        let server = EHLOResponse(Reply(code: 250, lines: ["me", "CHUNKING"]))
        var transaction = try MailTransaction(envelope, MessageTraits([]), server: server)
        _ = transaction.start()
        _ = transaction.receive(Trace.reply("250 ok"))
        #expect(transaction.receive(Trace.reply("250 ok")).words == "C: DATA")
    }

    @Test(arguments: [
        ("1.a+b=c@x.example", " RET=HDRS ENVID=1.a+2Bb+3Dc@x.example"), ("a b", ""), ("", ""), ("ä", ""),
        ("a\r\nRSET", ""),
        (String(repeating: "a", count: 100), " RET=HDRS ENVID=" + String(repeating: "a", count: 100)),
        (String(repeating: "+", count: 40), ""),
    ])
    func `delivery reports are requested with the id of the message`(id: String, words: String) throws {
        let envelope = try SMTPEnvelope(
            reversePath: "a@x.example", forwardPaths: ["b@y.example"], envelopeID: id)
        for (keyword, expected) in [("DSN", words), ("HELP", "")] {
            let server = EHLOResponse(Reply(code: 250, lines: ["me", keyword]))
            var transaction = try MailTransaction(envelope, MessageTraits(Self.message), server: server)
            #expect(transaction.start().words == "C: MAIL FROM:<a@x.example>" + expected)
        }
    }

    @Test(arguments: oneByOne)
    func `without PIPELINING every command waits for its reply`(trace: Trace) throws { try run(trace) }

    /// What an end of the connection means, at every step.
    @Test(arguments: [
        (0, "fail: lost"), (1, "fail: lost"), (2, "fail: lost"), (3, "fail: lost"), (4, "fail: lost"),
        (5, "fail: lost"), (6, "fail: unknownAfterDot(reason: \"gone\")"),
    ])
    func `only after the dot does a lost connection leave the result unknown`(steps: Int, words: String)
        throws
    {
        var transaction = try make()
        try replay(Self.oneByOne[0].steps.prefix(steps), &transaction)
        #expect(transaction.lose(reason: "gone").words == words)
        #expect(transaction.start().words.hasPrefix("fail: wrongState"), "and it never starts again")
    }

    @Test func `a connection lost during RSET keeps the first reason`() throws {
        var transaction = try make()
        try replay(Self.oneByOne[1].steps.prefix(2), &transaction)
        #expect(transaction.lose(reason: "gone").words == "fail: transient 451")
    }

    @Test(arguments: [
        ("250 ok", "sent 250 to b@y.example 250, c@z.example 250"),
        ("452 full", "quit"),
        ("421 bye", "fail: transient 421"),
        ("552 too big", "quit"),
        ("354 go on", "fail: unknownAfterDot(reason: \"the server answered 354\")"),
    ])
    func `the reply to the dot decides the result`(reply: String, words: String) throws {
        var transaction = try make()
        try replay(Self.oneByOne[0].steps.prefix(6), &transaction)
        #expect(transaction.isPastDot)
        #expect(transaction.receive(Trace.reply(reply)).words == words)
        #expect(transaction.isPastDot == (words == "quit"), "the reply to QUIT waits for the one to the dot")
    }

    /// A server that refuses in the middle of the message may accept it at the dot: the replies up to QUIT tell.
    @Test(arguments: [
        (["221 bye"], "fail: permanent 554"),
        (["500 what"], "fail: permanent 554"),
        ([], "fail: permanent 554"),
        (["250 queued", "221 bye"], "sent 250 to b@y.example 250, c@z.example 250"),
        (["250 queued", "500 what"], "sent 250 to b@y.example 250, c@z.example 250"),
        (["250 queued"], "fail: unknownAfterDot(reason: \"gone\")"),
    ])
    func `a refusal after the dot counts if no other reply comes before the reply to QUIT`(
        replies: [String], words: String
    ) throws {
        var transaction = try make()
        try replay(Self.oneByOne[0].steps.prefix(6), &transaction)
        var action = transaction.receive(Trace.reply("554 no"))
        #expect(action == .quit)
        for reply in replies { action = transaction.receive(Trace.reply(reply)) }
        if action == .quit || action == .receive { action = transaction.lose(reason: "gone") }
        #expect(action.words == words)
    }

    @Test(arguments: [
        ("hello", "a@x.example", ["8BITMIME", "SMTPUTF8", "SIZE"], "MAIL FROM:<a@x.example> SIZE=7"),
        ("\r\nhé", "a@x.example", ["8BITMIME", "SIZE"], "MAIL FROM:<a@x.example> SIZE=7 BODY=8BITMIME"),
        (
            "é: x", "a@x.example", ["8BITMIME", "SMTPUTF8"],
            "MAIL FROM:<a@x.example> BODY=8BITMIME SMTPUTF8"
        ),
        ("hello", "é@x.example", ["SMTPUTF8"], "MAIL FROM:<é@x.example> SMTPUTF8"),
        ("hello", "", [], "MAIL FROM:<>"),
    ])
    func `MAIL has the parameters that the server needs`(
        message: String, reversePath: String, keywords: [String], line: String
    ) throws {
        let envelope = try SMTPEnvelope(reversePath: reversePath, forwardPaths: ["b@y.example"])
        let server = EHLOResponse(Reply(code: 250, lines: ["me"] + keywords))
        var transaction = try MailTransaction(envelope, MessageTraits(Array(message.utf8)), server: server)
        #expect(transaction.start().words == "C: " + line)
    }

    @Test(arguments: [
        (
            "hello, world", "a@x.example", "SIZE 10",
            SubmissionFailure.messageTooLarge(actual: 14, maximum: 10)
        ),
        ("\r\nhé", "a@x.example", "SMTPUTF8", .needs8BitMIME),
        ("é: x", "a@x.example", "8BITMIME", .needsSMTPUTF8),
        ("hello", "é@x.example", "8BITMIME", .needsSMTPUTF8),
    ])
    func `a message that the server cannot accept is reported before it is sent`(
        message: String, reversePath: String, keyword: String, failure: SubmissionFailure
    ) throws {
        let envelope = try SMTPEnvelope(reversePath: reversePath, forwardPaths: ["b@y.example"])
        let server = EHLOResponse(Reply(code: 250, lines: ["me", keyword]))
        #expect(throws: failure) {
            try MailTransaction(envelope, MessageTraits(Array(message.utf8)), server: server)
        }
    }

    private func make(_ keywords: String...) throws -> MailTransaction { try make(keywords) }

    private func make(_ keywords: [String]) throws -> MailTransaction {
        let envelope = try SMTPEnvelope(
            reversePath: "a@x.example", forwardPaths: ["b@y.example", "c@z.example"])
        let server = EHLOResponse(Reply(code: 250, lines: ["me"] + keywords))
        return try MailTransaction(envelope, MessageTraits(Self.message), server: server)
    }

    private func run(_ trace: Trace, _ keywords: String...) throws {
        var transaction = try make(keywords)
        try replay(trace.steps[...], &transaction)
    }

    private func replay(
        _ steps: ArraySlice<(server: String, client: String)>, _ transaction: inout MailTransaction
    ) throws {
        for (index, step) in steps.enumerated() {
            let action =
                switch step.server {
                case "start": transaction.start()
                case "end": transaction.endBody()
                default: transaction.receive(Trace.reply(step.server))
                }
            #expect(action.words == step.client, "step \(index)")
        }
    }
}

extension MailTransaction.Action {
    var words: String {
        switch self {
        case .send(let command):
            "C: " + String(buffer: command.bytes).dropLast().replacing("\r\n", with: "|")
        case .receive: "receive"
        case .sendBody: "body"
        case .sendChunk(let command): "chunk: " + String(buffer: command.bytes).dropLast()
        case .commit: "commit"
        case .quit: "quit"
        case .finish(let submission):
            "sent \(submission.reply.code) to "
                + submission.recipients.map { "\($0.address) \($0.reply.code)" }.joined(separator: ", ")
        case .fail(let failure, let isReusable):
            "fail: " + failure.words + (isReusable ? ", reusable" : "")
        }
    }
}

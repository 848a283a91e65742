import TestSupport
import Testing

@testable import MIMEParser

@Suite struct TextZonesTests {
    struct Reply: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// What stands between the own text and the quoted one.
        var attribution: String

        init(_ testDescription: String, _ attribution: String) {
            self.testDescription = testDescription
            self.attribution = attribution
        }
    }

    static let attributions: [Reply] = [
        Reply("English, Gmail", "On Tue, Mar 3, 2026 at 10:00 AM Ann Smith <ann@example.org> wrote:"),
        Reply("English, folded", "On Tue, Mar 3, 2026 at 10:00 AM Ann Smith\n<ann@example.org> wrote:"),
        Reply(
            "English, folded twice", "On Tue, Mar 3, 2026\nat 10:00 AM Ann Smith <ann@example.org>\nwrote:"),
        Reply("English, Apple", "On 3 Mar 2026, at 10:00, Ann Smith <ann@example.org> wrote:"),
        Reply("English, Thunderbird", "On 3/3/26 10:00, Ann Smith wrote:"),
        Reply("English, old Pine", "Ann Smith wrote:"),
        Reply("German, Gmail", "Am Di., 3. März 2026 um 10:00 Uhr schrieb Anna Groß <a@example.org>:"),
        Reply("German, Apple", "Am 03.03.2026 um 10:00 schrieb Anna Groß <a@example.org>:"),
        Reply("German, two lines", "Am Di., 3. März 2026 um 10:00 Uhr schrieb Anna Groß <\na@example.org>:"),
        Reply("French, Gmail", "Le mar. 3 mars 2026 à 10:00, Zoé <z@example.org> a écrit :"),
        Reply("French, no-break space", "Le mar. 3 mars 2026 à 10:00, Zoé <z@example.org> a écrit\u{A0}:"),
        Reply("Spanish", "El mar, 3 mar 2026 a las 10:00, Íñigo (<i@example.org>) escribió:"),
        Reply("Italian", "Il giorno mar 3 mar 2026 alle ore 10:00 Ada <a@example.org>\nha scritto:"),
        Reply("Portuguese", "Em ter., 3 de mar. de 2026 às 10:00, João <j@example.org> escreveu:"),
        Reply("Dutch", "Op di 3 mrt 2026 om 10:00 schreef Jan <j@example.org>:"),
        Reply("Polish, Gmail", "wt., 3 mar 2026 o 10:00 Łucja <l@example.org> napisał(a):"),
        Reply("Polish, Thunderbird", "W dniu 3.03.2026 o 10:00, Łucja pisze:"),
        Reply("Swedish", "Den tis 3 mars 2026 kl 10:00 skrev Åsa <a@example.org>:"),
        Reply("Danish", "Den tirs. 3. mar. 2026 kl. 10.00 skrev Søren <s@example.org>:"),
        Reply("Norwegian", "tir. 3. mars 2026 kl. 10:00 skrev Øyvind <o@example.org>:"),
        Reply("Finnish", "ti 3. maalisk. 2026 klo 10.00 Äijö (a@example.org)\nkirjoitti:"),
        Reply("Czech", "út 3. 3. 2026 v 10:00 odesílatel Jiří <j@example.org> napsal:"),
        Reply("Russian, Gmail, no verb", "вт, 3 мар. 2026 г. в 10:00, Иван <i@example.org>:"),
        Reply("Russian, Apple", "3 марта 2026 г., в 10:00, Иван <i@example.org> написал(а):"),
        Reply("Ukrainian", "вт, 3 бер. 2026 р. о 10:00 Іван <i@example.org> пише:"),
        Reply("Turkish", "Ali Veli <a@example.org>, 3 Mar 2026 Sal, 10:00 tarihinde şunu\nyazdı:"),
        Reply("Japanese, Gmail, no verb", "2026年3月3日(火) 10:00 山田太郎 <y@example.org>:"),
        Reply("Japanese, Apple", "2026/03/03 10:00、山田太郎 <y@example.org>のメール:"),
        Reply("Chinese, Gmail", "张三 <z@example.org> 于2026年3月3日周二 10:00写道："),
        Reply("Chinese, traditional", "張三 <z@example.org> 於 2026年3月3日 週二 上午10:00寫道："),
        Reply(
            "Hebrew, Gmail",
            "\u{202B}בתאריך יום ג׳, 3 במרץ 2026 ב-10:00 מאת \u{202A}דנה\u{202C}\u{200F} <\u{202A}d@example.org\u{202C}\u{200F}>:\u{202C}"
        ),
        Reply(
            "Arabic, Gmail",
            "في الثلاثاء، ٣ مارس ٢٠٢٦ في ١٠:٠٠ ص تمت كتابة ما يلي بواسطة ليلى <l@example.org>:"),
        Reply("Hungarian, Gmail", "Ödön <o@example.org> ezt írta (időpont: 2026. márc. 3., K, 10:00):"),
        Reply("Greek, Gmail", "Στις Τρί 3 Μαρ 2026 στις 10:00 π.μ., ο χρήστης Ζωή <z@example.org> έγραψε:"),
        Reply("Romanian, Gmail", "În mar., 3 mar. 2026 la 10:00, Ștefan <s@example.org> a scris:"),
        Reply("Slovak, Gmail", "ut 3. 3. 2026 o 10:00 Ľubica <l@example.org> napísal(a):"),
        Reply("Korean", "2026년 3월 3일 (화) 오전 10:00, 홍길동 <h@example.org>님이 작성:"),
        Reply("Catalan, Thunderbird", "El 3/3/26 a les 10:00, Ona ha escrit:"),
        Reply("Catalan, Gmail", "Missatge de Ona <o@example.org> del dia dt., 3 de març 2026 a\nles 10:00:"),
        Reply("Basque", "2026(e)ko martxoaren 3(a) 10:00(e)an, Ane igorleak idatzi zuen:"),
        Reply("Persian", "در تاریخ سه‌شنبه ۳ مارس ۲۰۲۶،‏ ۱۰:۰۰ Sara <s@example.org> نوشت:"),
        Reply("Zoho Mail", "---- On Tue, 03 Mar 2026 10:00:00 +0100 Ann <a@example.org> wrote ----"),
        Reply("English, Horde", "Quoting Ann Smith <ann@example.org>:"),
        Reply("German, Horde", "Zitat von Anna Groß <a@example.org>:"),
    ]

    @Test("an attribution in a common language is not own text", arguments: attributions)
    func attribution(_ reply: Reply) {
        let text = "Yes, I agree.\n\n\(reply.attribution)\n\n> Shall we?\n>\n> Ann\n"
        #expect(TextZones.ownText(of: text) == "Yes, I agree.")
        #expect(TextZones.split(text).map(\.kind) == [.own, .attribution, .quote])
        let tight = "Yes, I agree.\n\(reply.attribution)\n> Shall we?\nThanks\n"
        #expect(TextZones.ownText(of: tight) == "Yes, I agree.\n\nThanks")
    }

    static let blocks: [Reply] = [
        Reply("English", "From: Ann <a@x.org>\nSent: Tuesday, March 3, 2026 10:00\nTo: Bob\nSubject: Plan"),
        Reply("bold", "*From:* Ann\n*Sent:* Tuesday\n*To:* Bob\n*Cc:* Carl\n*Subject:* Plan"),
        Reply(
            "with a rule",
            "________________________________\nFrom: Ann\nSent: Tuesday\nTo: Bob\nSubject: Plan"),
        Reply("the old line", "-----Original Message-----\nFrom: Ann\nSent: Tuesday\nTo: Bob\nSubject: Plan"),
        Reply("a line alone", "-------- Original Message --------"),
        Reply("Proton Mail until 2022", "‐‐‐‐‐‐‐ Original Message ‐‐‐‐‐‐‐"),
        Reply("Zoho Mail", "---- On Tue, 03 Mar 2026 10:00:00 +0100 Ann <a@x.org> wrote ----"),
        Reply(
            "under the rule of HTML, Outlook on the web",
            "---\nFrom: Ann <a@x.org>\nSent: Tuesday\nTo: Bob\nSubject: Plan"),
        Reply(
            "with the time first, GMX",
            "Gesendet: Dienstag, 03. März 2026 um 10:00 Uhr\nVon: \"Ann\" <a@x.org>\nAn: b@x.org\nBetreff: Plan"
        ),
        Reply(
            "with the time first, mail.com",
            "Sent: Tuesday, March 03, 2026 at 10:00 AM\nFrom: Ann <a@x.org>\nTo: b@x.org\nCc: c@x.org\nSubject: Plan"
        ),
        Reply("without a subject", "From: Ann <a@x.org>\nSent: Tuesday\nTo: Bob"),
        Reply(
            "Zimbra in French",
            "----- Mail original -----\nDe: \"Ann\" <a@x.org>\nÀ: Bob\nEnvoyé: Mardi\nObjet: Plan"),
        Reply(
            "Zimbra in German",
            "----- Ursprüngliche Mail -----\nVon: Ann\nAn: Bob\nGesendet: Dienstag\nBetreff: Plan"),
        Reply(
            "QQ in English",
            "------------------ Original ------------------\nFrom: \"Ann\";\nDate: Tue\nTo: Bob\nSubject: Plan"
        ),
        Reply("NetEase", "---- 回复的原邮件 ----"),
        Reply("folded To", "From: Ann\nSent: Tuesday\nTo: Bob <b@x.org>;\n Carl <c@x.org>\nSubject: Plan"),
        Reply("German", "Von: Ann\nGesendet: Dienstag, 3. März 2026 10:00\nAn: Bob\nBetreff: Plan"),
        Reply("German line", "-----Ursprüngliche Nachricht-----\nVon: Ann"),
        Reply("French", "De : Ann\nEnvoyé : mardi 3 mars 2026 10:00\nÀ : Bob\nObjet : Plan"),
        Reply("French line", "-----Message d'origine-----"),
        Reply("Spanish", "De: Ann\nEnviado: martes, 3 de marzo de 2026\nPara: Bob\nAsunto: Plan"),
        Reply("Italian", "Da: Ann\nInviato: martedì 3 marzo 2026\nA: Bob\nOggetto: Plan"),
        Reply("Portuguese", "De: Ann\nEnviada em: terça-feira\nPara: Bob\nAssunto: Plano"),
        Reply("Dutch", "Van: Ann\nVerzonden: dinsdag\nAan: Bob\nOnderwerp: Plan"),
        Reply("Polish", "Od: Ann\nWysłano: wtorek\nDo: Bob\nTemat: Plan"),
        Reply("Swedish", "Från: Ann\nSkickat: tisdag\nTill: Bob\nÄmne: Plan"),
        Reply("Danish", "Fra: Ann\nSendt: tirsdag\nTil: Bob\nEmne: Plan"),
        Reply("Norwegian", "-----Opprinnelig melding-----\nFra: Ann\nSendt: tirsdag\nTil: Bob\nEmne: Plan"),
        Reply("Finnish", "Lähettäjä: Ann\nLähetetty: tiistai\nVastaanottaja: Bob\nAihe: Plan"),
        Reply("Czech", "Od: Ann\nOdesláno: úterý\nKomu: Bob\nPředmět: Plán"),
        Reply("Russian", "От: Ann\nОтправлено: вторник\nКому: Bob\nТема: План"),
        Reply("Ukrainian", "Від: Ann\nНадіслано: вівторок\nКому: Bob\nТема: План"),
        Reply("Turkish", "Kimden: Ann\nGönderildi: Salı\nKime: Bob\nKonu: Plan"),
        Reply("Japanese", "差出人: Ann\n送信日時: 2026年3月3日\n宛先: Bob\n件名: 計画"),
        Reply("Chinese", "发件人: Ann\n发送时间: 2026年3月3日\n收件人: Bob\n主题: 计划"),
        Reply("Chinese, wide colons", "发件人：Ann\n发送时间：2026年3月3日\n收件人：Bob\n主题：计划"),
        Reply("Chinese, QQ", "------------------ 原始邮件 ------------------"),
        Reply("Chinese, traditional", "寄件者: Ann\n寄件日期: 2026年3月3日\n收件者: Bob\n主旨: 計畫"),
        Reply("Hebrew", "מאת: דנה\nנשלח: יום שלישי\nאל: בוב\nנושא: תכנית"),
        Reply("Arabic", "من: ليلى\nتم الإرسال: الثلاثاء\nإلى: بوب\nالموضوع: خطة"),
        Reply("Hungarian", "Feladó: Ann\nElküldve: kedd\nCímzett: Bob\nTárgy: Terv"),
        Reply("Greek", "Από: Ann\nΣτάλθηκε: Τρίτη\nΠρος: Bob\nΘέμα: Σχέδιο"),
        Reply("Romanian", "De la: Ann\nTrimis: marți\nCătre: Bob\nSubiect: Plan"),
        Reply("Slovak", "Od: Ann\nOdoslané: utorok\nKomu: Bob\nPredmet: Plán"),
        Reply("Korean", "보낸 사람: Ann\n보낸 날짜: 2026년 3월 3일\n받는 사람: Bob\n제목: 계획"),
    ]

    @Test(
        "lines about a journey or a meeting are own text",
        arguments: [
            "From: Berlin\nTo: Paris\nDate: tomorrow\n\nPlease book it.",
            "Date: 3 March\nFrom: 10:00\nTo: 12:00\nTopic: budget\n\nWill you come?",
            "Sent: 40 letters\nFrom: here\nTo: all (list@x.org)\n\nWill you check?",
        ])
    func journeys(_ text: String) {
        #expect(TextZones.ownText(of: text) == text)
    }

    @Test("the text that a mailing list adds is not own text")
    func listFooter() {
        let rule = String(repeating: "_", count: 47)
        let footer =
            rule + "\nusers mailing list -- users@x.org\nTo unsubscribe send an email to users-leave@x.org\n"
        #expect(TextZones.ownText(of: "Hello.\n" + footer) == "Hello.")
        #expect(TextZones.split("Hello.\n-- \nAnn\n" + footer).map(\.kind) == [.own, .signature])
        let answer = "> Shall we?\n\nYes.\n\nSent from my iPhone\n" + footer
        #expect(TextZones.split(answer).map(\.kind) == [.quote, .own, .signature])
        // A line of another length, and one that begins a long text, belong to the writer.
        for text in [
            "Hello.\n\(rule)_\nBye.", "Hello.\n\(rule)\n" + String(repeating: "More.\n", count: 10) + "Bye.",
            "Hello.\n\(rule)",
        ] {
            #expect(TextZones.ownText(of: text) == text)
        }
    }

    @Test("Outlook's header block and everything after it is not own text", arguments: blocks)
    func outlook(_ reply: Reply) {
        let text = "Done.\n\n\(reply.attribution)\n\nCan you do it?\n\nAnn\n"
        #expect(TextZones.ownText(of: text) == "Done.")
        #expect(TextZones.split(text).map(\.kind) == [.own, .attribution, .quote])
    }

    static let forwards: [Reply] = [
        Reply(
            "Gmail",
            "---------- Forwarded message ---------\nFrom: Ann <a@x.org>\nDate: Tue\nSubject: x\nTo: Bob"),
        Reply("Thunderbird", "-------- Weitergeleitete Nachricht --------\nBetreff: x\nDatum: Di"),
        Reply("Apple", "Begin forwarded message:\n\nFrom: Ann <a@x.org>\nSubject: x"),
        Reply("Apple, quoted", "Begin forwarded message:\n\n> From: Ann <a@x.org>\n> Subject: x"),
        Reply("Apple, German", "Anfang der weitergeleiteten Nachricht:\n\nVon: Ann"),
        Reply("Apple, French", "Début du message réexpédié :\n\nDe: Ann"),
        Reply("Apple, Japanese", "転送されたメッセージ:\n\n差出人: Ann"),
        Reply("Spanish", "---------- Mensaje reenviado ---------"),
        Reply("Italian", "---------- Messaggio inoltrato ---------"),
        Reply("Russian", "-------- Пересылаемое сообщение --------"),
        Reply("Chinese", "---------- 转发的邮件 ---------"),
    ]

    @Test("a forwarded message is not own text", arguments: forwards)
    func forwarded(_ reply: Reply) {
        let text = "FYI\n\n\(reply.attribution)\n\nThe plan.\n> deeper\nmore\n"
        #expect(TextZones.ownText(of: text) == "FYI")
        #expect(TextZones.split(text).map(\.kind) == [.own, .forwarded])
    }

    static let devices: [Reply] = [
        Reply("English", "Sent from my iPhone"), Reply("German", "Von meinem iPhone gesendet"),
        Reply("Proton Mail in Markdown", "Sent with [Proton Mail](https://proton.me/) secure email."),
        Reply("Spark", "Sent from Spark"), Reply("German, Samsung", "Von meinem Galaxy gesendet"),
        Reply("German, Outlook", "Holen Sie sich Outlook für iOS<https://aka.ms/o0ukef>"),
        Reply("German, Android", "Gesendet von meinem Pixel"), Reply("French", "Envoyé de mon iPhone"),
        Reply("Spanish", "Enviado desde mi iPhone"), Reply("Italian", "Inviato da iPhone"),
        Reply("Portuguese", "Enviado do meu iPhone"), Reply("Dutch", "Verstuurd vanaf mijn iPhone"),
        Reply("Polish", "Wysłane z iPhone'a"), Reply("Swedish", "Skickat från min iPhone"),
        Reply("Danish", "Sendt fra min iPhone"), Reply("Finnish", "Lähetetty iPhonesta"),
        Reply("Czech", "Odesláno z iPhonu"), Reply("Russian", "Отправлено с iPhone"),
        Reply("Ukrainian", "Надіслано з iPhone"), Reply("Turkish", "iPhone'umdan gönderildi"),
        Reply("Japanese", "iPhoneから送信"), Reply("Chinese", "发自我的iPhone"), Reply("Korean", "나의 iPhone에서 보냄"),
        Reply("Outlook", "Get Outlook for iOS<https://aka.ms/o0ukef>"),
        Reply("a phone without a known name", "Sent from my Volla 22"),
        Reply("German, GMX", "Gesendet mit der GMX Mail App"),
        Reply("French, Orange", "Envoyé depuis mon mobile Orange"),
        Reply("Russian, Mail.ru", "Отправлено из Почты Mail.ru"),
        Reply("English, Windows", "Sent from Mail for Windows"),
    ]

    @Test("the footer of a phone's mail program is not own text", arguments: devices)
    func device(_ reply: Reply) {
        #expect(TextZones.ownText(of: "Yes\n\n\(reply.attribution)\n") == "Yes")
        #expect(TextZones.ownText(of: "Yes\n\n\(reply.attribution)\n\nOn Tuesday Ann wrote:\n> x\n") == "Yes")
        #expect(TextZones.ownText(of: "\(reply.attribution)\nis what it said.") != "")
    }

    @Test(
        "text that only looks like a quote is own text",
        arguments: [
            "On Monday she wrote: hello\nand I was glad.",
            "On Monday she wrote:\n\nhello, and I was glad.",
            "He wrote:",
            "From: the sea\nTo: the land",
            "From: Berlin\n\nTo: Paris\n\nSubject: trains",
            "> ",
            "Please answer:\n1 > 0",
            "a -> b\nb -> c",
            "-- not a signature",
            "---",
            "Agenda\n--\n1. Budget\n--\nBob",
            "Agenda\n--\nPlease answer by Friday.",
            "Agenda\n--\n1. Budget, and the question which of the two offers of last week we shall take for the house\n2. Staff",
            "________________________________\nA rule is no quote.",
            "-----Our message-----\nread it",
            "Begin forwarded message:\nis what Apple writes.",
            "-----BEGIN PGP MESSAGE-----\nabc",
            "Sent from my desk with love, and much more text behind it\nsee?",
            "Am Montag schrieb ich: alles gut.\nEs bleibt dabei.",
            "Hi,\n\nSent via DHL, tracking number 12345, please pay 12 EUR.",
            "Gesendet mit DHL am Montag, Sendung 12345.",
            "Envoyé depuis Paris hier, réception prévue lundi.",
            "Inviato da Marco ieri: contratto firmato.",
            "Verzonden met PostNL, code 3S1234.",
            "Отправлено с курьером, ждите завтра до 12.",
            "发自 上海仓库，请确认收货。",
            "Please fill in:\n" + String(repeating: "_", count: 47) + "\nName, date and sign above",
            "[1] first\ntext\n[2] second",
            "",
        ].filter { $0 != "> " })
    func negatives(_ text: String) {
        #expect(TextZones.ownText(of: text) == text)
        #expect(TextZones.split(text).allSatisfy { $0.kind == .own })
    }

    @Test("replies between quotes are own text")
    func interleaved() {
        let text = """
            Hi Ann,

            On Tue, Mar 3, 2026 at 10:00 AM Ann <ann@example.org> wrote:
            > Shall we meet?

            Yes.

            > > older
            > Where?
            In Bern.

            -- 
            Bob
            """
        #expect(TextZones.ownText(of: text) == "Hi Ann,\n\nYes.\n\nIn Bern.")
        #expect(
            TextZones.split(text).map(\.kind) == [.own, .attribution, .quote, .own, .quote, .own, .signature])
    }

    @Test(
        "a signature begins at its separator line",
        arguments: [
            ("text\n-- \nBob\nCompany\n", "text"), ("text\n--\nBob\n", "text"),
            ("text\r\n-- \r\nBob\r\n", "text"),
            ("text\n-- \nBob\n\nOn Monday Ann wrote:\n> q\nmore", "text\n\nmore"),
            ("-- \nBob\n", ""), ("text\n--\n\n", "text"), ("text\n--\nSent from my iPhone.\n", "text"),
            ("text\n\n--\n\nBob B. Bobson, Acme Ltd\n", "text"),
            ("text\n--\nThanks a lot!\n\nOn Monday Ann wrote:\n> q\n", "text"),
            ("a\n--\nb\n-- \nBob\n", "a\n--\nb"),
            (
                "a\n--\n" + String(repeating: "line\n", count: 40),
                "a\n--\n" + String(repeating: "line\n", count: 39) + "line"
            ),
        ])
    func signature(_ text: String, _ own: String) { #expect(TextZones.ownText(of: text) == own) }

    @Test(
        "quotes without marks are recognised by a complete attribution",
        arguments: [
            (
                "Yes\n\nOn Tuesday, March 3, 2026, 10:00:00 AM GMT+1, Ann <ann@example.org> wrote:\n\n Shall we?\n",
                "Yes"
            ),
            (
                "Yes\n\nOn Mar 3, 2026 10:00, ann@example.org wrote:\n| Shall we?\n| Ann\nSure.\n",
                "Yes\n\nSure."
            ),
        ])
    func unmarked(_ text: String, _ own: String) { #expect(TextZones.ownText(of: text) == own) }

    @Test("a line escaped by mbox is own text, a quoted one is not")
    func mbox() {
        #expect(TextZones.ownText(of: "a\n>From here on\nb") == "a\n>From here on\nb")
        #expect(TextZones.ownText(of: "a\n> b\n>From here on\n") == "a")
        #expect(TextZones.ownText(of: "a\n  > indented\n") == "a")
    }

    @Test("link targets belong to the quote or the own text above them")
    func footnotes() {
        #expect(TextZones.ownText(of: "a [1]\n\n> b [2]\n\n[1] https://a/\n[2] https://b/") == "a [1]")
        #expect(TextZones.ownText(of: "a [1]\n\n[1] https://a/") == "a [1]\n\n[1] https://a/")
    }

    @Test("the zones of any text, joined, are that text")
    func joined() {
        var random = SeededGenerator(seed: 7)
        let pieces = [
            "> q", ">> q", "text", "", "  ", "-- ", "--", "On Tue, Mar 3, 2026 at 10:00 AM <a@x.org> wrote:",
            "wrote:",
            "From: a", "Sent: b", "To: c", "Subject: d", "-----Original Message-----", "Sent from my iPhone",
            "Begin forwarded message:", "________________", "| x", ">From x", "[1] https://x", "é：",
            "\u{A0}:", ":",
        ]
        for _ in 0..<Bound.rounds(4_000) {
            let count = Int.random(in: 0...12, using: &random)
            let ends = ["\n", "\r\n", "\r"]
            let text = (0..<count).map { _ in
                (pieces.randomElement(using: &random) ?? "") + (ends.randomElement(using: &random) ?? "")
            }.joined()
            let zones = TextZones.split(text)
            #expect(Array(zones.map(\.text).joined().utf8) == Array(text.utf8))
            #expect(zip(zones, zones.dropFirst()).allSatisfy { $0.kind != $1.kind })
        }
    }

    @Test(
        "hostile texts take linear time",
        arguments: [
            ":\n>\n", "wrote:\n>\n", "From: a\n", "a\n>\n", "--\n", "\n", "a@b 2026 10:00 wrote:\n",
            "[1] x\n", "-----\n",
            "Sent from my\n>\n", ">From \n",
        ])
    func linear(_ line: String) {
        let text = String(repeating: line, count: Bound.rounds(1_024 * 1_024) / line.utf8.count)
        let time = ContinuousClock().measure { _ = TextZones.ownText(of: text) }
        #expect(time < Bound.time)
        let long = String(repeating: line.replacing("\n", with: ""), count: 100_000) + "\n>\n"
        #expect(ContinuousClock().measure { _ = TextZones.ownText(of: long) } < Bound.time)
    }
}

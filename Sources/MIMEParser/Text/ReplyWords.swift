/// The words that mail programs write around quoted text, with one entry for each language: the table of ``TextZones``.
///
/// It follows the text of real mails. If the wording of a program is missing, its quote counts as the sender's own
/// text. All words are in lower case, labels without colon.
struct ReplyWords: Sendable {
    /// Beginnings of an attribution: `On Monday …`. Empty: the language begins with the date.
    var leads: [String] = []
    /// Words for `wrote` as programs write them; an attribution contains one of them.
    var wrote: [String]
    /// The labels of the header block that Outlook puts above a quote.
    var from: [String]
    var sent: [String]
    var to: [String]
    var subject: [String]
    /// `-----Original Message-----`
    var original: [String]
    /// `---------- Forwarded message ----------`
    var forwarded: [String]
    /// `Begin forwarded message:`, a separate line in Apple Mail.
    var forwardLine: [String] = []
    /// Beginnings of a line that a phone adds: `Sent from my …`.
    var device: [String]

    /// Names of devices and mail programs, in lower case.
    static let deviceNames = [
        "iphone", "iphon", "ipad", "ipod", "apple watch", "macbook", "android", "galaxy", "samsung", "huawei",
        "xiaomi", "redmi", "oneplus", "pixel", "nokia", "motorola", "blackberry", "fairphone",
        "windows phone",
        "smartphone", "smartfon", "handy", "mobilni", "outlook", "mail for windows", "mail für windows",
        "courrier pour windows", "correo para windows", "posta per windows", "mail voor windows",
        "mail app", "mailapp", "mail-app", "gmail", "gmx", "web.de", "yahoo", "proton", "tuta", "spark",
        "bluemail", "thunderbird", "k-9", "fairemail", "aquamail", "mymail", "mail.ru", "yandex", "яндекс",
        "foxmail", "aol", "icloud", "superhuman", "hey.com", "telefon", "téléphone", "teléfono", "telefono",
        "телефон", "айфон", "смартфон", "laitteesta", "האייפון", "הטלפון", "スマートフォン", "갤럭시", "手机", "手機",
        "邮箱大师", "qq邮箱", "网易",
    ]

    /// Words for `my`, which a phone may write before the name of its device, in lower case.
    static let ownDevices = [
        " my ", " meinem ", " mon ", " mi ", " mio ", " meu ", " mijn ", " mojego ", " min ", " minun ",
        " mého ",
        " môjho ", "моего ", " мого ", "我的", "私の", " mea ",
    ]

    static let languages: [ReplyWords] = [
        // English
        ReplyWords(
            leads: ["on ", "at ", "in message "], wrote: ["wrote", "writes", "Quoting "],
            from: ["from"], sent: ["sent", "date"], to: ["to"], subject: ["subject"],
            original: [
                "original message", "original", "original appointment", "reply message", "replied message",
                "reply above this line",
            ],
            forwarded: ["forwarded message", "forwarded email", "begin forwarded message"],
            forwardLine: ["begin forwarded message"],
            device: [
                "sent from my ", "sent from outlook", "sent from mail for", "sent from yahoo",
                "sent from proton",
                "sent from samsung", "sent from gmail", "sent from spark", "sent via ", "sent with proton",
                "sent with [proton", "get outlook for ",
                "get bluemail for ",
            ]),
        // German
        ReplyWords(
            leads: ["am ", "den "], wrote: ["schrieb", "hat geschrieben", "Zitat von "],
            from: ["von"], sent: ["gesendet", "datum"], to: ["an"], subject: ["betreff"],
            original: [
                "ursprüngliche nachricht", "ursprüngliche mail", "ursprüngliche e-mail", "originalnachricht",
                "original-nachricht", "originaltermin",
            ],
            forwarded: ["weitergeleitete nachricht", "weitergeleitete e-mail"],
            forwardLine: ["anfang der weitergeleiteten nachricht", "anfang der weitergeleiteten e-mail"],
            device: [
                "von meinem iphone", "von meinem ipad", "von meinem samsung", "von meinem galaxy",
                "von meinem handy",
                "von meinem smartphone", "von meinem android", "von meinem mobil", "gesendet von ",
                "gesendet mit ", "outlook für ", "holen sie sich outlook für ",
            ]),
        // French
        ReplyWords(
            leads: ["le ", "en date de "], wrote: ["a écrit", "écrivait"],
            from: ["de", "expéditeur"], sent: ["envoyé", "envoyé le", "date"], to: ["à", "a", "pour"],
            subject: ["objet", "sujet"],
            original: [
                "message d'origine", "message d’origine", "message original", "mail original",
                "rendez-vous d'origine",
            ],
            forwarded: ["message transféré", "message réexpédié"],
            forwardLine: ["début du message réexpédié", "début du message transféré"],
            device: [
                "envoyé de mon ", "envoyé depuis mon ", "envoyé depuis ", "envoyé à partir de ",
                "télécharger outlook pour ", "obtenir outlook pour ", "provenance : courrier",
            ]),
        // Spanish
        ReplyWords(
            leads: ["el ", "en "], wrote: ["escribió", "escribio"],
            from: ["de"], sent: ["enviado", "enviado el", "fecha"], to: ["para"], subject: ["asunto"],
            original: ["mensaje original", "cita original"],
            forwarded: ["mensaje reenviado"],
            forwardLine: ["inicio del mensaje reenviado"],
            device: ["enviado desde ", "enviado de mi ", "obtener outlook para "]),
        // Catalan
        ReplyWords(
            leads: ["el ", "missatge de "], wrote: ["ha escrit", "Missatge de "],
            from: ["de"], sent: ["enviat", "enviat el", "data"], to: ["per a", "a"],
            subject: ["assumpte", "tema"],
            original: ["missatge original"],
            forwarded: ["missatge reenviat"],
            forwardLine: ["inici del missatge reenviat"],
            device: ["enviat des de ", "enviat des del ", "obteniu outlook per a "]),
        // Basque
        ReplyWords(
            wrote: ["idatzi zuen", "idatzi du"],
            from: ["nork"], sent: ["bidaltze-data", "data"], to: ["nori"], subject: ["gaia"],
            original: ["jatorrizko mezua"],
            forwarded: ["birbidalitako mezua"],
            device: []),
        // Italian
        ReplyWords(
            leads: ["il giorno ", "il ", "in data "], wrote: ["ha scritto", "scrive"],
            from: ["da"], sent: ["inviato", "data"], to: ["a"], subject: ["oggetto"],
            original: ["messaggio originale", "appuntamento originale"],
            forwarded: ["messaggio inoltrato"],
            forwardLine: ["inizio messaggio inoltrato", "inizio del messaggio inoltrato"],
            device: ["inviato da ", "inviato dal ", "scarica outlook per ", "ottieni outlook per "]),
        // Portuguese
        ReplyWords(
            leads: ["em ", "no dia ", "a "], wrote: ["escreveu"],
            from: ["de"], sent: ["enviado", "enviada", "enviada em", "enviado em", "data"], to: ["para"],
            subject: ["assunto"],
            original: ["mensagem original", "compromisso original"],
            forwarded: ["mensagem encaminhada", "mensagem reencaminhada"],
            forwardLine: ["início da mensagem encaminhada", "início da mensagem reencaminhada"],
            device: [
                "enviado do meu ", "enviado a partir do ", "enviado via ", "obter o outlook para ",
                "obtenha o outlook para ",
            ]),
        // Dutch
        ReplyWords(
            leads: ["op "], wrote: ["schreef", "heeft het volgende geschreven"],
            from: ["van"], sent: ["verzonden", "datum"], to: ["aan"], subject: ["onderwerp"],
            original: ["oorspronkelijk bericht", "origineel bericht"],
            forwarded: ["doorgestuurd bericht", "doorgestuurde e-mail"],
            forwardLine: ["begin doorgestuurd bericht"],
            device: [
                "verstuurd vanaf mijn ", "verzonden vanaf mijn ", "verzonden met ", "verstuurd vanuit ",
                "outlook voor ", "outlook downloaden voor ",
            ]),
        // Polish
        ReplyWords(
            leads: ["w dniu ", "dnia "], wrote: ["napisał", "pisze"],
            from: ["od"], sent: ["wysłano", "wysłane", "data"], to: ["do"], subject: ["temat"],
            original: ["oryginalna wiadomość", "wiadomość oryginalna", "wiadomość pierwotna"],
            forwarded: [
                "przekazana wiadomość", "wiadomość przekazana dalej", "treść przekazanej wiadomości",
            ],
            forwardLine: ["początek przekazywanej wiadomości", "początek przekazanej wiadomości"],
            device: [
                "wysłane z ", "wysłano z ", "pobierz outlook ", "pobierz aplikację outlook ",
                "pobierz program outlook ",
            ]),
        // Swedish
        ReplyWords(
            leads: ["den "], wrote: ["skrev"],
            from: ["från"], sent: ["skickat", "datum"], to: ["till"], subject: ["ämne"],
            original: ["ursprungligt meddelande", "originalmeddelande"],
            forwarded: ["vidarebefordrat meddelande", "vidarebefordrat mejl"],
            forwardLine: ["vidarebefordrat brev", "vidarebefordrat mejl", "vidarebefordrat meddelande"],
            device: ["skickat från min ", "skickat från ", "skickades från ", "hämta outlook för "]),
        // Danish
        ReplyWords(
            leads: ["den "], wrote: ["skrev"],
            from: ["fra"], sent: ["sendt", "dato"], to: ["til"], subject: ["emne"],
            original: ["oprindelig meddelelse", "original meddelelse", "original besked"],
            forwarded: ["videresendt meddelelse", "videresendt besked"],
            forwardLine: ["start på videresendt besked", "start på videresendt meddelelse"],
            device: ["sendt fra min ", "sendt fra ", "hent outlook til "]),
        // Norwegian
        ReplyWords(
            leads: ["den "], wrote: ["skrev"],
            from: ["fra"], sent: ["sendt", "dato"], to: ["til"], subject: ["emne"],
            original: ["opprinnelig melding", "original melding"],
            forwarded: ["videresendt melding", "videresendt e-post"],
            forwardLine: ["videresendt melding", "start på videresendt melding"],
            device: ["sendt fra min ", "skaff deg outlook for ", "få outlook for ", "last ned outlook for "]),
        // Finnish
        ReplyWords(
            wrote: ["kirjoitti"],
            from: ["lähettäjä"], sent: ["lähetetty", "päivämäärä", "päiväys"],
            to: ["vastaanottaja", "kenelle"],
            subject: ["aihe"],
            original: ["alkuperäinen viesti"],
            forwarded: ["välitetty viesti", "edelleenlähetetty viesti"],
            forwardLine: ["välitetty viesti alkaa", "alkuperäinen viesti alkaa"],
            device: [
                "lähetetty iphonesta", "lähetetty ipadista", "lähetetty androidista", "lähetetty laitteesta",
                "lähetetty minun ", "lähetetty outlookista", "lähetetty samsung", "hanki outlook ",
                "hae outlook ",
            ]),
        // Czech
        ReplyWords(
            leads: ["dne ", "dňa "], wrote: ["napsal", "píše", "odesílatel"],
            from: ["od"], sent: ["odesláno", "datum"], to: ["komu"], subject: ["předmět"],
            original: ["původní zpráva", "původní e-mail"],
            forwarded: ["přeposlaná zpráva", "předaná zpráva"],
            forwardLine: ["začátek přeposlané zprávy"],
            device: ["odesláno z ", "posláno z ", "získat outlook pro ", "stáhněte si outlook "]),
        // Russian
        ReplyWords(
            wrote: ["написал", "пишет", "писал"],
            from: ["от", "от кого"], sent: ["отправлено", "дата"], to: ["кому"], subject: ["тема"],
            original: ["исходное сообщение", "оригинальное сообщение", "исходное письмо"],
            forwarded: ["пересылаемое сообщение", "пересланное сообщение", "перенаправленное сообщение"],
            forwardLine: [
                "начало переадресованного сообщения", "начало переадресованного письма",
                "начало пересылаемого сообщения",
            ],
            device: [
                "отправлено с ", "отправлено из ", "послано с ", "получить outlook для ",
                "скачайте outlook для ",
            ]),
        // Ukrainian
        ReplyWords(
            wrote: ["написав", "написала", "пише"],
            from: ["від"], sent: ["надіслано", "відправлено", "дата"], to: ["кому"], subject: ["тема"],
            original: ["вихідне повідомлення", "оригінальне повідомлення", "початкове повідомлення"],
            forwarded: ["переслане повідомлення", "перенаправлене повідомлення", "пересланий лист"],
            forwardLine: ["початок переадресованого повідомлення", "початок листа, що пересилається"],
            device: ["надіслано з ", "відправлено з ", "отримати outlook для "]),
        // Turkish
        ReplyWords(
            wrote: ["yazdı", "yazmış"],
            from: ["kimden", "gönderen"], sent: ["gönderildi", "gönderme tarihi", "tarih"],
            to: ["kime", "alıcı"], subject: ["konu"],
            original: ["özgün ileti", "orijinal mesaj", "orijinal i̇leti", "özgün mesaj"],
            forwarded: ["iletilen mesaj", "yönlendirilmiş ileti", "i̇letilmiş mesaj", "forwarded message"],
            forwardLine: [
                "iletilen ileti başlangıcı", "i̇letilen ileti başlangıcı", "iletilmiş mesajın başlangıcı",
            ],
            device: [
                "iphone'umdan gönderildi", "iphone’umdan gönderildi", "ipad'imden gönderildi",
                "android için outlook", "ios için outlook",
            ]),
        // Japanese
        ReplyWords(
            wrote: ["書きました", "のメール", "のメッセージ", "書き込みました", "送信しました", " wrote"],
            from: ["差出人", "送信者", "from"], sent: ["送信日時", "日時", "日付"], to: ["宛先", "to"],
            subject: ["件名"],
            original: ["元のメッセージ", "オリジナルメッセージ", "original message"],
            forwarded: ["転送メッセージ", "転送されたメッセージ", "転送されたメール"],
            forwardLine: ["転送されたメッセージ", "転送されたメール"],
            device: [
                "iphoneから送信", "ipadから送信", "私のiphoneから送信", "スマートフォンから送信", "ios 用 outlook",
                "outlook for ios を入手", "androidから送信",
            ]),
        // Chinese
        ReplyWords(
            leads: ["在 ", "在", "于 "], wrote: ["写道", "寫道", "编写", "撰寫", "写到"],
            from: ["发件人", "寄件者", "寄件人", "发件者"],
            sent: ["发送时间", "发送日期", "日期", "寄件日期", "傳送時間", "时间", "已寄件"],
            to: ["收件人", "收件者"], subject: ["主题", "主旨", "主題"],
            original: ["邮件原件", "原始邮件", "原始郵件", "原邮件", "原始信件", "回复的原邮件"],
            forwarded: ["转发的邮件", "轉寄郵件", "转发邮件", "轉寄的訊息", "转发的消息", "轉寄的郵件"],
            forwardLine: ["下面是被转发的邮件", "开始转发的邮件", "以下是轉寄的郵件", "開始轉寄郵件", "開始轉寄的郵件"],
            device: [
                "发自我的", "從我的 ", "從我的", "发自 ", "发送自我的", "获取 outlook for ", "获取适用于 ", "取得 outlook", "傳送自我的",
                "寄自我的",
            ]),
        // Korean
        ReplyWords(
            wrote: ["작성", "님이 쓴 글", "님이 보냄"],
            from: ["보낸 사람", "보낸사람", "발신"], sent: ["보낸 날짜", "보낸날짜", "날짜"],
            to: ["받는 사람", "받는사람", "수신"], subject: ["제목"],
            original: ["원본 메시지", "원본 메일", "원본메시지"],
            forwarded: ["전달된 메시지", "전달된 메일", "전달 메시지"],
            forwardLine: ["전달된 메시지 시작", "전달된 메시지", "아래는 전달된 메시지입니다"],
            device: [
                "나의 iphone에서 보냄", "내 iphone에서 보냄", "iphone에서 보냄", "ipad에서 보냄", "나의 ipad에서 보냄", "ios용 outlook",
                "android용 outlook", "갤럭시에서 보냄",
            ]),
        // Hebrew
        ReplyWords(
            leads: ["בתאריך "], wrote: ["מאת", "כתב"],
            from: ["מאת"], sent: ["נשלח", "תאריך"], to: ["אל"], subject: ["נושא"],
            original: ["הודעה מקורית"],
            forwarded: ["הודעה שהועברה", "הודעה מועברת"],
            forwardLine: ["תחילת ההודעה שהועברה"],
            device: ["נשלח מה-iphone", "נשלח מה-ipad", "נשלח מהאייפון", "נשלח מהטלפון", "נשלח מ-outlook"]),
        // Arabic
        ReplyWords(
            leads: ["في "], wrote: ["كتب", "تمت كتابة"],
            from: ["من"], sent: ["تم الإرسال", "تاريخ الإرسال", "التاريخ", "إرسال"], to: ["إلى"],
            subject: ["الموضوع"],
            original: ["الرسالة الأصلية", "رسالة أصلية"],
            forwarded: ["رسالة معاد توجيهها", "رسالة مُعاد توجيهها", "الرسالة المعاد توجيهها"],
            forwardLine: ["بدء الرسالة المعاد توجيهها", "بداية الرسالة المُعاد توجيهها"],
            device: [
                "مرسل من الـ iphone", "أُرسلت من الـ iphone", "أُرسلت من الـ ipad", "تم الإرسال من iphone",
            ]),
        // Persian
        ReplyWords(
            leads: ["در تاریخ ", "در "], wrote: ["نوشت"],
            from: ["از"], sent: ["تاریخ", "ارسال شده"], to: ["به"], subject: ["موضوع"],
            original: ["پیام اصلی"],
            forwarded: ["پیام هدایت‌شده"],
            device: ["ارسال شده از "]),
        // Hungarian
        ReplyWords(
            wrote: ["ezt írta", "írta"],
            from: ["feladó"], sent: ["elküldve", "küldve", "dátum"], to: ["címzett"], subject: ["tárgy"],
            original: ["eredeti üzenet"],
            forwarded: ["továbbított üzenet"],
            forwardLine: ["a továbbított üzenet kezdete"],
            device: ["az iphone-omról küldve", "az ipadről küldve", "a telefonomról küldve"]),
        // Greek
        ReplyWords(
            leads: ["στις "], wrote: ["έγραψε"],
            from: ["από"], sent: ["στάλθηκε", "εστάλη", "ημερομηνία"], to: ["προς"], subject: ["θέμα"],
            original: ["αρχικό μήνυμα"],
            forwarded: ["προωθημένο μήνυμα"],
            device: ["στάλθηκε από το iphone", "στάλθηκε από το ipad", "εστάλη από το iphone"]),
        // Romanian
        ReplyWords(
            leads: ["în ", "pe "], wrote: ["a scris"],
            from: ["de la"], sent: ["trimis", "data", "dată"], to: ["către", "la"], subject: ["subiect"],
            original: ["mesaj original", "mesajul original"],
            forwarded: ["mesaj redirecționat", "mesaj transmis"],
            device: ["trimis de pe iphone", "trimis de pe ipad", "trimis de pe telefonul meu"]),
        // Slovak
        ReplyWords(
            leads: ["dňa "], wrote: ["napísal"],
            from: ["od"], sent: ["odoslané", "dátum"], to: ["komu"], subject: ["predmet"],
            original: ["pôvodná správa"],
            forwarded: ["preposlaná správa"],
            device: ["odoslané z iphon", "odoslané z ipad"]),
    ]
}

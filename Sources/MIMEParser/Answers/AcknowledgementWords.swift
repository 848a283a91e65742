/// Texts that ticket systems write automatically: a request arrived, or its state changed. In lower case.
///
/// They count only at the start of the text, and only in mail from a ticket system or an address that accepts no
/// answers.
enum AcknowledgementWords {
    /// The number of characters to search. Such mail begins with these words.
    private static let reach = 800

    static func hold(in text: String) -> Bool {
        let start = text.prefix(reach).lowercased().split(whereSeparator: \.isWhitespace).joined(
            separator: " ")
        return phrases.contains { start.contains($0) }
    }

    private static let phrases: [String] = [
        // English
        "request has been received", "received your request", "received your message", "received your email",
        "received your inquiry", "received your enquiry", "ticket has been created", "ticket has been opened",
        "request has been created", "been created and assigned", "been assigned the ticket",
        "been assigned an id",
        "we got your request", "case has been created", "case has been logged",
        "automatically generated in response",
        "this is an automat", "has been received and is being", "has been received and will be",
        "marked as solved",
        "marked as resolved", "ticket has been closed", "request has been closed", "case has been closed",
        "ticket has been resolved", "request has been resolved", "ticket has been assigned",
        "rate the support",
        "your ticket number is", "your case number is", "we will get back to you as soon as",
        "in the order letters come",
        "in the order they", "in the order received", "request for support has been",
        // German
        "ihre anfrage ist bei uns eingegangen", "anfrage erhalten", "eingang ihrer nachricht",
        "eingang ihrer anfrage",
        "ihre nachricht erhalten", "ticket wurde erstellt", "ticket wurde eröffnet", "ticketnummer lautet",
        "automatisch erstellt", "automatisch generiert", "ihre e-mail ist bei uns eingegangen",
        "anfrage wurde geschlossen", "ticket wurde geschlossen",
        // French
        "avons bien reçu votre", "a été reçue", "a bien été reçue", "un ticket a été créé", "sera traitée",
        "bien été enregistrée", "message automatique", "accusons réception", "ticket a été clôturé",
        // Spanish
        "hemos recibido su solicitud", "hemos recibido su consulta", "hemos recibido su mensaje",
        "hemos recibido tu solicitud", "hemos recibido tu mensaje", "ha sido registrada",
        "se ha creado el ticket",
        "se ha creado un ticket", "mensaje automático",
        // Italian
        "abbiamo ricevuto la tua richiesta", "abbiamo ricevuto la sua richiesta",
        "abbiamo ricevuto la sua segnalazione",
        "è stata registrata", "è stato aperto il ticket", "messaggio automatico",
        // Portuguese
        "recebemos a sua mensagem", "recebemos sua mensagem", "recebemos a sua solicitação",
        "recebemos o seu pedido",
        "foi registrada", "foi registado", "chamado foi aberto", "mensagem automática",
        // Dutch
        "wij hebben uw bericht ontvangen", "wij hebben uw vraag ontvangen", "we hebben je bericht ontvangen",
        "uw aanvraag is ontvangen", "ticketnummer is", "automatisch gegenereerd",
        // Polish
        "otrzymaliśmy państwa zgłoszenie", "otrzymaliśmy twoje zgłoszenie",
        "zgłoszenie zostało zarejestrowane",
        "zgłoszenie zostało przyjęte", "wiadomość automatyczna", "wiadomość została wygenerowana",
        // Czech
        "obdrželi jsme váš", "požadavek byl přijat", "požadavek byl zaregistrován", "automaticky vygenerov",
        // Russian
        "ваш запрос получен", "заявка принята", "заявка зарегистрирована", "обращение зарегистрировано",
        "обращение принято", "автоматическое сообщение",
        // Ukrainian
        "ваш запит отримано", "звернення зареєстровано",
        // Turkish
        "talebiniz alındı", "talebiniz bize ulaş", "otomatik olarak oluşturul", "talebiniz oluşturuldu",
        // Swedish, Danish, Norwegian
        "vi har tagit emot di", "vi har mottagit di", "ärende har registrerats",
        "vi har modtaget din henvendelse",
        "vi har mottatt din henvendelse", "sak er registrert", "automatisk genererad", "automatisk genereret",
        // Finnish
        "olemme vastaanottaneet viestisi", "pyyntösi on vastaanotettu", "tukipyyntösi on kirjattu",
        // Japanese
        "お問い合わせを受け付け", "自動送信", "自動返信", "受付番号",
        // Chinese
        "已收到您的请求", "收到您的请求", "工单已创建", "自动发送", "系统自动", "已收到您的請求",
        // Korean
        "문의가 접수", "접수되었습니다", "자동으로 발송", "자동 발송",
    ]
}

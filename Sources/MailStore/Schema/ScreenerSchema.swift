/// The screener: up to which message of an account the mail came before it.

enum ScreenerSchema {
    static let sql = """
        CREATE TABLE screener (
            account INTEGER PRIMARY KEY REFERENCES account(id),
            -- The newest message then; later ones are screened.
            newest INTEGER NOT NULL
        ) STRICT;
        """
}

/// The screener: the last message of an account that arrived before the screener was switched on.

enum ScreenerSchema {
    static let sql = """
        CREATE TABLE screener (
            account INTEGER PRIMARY KEY REFERENCES account(id),
            -- The newest message then; later ones are screened.
            newest INTEGER NOT NULL
        ) STRICT;
        """
}

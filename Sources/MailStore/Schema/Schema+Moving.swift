/// How the server of an account can move and remove messages.
extension Schema {
    static let moving = """
        -- `MoveAbility`, as the server said at the last sync.
        ALTER TABLE account ADD COLUMN moves TEXT NOT NULL DEFAULT 'yes' CHECK (moves IN ('yes', 'no'));
        -- 1: the user was told that nothing can be moved.
        ALTER TABLE account ADD COLUMN moves_told INTEGER NOT NULL DEFAULT 0;
        """
}

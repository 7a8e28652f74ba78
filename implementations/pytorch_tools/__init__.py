"""Tools that need the reference's network: re-evaluation and export."""

"""What reviewers write: waivers of findings, and what they say of the points that people judge."""

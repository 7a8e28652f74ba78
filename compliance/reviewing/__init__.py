"""What people judge, with the evidence, and what reviewers write: waivers of findings, and reviews of these points."""

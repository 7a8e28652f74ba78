"""Results as HTML pages: the report, comparisons and the site."""

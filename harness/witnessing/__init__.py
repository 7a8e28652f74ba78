"""The witness of a round: what it stores, how it is asked, and how runs tell it what they do."""

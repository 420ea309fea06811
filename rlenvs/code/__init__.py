"""Programs from a policy: what is asked, which program a reply gives, and how it is judged in a sandbox."""

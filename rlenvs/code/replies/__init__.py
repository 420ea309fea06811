"""What stands in a reply: its fenced blocks, code among prose, the rest of a stub, and which names code needs."""

"""Reading an answer as it is written: from text in many forms to a tree; `reading` is the way in."""

"""What a question says about its answer, and whether an answer has the form that it asks for."""

"""What is known of the platform → one page that people look at: a document, and the HTML around it."""

"""What the command ``headwater`` can be asked, a module for each subject."""

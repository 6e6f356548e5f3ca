"""`dure papers` and `dure glossary`."""

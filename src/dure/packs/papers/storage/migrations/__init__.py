"""Migrations of the tables of papers."""

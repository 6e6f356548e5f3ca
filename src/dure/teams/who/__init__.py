"""Who works on a message, for teams of every kind: a model that can decide does; else example questions, a small
model's choice among the likeliest, and in doubt the person."""

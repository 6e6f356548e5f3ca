"""Nothing: its column of papers is the pack's now. The revision stays, since databases of 0.1 are at it."""

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    pass

"""Nothing: the tables as Dure 0.1 made them. A database without any is made from the schema."""

revision = "0008"
down_revision = None


def upgrade() -> None:
    pass

"""Nothing: the tables as Dure 0.1 made them. Databases without any are made from the schema."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    pass

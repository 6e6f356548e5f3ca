"""alembic's entry: runs the migrations on the connection that `upgrade` hands over."""

from alembic import context

from dure.storage.schema import metadata

_given = context.config.attributes
context.configure(
    connection=_given["connection"],
    version_table=_given["version_table"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()

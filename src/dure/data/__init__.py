"""Data asked by queries: tables read from files, SQL that was checked, and the processes it runs in."""

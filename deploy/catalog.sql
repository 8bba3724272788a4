-- The catalog's database, beside the one that Dagster has: run once, when the server's disk is still empty.
create database lake;

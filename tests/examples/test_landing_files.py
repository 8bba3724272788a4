"""What lands in all its oddity: copies of the example are broken as users and suppliers break them."""

from pathlib import Path

from tests.examples.example import Example, completed_last

THIRD = """\
H0000070320260903
D0000070300050041000010410000001500card
D0000070300050042000010420000002500cash
T00000703000002
"""
ODD = ("03 Zahlung für Ü.txt", 'it\'s #3 "quoted".txt', "[3] {a,b} %20 $x ; --.txt")


def taken(example: Example) -> tuple[set[str], int]:
    """The files that the latest run of bronze.payments matched, without their folder, and how many rows it wrote."""
    complete = completed_last(example, "bronze.payments")
    told = complete["inputs"][0]["inputFacets"]["headwater_files"]["files"]
    return {it["name"].removeprefix("landing/payments/") for it in told}, counted(example, "bronze.payments")[0]


def counted(example: Example, table: str) -> tuple[int, int]:
    """How many rows the latest run of a table wrote and rejected."""
    told = completed_last(example, table)["run"]["facets"]["headwater_statistics"]
    return told["recordsWritten"], told["recordsRejected"]


def stopped(example: Example, *tables: str) -> dict[str, str]:
    """What stopped each of ``tables``, as the run says it; each has sent FAIL, and none was written."""
    result = example.headwater("run", *tables)
    assert result.exit_code == 1, result.output
    assert str(example.root) not in result.output
    ends = {it["job"]["name"]: it for it in example.events()}
    assert {table: ends[table]["eventType"] for table in tables} == dict.fromkeys(tables, "FAIL"), result.output
    said = (line.removeprefix("stopped").strip().split(": ", 1) for line in result.output.splitlines() if "__" in line)
    return {step.replace("__", "."): why for step, why in said}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_each_run_takes_the_files_that_are_new_whatever_they_are_called(fresh: Example) -> None:
    folder = fresh.root / "landing" / "payments"
    fresh.said("run", "bronze.payments")
    assert taken(fresh) == ({"2026-09-01.txt", "2026-09-02.txt"}, 40)

    fresh.said("run", "bronze.payments")
    assert taken(fresh) == (set(), 0)

    for name in ODD:
        (folder / name).write_text(THIRD)
    (folder / "2026-09-01.txt").unlink()  # what went after it was taken stays taken
    fresh.said("run", "bronze.payments")
    assert taken(fresh) == (set(ODD), 6)

    (folder / "2026-09-02.txt").write_text(THIRD)
    said = stopped(fresh, "bronze.payments")
    assert "landing/payments/2026-09-02.txt changed after bronze.payments had taken it" in said["bronze.payments"]


def test_another_shape_is_an_error_that_names_the_columns(fresh: Example) -> None:
    landing = fresh.root / "landing"
    edit(landing / "orders.csv", "order_id,customer_id,amount,", "order_id,customer_id,total,")
    edit(landing / "customers.csv", "customer_id;full_name;", "full_name;customer_id;")
    edit(landing / "batch.json", '"batch_date"', '"day"')
    (landing / "manifest.xml").unlink()

    said = stopped(fresh, "bronze.orders", "bronze.customers", "bronze.settlements", "bronze.parcels")

    assert said["bronze.orders"].startswith("landing/orders.csv: column amount is missing; column total is not decl")
    assert "landing/customers.csv: " in said["bronze.customers"]
    assert "customer_id, full_name" in said["bronze.customers"]
    assert "landing/batch.json: column $doc.header.batch_date is missing" in said["bronze.settlements"]
    assert "landing/manifest.xml: there is no such file" in said["bronze.parcels"]
    assert not list(fresh.root.glob(".headwater/warehouse/**/*.parquet"))


def test_rows_that_do_not_fit_stop_a_run_where_they_are_too_many_or_all(fresh: Example) -> None:
    landing = fresh.root / "landing"
    with (landing / "orders.csv").open("a") as orders:
        orders.write("x\n" * 11)
    header, *rows = (landing / "customers.csv").read_text().splitlines()
    (landing / "customers.csv").write_text("\n".join([header, *(f"x{row}" for row in rows)]))
    edit(landing / "manifest.xml", "</parcels>", "")

    said = stopped(fresh, "bronze.orders", "bronze.customers", "bronze.parcels")

    assert "landing/orders.csv: 11 rows do not fit, max_rejects allows 10" in said["bronze.orders"]
    assert "landing/customers.csv: none of its 40 rows fits: customer_id" in said["bronze.customers"]
    assert "landing/manifest.xml" in said["bronze.parcels"]


def test_a_file_without_rows_makes_none_and_a_line_of_no_known_kind_is_kept_aside(
    fresh: Example,
) -> None:
    landing = fresh.root / "landing"
    edit(landing / "returns.csv", "R|31|", "X|31|")
    (landing / "orders.csv").write_text((landing / "orders.csv").read_text().splitlines()[0] + "\n")
    (landing / "payments" / "2026-09-02.txt").write_text("")

    fresh.said("run", "bronze.orders", "bronze.payments", "bronze.returns")

    assert counted(fresh, "bronze.orders") == (0, 0)
    assert counted(fresh, "bronze.returns") == (8, 1)
    assert taken(fresh) == ({"2026-09-01.txt"}, 20)  # an empty one is not taken until it is filled


def test_what_a_failed_run_leaves_in_store_has_neither_paths_nor_values(fresh: Example) -> None:
    landing = fresh.root / "landing"
    edit(landing / "batch.json", '"batch_date": "2026', '"batch_date": "2026-99-')
    (landing / "manifest.xml").write_text("<manifest><parcels>")
    with (landing / "orders.csv").open("a") as orders:
        orders.write('9999,2,3,"open,2026-01-01 00:00:00\n9998,3,hush-hush,x,2026-01-01 00:00:00\n')
    stopped(fresh, "bronze.settlements", "bronze.parcels", "bronze.orders")
    kept = [path for folder in ("dagster", "events") for path in (fresh.root / ".headwater" / folder).rglob("*")]
    content = b"".join(path.read_bytes() for path in kept if path.is_file())
    assert b"landing/orders.csv" in content
    for hidden in (str(landing), "hush-hush", "2026-99-", str(fresh.root / ".headwater" / "spill")):
        assert hidden.encode() not in content

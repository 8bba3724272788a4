"""Every name that any event used: whether something is spelled in two ways is asked of all of them."""

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from governance.events.keys import SEPARATOR


@dataclass(slots=True)
class Names:
    """Keys of datasets and fields (:mod:`governance.events.edges`), each once.

    linked: whether any event said that two datasets are one
    twins:  whether two keys may be two spellings of one name
    """

    keys: pa.Array
    linked: bool = False
    twins: bool = False

    @classmethod
    def of(cls, data: bytes, *, linked: bool = False, twins: bool = False) -> "Names":
        """Return those that :meth:`data` gave."""
        if not data:
            return cls(pa.nulls(0, pa.string()), linked, twins)
        with pa.ipc.open_file(pa.py_buffer(data)) as file:
            return cls(pa.chunked_array(file.read_all()["key"]).combine_chunks(), linked, twins)

    def data(self) -> bytes:
        """Return all of them as an Arrow file."""
        sink = pa.BufferOutputStream()
        table = pa.table({"key": self.keys})
        with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as file:
            file.write_table(table)
        return bytes(sink.getvalue())

    def learn(self, named: Iterable[pa.Array | pa.ChunkedArray], *, linked: bool) -> bool:
        """Take the keys that are new; return whether any was."""
        chunks = [chunk for it in named for chunk in (it.chunks if isinstance(it, pa.ChunkedArray) else [it])]
        told = pc.unique(pa.chunked_array(chunks, pa.string()))
        fresh = told.filter(pc.invert(pc.is_in(told, value_set=self.keys)))
        newly = linked and not self.linked
        self.linked |= linked
        if not len(fresh) and not newly:
            return False
        self.keys = pa.concat_arrays([self.keys, fresh])
        self.twins = self.twins or _twins(self.keys.to_pylist(), linked=self.linked)
        return True


def _twins(keys: list[str], *, linked: bool) -> bool:
    """Whether two keys differ by case and quotes alone; of datasets that are one, their columns are as if of one."""
    folded = {_fold(it) for it in keys}
    if len(folded) < len(keys):
        return True
    if not linked:
        return False
    columns = {it.rpartition(SEPARATOR)[2] for it in keys}
    return len({_fold(it) for it in columns}) < len(columns)


def _fold(name: str) -> str:
    # coarser than what any namespace's rule takes for one name
    return name.replace('"', "").lower().upper()

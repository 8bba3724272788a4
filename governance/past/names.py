"""Every name that any event used: whether something is spelled in two ways is asked of all of them."""

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from governance.events.arrays import texts
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
    _folded: pa.Array | None = None

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
        self.twins = self.twins or self._spelled_again(fresh)
        self.keys = pa.concat_arrays([self.keys, fresh])
        if self.linked and not self.twins:
            # of datasets that are one, their columns are as if of one
            columns = {it.rpartition(SEPARATOR)[2] for it in self.keys.to_pylist()}
            self.twins = len({_fold(it) for it in columns}) < len(columns)
        return True

    def _spelled_again(self, fresh: pa.Array) -> bool:
        """Whether a key of ``fresh`` differs from another by case and quotes alone; those there do not."""
        if self._folded is None:
            self._folded = _all_folded(self.keys)
        told = _all_folded(fresh)
        again = pc.any(pc.is_in(told, value_set=self._folded)).as_py() or pc.count_distinct(told).as_py() < len(told)
        self._folded = pa.concat_arrays([self._folded, told])
        return bool(again)


def _all_folded(keys: pa.Array) -> pa.Array:
    """Return the folded keys, in no order."""
    plain = pc.string_is_ascii(keys)
    folded = pc.ascii_upper(pc.replace_substring(keys, '"', ""))
    if pc.all(plain).as_py():
        return folded
    # Arrow has no letter that becomes two in the other case, as Python has
    odd = [_fold(it) for it in keys.filter(pc.invert(plain)).to_pylist()]
    return pa.concat_arrays([folded.filter(plain), texts(odd)])


def _fold(name: str) -> str:
    # coarser than what any namespace's rule takes for one name
    return name.replace('"', "").lower().upper()

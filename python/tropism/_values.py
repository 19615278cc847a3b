"""Results by name: the fields of a C table as Python values.

A number, a count, a truth and a text become float, int, bool and str; what is absent is None; an
array becomes a NumPy array of its shape. A list of rows becomes a Table. A name with a dot is a
member of a group: `certificate.kind` is `result.certificate.kind`.
"""

import ctypes as c
import html
import keyword

import numpy as np

from ._library import check, library, text

NULL, NUMBER, INTEGER, BOOLEAN, TEXT, NUMBERS, INTEGERS, LIST, BOOLEANS, TEXTS = range(10)


class NoField(AttributeError, KeyError):
    """A result, group or list has no field of that name."""


class Field:
    """An entry of a field table."""

    __slots__ = ("entry", "name", "meaning", "columns")

    def __init__(self, entry, fields):
        self.entry = entry
        self.name = text(library.trop_field_name(entry))
        self.meaning = text(library.trop_field_meaning(entry))
        columns = library.trop_field_columns(entry)
        self.columns = fields(columns) if columns else ()


def fresh_fields(table):
    """The entries of a table that lives as long as its result: its address may be another's later."""
    found = []
    while entry := library.trop_field_at(table, len(found)):
        found.append(Field(entry, fresh_fields))
    return tuple(found)


_tables = {}


def fields(table):
    """The entries of a table that lives forever, which is read once."""
    if table not in _tables:
        found = []
        while entry := library.trop_field_at(table, len(found)):
            found.append(Field(entry, fields))
        _tables[table] = tuple(found)
    return _tables[table]


def new_value():
    """Memory for a struct trop_value."""
    return c.create_string_buffer(library.trop_value_size())


def shape_of(value):
    return tuple(library.trop_value_shape(value, k) for k in range(library.trop_value_rank(value)))


def axes_of(value):
    return tuple(
        text(library.trop_value_axis(value, k)) for k in range(library.trop_value_rank(value))
    )


def array_at(address, kind, shape, owner=None):
    """Numbers of the library: a copy, or with an owner a view that keeps it alive and cannot be
    written to."""
    count = int(np.prod(shape, dtype=np.int64))
    if not address or count == 0:
        return np.zeros(shape, dtype=kind)
    # A buffer that refers to its owner lives as long as the array that is made of it.
    buffer = (c.c_char * (np.dtype(kind).itemsize * count)).from_address(address)
    if owner is None:
        return np.frombuffer(buffer, dtype=kind).reshape(shape).copy()
    buffer.owner = owner
    return np.frombuffer(memoryview(buffer).toreadonly(), dtype=kind).reshape(shape)


def read(value, owner=None):
    """A struct trop_value as a Python value; None also for a list, whose columns have its rows."""
    kind = library.trop_value_kind(value)
    if kind == NUMBER:
        return library.trop_value_number(value)
    if kind == INTEGER:
        return library.trop_value_integer(value)
    if kind == BOOLEAN:
        return bool(library.trop_value_integer(value))
    if kind == TEXT:
        return text(library.trop_value_text(value, 0))
    if kind == NUMBERS:
        return array_at(library.trop_value_numbers(value), np.float64, shape_of(value), owner)
    if kind == INTEGERS:
        return array_at(library.trop_value_integers(value), np.int64, shape_of(value), owner)
    if kind == BOOLEANS:
        return array_at(library.trop_value_integers(value), np.int64, shape_of(value)) != 0
    if kind == TEXTS:
        return [
            text(library.trop_value_text(value, k)) for k in range(library.trop_value_shape(value, 0))
        ]
    return None


def read_field(field, address, owner=None):
    """The value of a field, lists included, and the names of its axes."""
    value = new_value()
    check(library.trop_field_read(value, field.entry, address, 0))
    if library.trop_value_kind(value) != LIST:
        return read(value, owner), axes_of(value)
    rows = library.trop_value_shape(value, 0)
    columns, axes = {}, {}
    for column in field.columns:
        columns[column.name] = cells = []
        for row in range(rows):
            check(library.trop_field_read(value, column.entry, address, row))
            cells.append(read(value))
            if isinstance(cells[-1], np.ndarray):
                axes[column.name] = axes_of(value)
    return Table(columns, rows, axes), (field.name,)


def spelled(name):
    """A name that Python can take: `lambda` is a word of the language."""
    return name + "_" if keyword.iskeyword(name) else name


class Group:
    """Values by name, as attributes and as items."""

    __slots__ = ("_values", "_meanings")

    def __init__(self, values, meanings=None):
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_meanings", meanings or {})

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name.rstrip("_")]

    def __setattr__(self, name, value):
        raise AttributeError(f"{name}: a result cannot be changed")

    def __getitem__(self, name):
        if name in self._values:
            return self._values[name]
        inner = {
            key[len(name) + 1 :]: value
            for key, value in self._values.items()
            if key.startswith(name + ".")
        }
        if not inner:
            raise NoField(f"{name}: must be one of {', '.join(self.keys())}")
        return Group(inner)

    def keys(self):
        return list(dict.fromkeys(key.split(".")[0] for key in self._values))

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __contains__(self, name):
        return name in self.keys()

    def __dir__(self):
        return [*super().__dir__(), *self.keys()]

    def __eq__(self, other):
        return isinstance(other, Group) and plain(self) == plain(other)

    __hash__ = None

    def __reduce__(self):
        return Group, (self._values, self._meanings)

    def __repr__(self):
        return "\n".join(lines(self))


SHOWN = 20  # rows of a list, in a notebook


class Table:
    """Rows of a list: `table[3].centre` is a row's value, `table.centre` the whole column."""

    __slots__ = ("_columns", "_rows", "_axes")

    def __init__(self, columns, rows, axes=None):
        self._columns = columns
        self._rows = rows
        self._axes = axes or {}  # of columns whose cells are arrays: the names of theirs

    def __len__(self):
        return self._rows

    def __getitem__(self, row):
        if isinstance(row, str):
            return self._column(row)
        if isinstance(row, slice):
            rows = range(self._rows)[row]
            return Table({k: v[row] for k, v in self._columns.items()}, len(rows), self._axes)
        row = range(self._rows)[row]
        return Group({name: cells[row] for name, cells in self._columns.items()})

    def __iter__(self):
        return (self[row] for row in range(self._rows))

    def _column(self, name):
        if name not in self._columns:
            raise NoField(f"{name}: must be one of {', '.join(self._columns)}")
        return column_array(self._columns[name])

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self._column(name.rstrip("_"))

    def keys(self):
        return list(self._columns)

    def __dir__(self):
        return [*super().__dir__(), *(k for k in self._columns if "." not in k)]

    def __eq__(self, other):
        return isinstance(other, Table) and plain(self) == plain(other)

    __hash__ = None

    def __reduce__(self):
        return Table, (self._columns, self._rows, self._axes)

    def __repr__(self):
        head = f"{self._rows} rows of {', '.join(self._columns)}"
        return "\n".join([head, *(f"  [{k}] {short(dict_of(self[k]))}" for k in range(min(8, len(self))))])

    def _repr_html_(self):
        def row(cells, tag):
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        shown = range(min(SHOWN, self._rows))
        rows = [row(("" if v[k] is None else short(v[k]) for v in self._columns.values()), "td") for k in shown]
        more = f"<caption>{SHOWN} of {self._rows} rows</caption>" if self._rows > SHOWN else ""
        return f"<table>{more}{row(self._columns, 'th')}{''.join(rows)}</table>"

    def to_pandas(self):
        """The rows as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame({name: column_array(v) for name, v in self._columns.items()})


def column_array(cells):
    """Numbers and truths as an array, absent ones as NaN; others as a list."""
    kinds = {type(cell) for cell in cells}
    if kinds <= {bool}:
        return np.array(cells, dtype=bool)
    if kinds <= {int}:
        return np.array(cells, dtype=np.int64)
    if kinds <= {int, float, type(None)} and kinds & {int, float}:
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return list(cells)


def dict_of(group):
    return {name: group[name] for name in group.keys()}


def plain(value):
    """A value of dicts, lists, numbers and texts, as JSON has it."""
    if isinstance(value, Group):
        return {name: plain(value[name]) for name in value.keys()}
    if isinstance(value, Table):
        return [plain(row) for row in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (dict, list)):
        return {k: plain(v) for k, v in value.items()} if isinstance(value, dict) else [*map(plain, value)]
    return value


def short(value, width=60):
    """A value in at most one line."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, int) and abs(value) >= 10**19:
        return f"10^{len(str(abs(value))) - 1}" if abs(value) < 10**4000 else "very many"
    if isinstance(value, np.ndarray):
        words = f"array {' x '.join(map(str, value.shape))}"
        if 0 < value.size <= 6 and value.ndim == 1:
            words = np.array2string(value, precision=4, separator=", ")
        return words
    if isinstance(value, Table):
        return f"{len(value)} rows"
    if isinstance(value, Group):
        return short(dict_of(value), width)
    if isinstance(value, dict):
        inside = ", ".join(f"{k} = {short(v, width)}" for k, v in value.items() if v is not None)
        return inside if len(inside) <= width else inside[: width - 3] + "..."
    return str(value)


def power_of_ten(log):
    """10^log as a number: whole where log is, infinite where neither int nor float is of use."""
    if log is None or not log < 1e4:
        return log and float("inf")
    return 10 ** int(log) if float(log).is_integer() else 10.0**log if log < 308 else float("inf")


def lines(group):
    """A line for each value that is there."""
    width = max((len(name) for name in group.keys()), default=0)
    return [
        f"{name:<{width}}  {short(group[name])}" for name in group.keys() if group[name] is not None
    ]

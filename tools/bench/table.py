"""One measured table: printed as text, kept as Markdown."""

from dataclasses import dataclass, field


@dataclass
class Table:
    """Rows of (what, value, how it was measured) under a title."""

    title: str
    note: str = ""
    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, what: str, value: str, how: str = "") -> None:
        """Append a row; all three are text as it shall be read."""
        self.rows.append((what, value, how))

    def markdown(self) -> str:
        """Return the table as Markdown with its title as a heading."""
        lines = [f"## {self.title}", ""]
        if self.note:
            lines += [self.note, ""]
        lines += ["| what | value | how |", "| --- | --- | --- |"]
        lines += [f"| {what} | {value} | {how} |" for what, value, how in self.rows]
        return "\n".join(lines) + "\n"

    def text(self) -> str:
        """Return the table for a terminal."""
        width = max(len(what) for what, _, _ in self.rows)
        value_width = max(len(value) for _, value, _ in self.rows)
        body = [f"  {w:{width}}  {v:>{value_width}}  {how}" for w, v, how in self.rows]
        return "\n".join([self.title, *body])

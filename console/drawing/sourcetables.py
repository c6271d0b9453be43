"""Lines of a document as table rows. Python and no template, as for diffs: documents of many
thousand lines would take a template many seconds."""

from collections.abc import Iterable

from django.utils.safestring import SafeString


def source_rows(lines: Iterable[SafeString], first: int = 1) -> SafeString:
    """Rows with number, anchor and text.

    Args:
        lines: as they are drawn.
        first: the number of the first of them.
    """
    numbered = enumerate(lines, start=first)
    return SafeString(
        "".join(f'<tr id="L{n}">{source_cells(n, line)}</tr>\n' for n, line in numbered)
    )


def source_cells(number: int, line: SafeString) -> SafeString:
    """The cells of one row."""
    return SafeString(
        f'<td class="ln"><a href="#L{number}">{number}</a></td><td class="tx">{line}</td>'
    )

"""The form of the judging page, as a browser without scripts sends it."""

import re
from html import unescape


def fields(page):
    """Hidden fields of the grading form."""
    form = page[page.index('action="/judge/rate"') :]
    form = form[: form.index("</form>")]
    values = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    return {name: unescape(value) for name, value in values.items()}

"""Keep every built page free of requests to third parties, and of errors when it is opened from disk.

Sphinx-thebe is dropped: its loader names a CDN. So are the theme's font preloads: a browser refuses them on a
page opened as a file, and the icons, drawn from a script, never use them.
"""

import re
from pathlib import Path

FONT_PRELOAD = re.compile(r'\s*<link rel="preload" as="font"[^>]*>')


def _is_thebe(asset):
    """Whether a script or style sheet, inline or not, belongs to sphinx-thebe."""
    body = getattr(asset, "attributes", {}).get("body", "")
    return "thebe" in f"{getattr(asset, 'filename', asset)} {body}".lower()


def drop_thebe(app, pagename, templatename, context, doctree):
    for kind in ("script_files", "css_files"):
        context[kind][:] = [asset for asset in context.get(kind, []) if not _is_thebe(asset)]


def drop_font_preloads(app, exception):
    if exception is None and app.builder.format == "html":
        for page in Path(app.outdir).rglob("*.html"):
            text = page.read_text(encoding="utf-8")
            cleaned = FONT_PRELOAD.sub("", text)
            if cleaned != text:
                page.write_text(cleaned, encoding="utf-8")


def setup(app):
    app.connect("html-page-context", drop_thebe, priority=900)
    app.connect("build-finished", drop_font_preloads)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

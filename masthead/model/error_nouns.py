"""The words for records in errors, which are translated where the error is raised."""

from masthead.model.translations import gettext_noop

# What NotFound says is not there, or what an id is of
NOUNS = (
    gettext_noop("API key"),
    gettext_noop("batch of letters"),
    gettext_noop("change of address"),
    gettext_noop("claim"),
    gettext_noop("copy"),
    gettext_noop("copy key"),
    gettext_noop("copy with the key"),
    gettext_noop("cover"),
    gettext_noop("delivery report"),
    gettext_noop("dispatch run"),
    gettext_noop("export profile"),
    gettext_noop("failed email"),
    gettext_noop("file"),
    gettext_noop("import"),
    gettext_noop("issue"),
    gettext_noop("letter"),
    gettext_noop("merge"),
    gettext_noop("note"),
    gettext_noop("order"),
    gettext_noop("passkey"),
    gettext_noop("product"),
    gettext_noop("refund"),
    gettext_noop("report of the file"),
    gettext_noop("session"),
    gettext_noop("source"),
    gettext_noop("statement"),
    gettext_noop("subscriber"),
    gettext_noop("subscription"),
    gettext_noop("user"),
    gettext_noop("webhook"),
)

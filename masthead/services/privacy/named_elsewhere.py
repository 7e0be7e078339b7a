"""Other mentions of a subscriber: texts that no erasure may change by itself."""

from masthead.model.errors import excerpt
from masthead.model.privacy.columns import LEFT
from masthead.model.privacy.erasures import NamedElsewhere
from masthead.model.privacy.redaction import Mentions, patterns_of
from masthead.services.privacy.data_subjects import get_data_subject, list_people
from masthead.services.privacy.earlier_search import get_wanted
from masthead.store.engine.interface import Connection
from masthead.store.privacy import data_subjects, named_elsewhere as store


async def list_named_elsewhere(
    db: Connection, account_id: int, id: str, *, placeholder_domain: str
) -> list[NamedElsewhere]:
    """The texts with an email, a full name or a last name of the subscriber.

    A label `c/o Lovelace` still brings a copy to somebody else, and a product or a key may have the
    name of a person: people decide what becomes of it. Queries: about 30. Reads all addresses, for
    seconds in a large account. Raises: NotFound.
    """
    subject, _row = await get_data_subject(
        db, account_id, id, placeholder_domain=placeholder_domain
    )
    rows = await data_subjects.list_subscribers(db, account_id, subject.id)
    people = await list_people(db, account_id, subject)
    wanted = await get_wanted(db, account_id, subject, rows, people)
    terms = sorted({*wanted.terms, *wanted.words})
    if not terms:
        return []
    mentions, patterns = Mentions(terms), patterns_of(terms)
    found = list[NamedElsewhere]()
    for table in LEFT:
        for row in await store.list_texts(db, account_id, table, patterns, subject):
            texts = [text for name, text in row.items() if name != "id" and isinstance(text, str)]
            found += [
                NamedElsewhere(table=table, id=row["id"], text=excerpt(text))
                for text in texts
                if mentions.replace(text) != text
            ]
    return list(dict.fromkeys(found))

"""The form of the letter of a stage: in the settings, and on the page of the stage."""

from wtforms import BooleanField, StringField, TextAreaField
from wtforms.validators import DataRequired

from masthead.model.emails import EmailTemplate
from masthead.model.identity.rights import Right
from masthead.model.letters.texts import PRICES
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm


class RenewalLetterForm(BaseForm):
    """The subject and the text of a stage, and whether it is sent by rule."""

    subject = StringField("Subject", [DataRequired("Type the subject of the letter.")])
    text = TextAreaField("Text", [DataRequired("Type the text of the letter.")])
    is_automatic = BooleanField("Send it by rule")


def hides_price(context: PageContext, text: EmailTemplate) -> bool:
    """Whether a letter has a price that the user may not see."""
    has_price = any(f"{{{name}}}" in text.subject + text.text for name in PRICES)
    return has_price and not context.membership.may(Right.SEE_MONEY)

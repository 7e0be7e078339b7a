"""The form of the letter of a stage: in the settings, and on the page of the stage."""

from wtforms import BooleanField, StringField, TextAreaField
from wtforms.validators import DataRequired

from masthead.web.kit.forms import BaseForm


class RenewalLetterForm(BaseForm):
    """The subject and the text of a stage, and whether it is sent by rule."""

    subject = StringField("Subject", [DataRequired("Type the subject of the letter.")])
    text = TextAreaField("Text", [DataRequired("Type the text of the letter.")])
    is_automatic = BooleanField("Send it by rule")

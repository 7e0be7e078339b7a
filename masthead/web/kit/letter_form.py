"""The form of a renewal letter; and for reminders too, the buttons and messages of letters."""

from wtforms import BooleanField, StringField, TextAreaField
from wtforms.validators import DataRequired

from masthead.model.errors import NotFound
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.translations import counted, gettext as _, ngettext_noop
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm

# The buttons that send, with the channels of each
CHANNELS = {
    "send": (LetterChannel.EMAIL, LetterChannel.PRINT),
    "email": (LetterChannel.EMAIL,),
    "print": (LetterChannel.PRINT,),
}
# What a page says of letters that are ready to print
PRINTABLE = ngettext_noop("{n} letter can be printed.", "{n} letters can be printed.")


class RenewalLetterForm(BaseForm):
    """The subject and the text of a stage, and whether it is sent by rule."""

    subject = StringField("Subject", [DataRequired("Type the subject of the letter.")])
    text = TextAreaField("Text", [DataRequired("Type the text of the letter.")])
    is_automatic = BooleanField("Send it by rule")


def stage_of(context: PageContext) -> RenewalStage:
    """The stage in the address. Raises: NotFound."""
    try:
        return RenewalStage(context.path["stage"])
    except ValueError:
        raise NotFound("letter", context.path["stage"]) from None


def test_message(address: str) -> str:
    """What the page says after a test."""
    return _("Sending a test to {address}.").format(address=address)


def printed_message(count: int) -> str:
    """What the page says when letters are printed."""
    return counted("{n} letter is printed.", "{n} letters are printed.", count)


def unprinted_message(count: int) -> str:
    """What the page says when letters are not printed after all."""
    return counted(
        "{n} letter is to be printed again.", "{n} letters are to be printed again.", count
    )


def stopped_message(stopped: int, sent: int) -> str:
    """What the page says after a stop. sent: how many letters had gone out."""
    text = counted("{n} letter was stopped.", "{n} letters were stopped.", stopped)
    gone = counted("{n} letter had gone out before.", "{n} letters had gone out before.", sent)
    return f"{text} {gone}"

"""The letter of a stage in each language, and which one a recipient gets."""

from masthead.model.emails import EmailTemplate, TranslatedTemplate
from masthead.model.letters.texts import default_template
from masthead.model.renewals.lapsed import RenewalStage


class StageText(TranslatedTemplate, frozen=True, kw_only=True):
    """The letter of a stage. is_automatic: sent by rule."""

    stage: RenewalStage
    is_automatic: bool

    def default(self) -> EmailTemplate:
        """The text that comes with masthead, in the current language."""
        return default_template(self.stage)

    @property
    def says_price(self) -> bool:
        """Whether it says what a renewal costs, in any language."""
        texts = [self.template, *self.translations.values()]
        return any(
            name in each.subject + each.text
            for each in texts
            for name in ("{offer}", "{renewal_price}")
        )

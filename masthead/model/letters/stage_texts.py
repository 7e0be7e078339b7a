"""The letter of a stage in each language, and which one a recipient gets."""

from collections.abc import Mapping

from msgspec import Struct

from masthead.model.emails import EmailTemplate
from masthead.model.letters.texts import default_template
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.translations import in_language, language_of, list_languages


class StageText(Struct, frozen=True):
    """The letter of a stage, in the language of the account.

    own: the locale of the account. is_automatic: sent by rule. is_default: not changed by an owner.
    translations: what owners wrote in other languages, by language.
    """

    stage: RenewalStage
    template: EmailTemplate
    own: str
    is_automatic: bool
    is_default: bool
    translations: Mapping[str, EmailTemplate] = {}

    @property
    def languages(self) -> frozenset[str]:
        """The languages in which recipients get a text: all that masthead has, if it is its own."""
        written = {language_of(self.own), *self.translations}
        return list_languages() | written if self.is_default else frozenset(written)

    @property
    def says_price(self) -> bool:
        """Whether it says what a renewal costs, in any language."""
        texts = [self.template, *self.translations.values()]
        return any(
            name in each.subject + each.text
            for each in texts
            for name in ("{offer}", "{renewal_price}")
        )

    @property
    def other_languages(self) -> list[str]:
        """Those besides the language of the account."""
        return sorted(self.languages - {language_of(self.own)})

    def for_locale(self, locale: str) -> tuple[EmailTemplate, str]:
        """The text for a recipient, and the locale that all of the letter is in.

        It is that of the account if an owner changed the letter, and wrote none in their language.
        """
        language = language_of(locale)
        if language == language_of(self.own):
            return self.template, self.own
        if language in self.translations:
            return self.translations[language], locale
        if self.is_default:
            with in_language(locale):
                return default_template(self.stage), locale
        return self.template, self.own

"""The formats of dates and numbers: locales, each with its name in its own language."""

from babel import Locale, UnknownLocaleError

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.text import short_text

DEFAULT = "en_GB"

# A constant, because Babel takes half a second for all names; a test compares them
LOCALES = {
    "bs_Latn_BA": "bosanski (latinica, Bosna i Hercegovina)",
    "ca_ES": "català (Espanya)",
    "cy_GB": "Cymraeg (Y Deyrnas Unedig)",
    "da_DK": "dansk (Danmark)",
    "de_DE": "Deutsch (Deutschland)",
    "de_CH": "Deutsch (Schweiz)",
    "de_AT": "Deutsch (Österreich)",
    "et_EE": "eesti (Eesti)",
    "en_AU": "English (Australia)",
    "en_CA": "English (Canada)",
    "en_IN": "English (India)",
    "en_IE": "English (Ireland)",
    "en_NZ": "English (New Zealand)",
    "en_ZA": "English (South Africa)",
    "en_GB": "English (United Kingdom)",
    "en_US": "English (United States)",
    "es_AR": "español (Argentina)",
    "es_CL": "español (Chile)",
    "es_CO": "español (Colombia)",
    "es_ES": "español (España)",
    "es_MX": "español (México)",
    "eu_ES": "euskara (Espainia)",
    "fil_PH": "Filipino (Pilipinas)",
    "fr_BE": "français (Belgique)",
    "fr_CA": "français (Canada)",
    "fr_FR": "français (France)",
    "fr_CH": "français (Suisse)",
    "ga_IE": "Gaeilge (Éire)",
    "gl_ES": "galego (España)",
    "hr_HR": "hrvatski (Hrvatska)",
    "id_ID": "Indonesia (Indonesia)",
    "it_IT": "italiano (Italia)",
    "it_CH": "italiano (Svizzera)",
    "sw_KE": "Kiswahili (Kenya)",
    "lv_LV": "latviešu (Latvija)",
    "lt_LT": "lietuvių (Lietuva)",
    "lb_LU": "Lëtzebuergesch (Lëtzebuerg)",
    "hu_HU": "magyar (Magyarország)",
    "mt_MT": "Malti (Malta)",
    "ms_MY": "Melayu (Malaysia)",
    "nl_BE": "Nederlands (België)",
    "nl_NL": "Nederlands (Nederland)",
    "nb_NO": "norsk bokmål (Norge)",
    "nn_NO": "norsk nynorsk (Noreg)",
    "pl_PL": "polski (Polska)",
    "pt_BR": "português (Brasil)",
    "pt_PT": "português (Portugal)",
    "ro_RO": "română (România)",
    "sq_AL": "shqip (Shqipëri)",
    "sk_SK": "slovenčina (Slovensko)",
    "sl_SI": "slovenščina (Slovenija)",
    "fi_FI": "suomi (Suomi)",
    "sv_FI": "svenska (Finland)",
    "sv_SE": "svenska (Sverige)",
    "vi_VN": "Tiếng Việt (Việt Nam)",
    "tr_TR": "Türkçe (Türkiye)",
    "is_IS": "íslenska (Ísland)",
    "cs_CZ": "čeština (Česko)",
    "el_GR": "Ελληνικά (Ελλάδα)",
    "el_CY": "Ελληνικά (Κύπρος)",
    "bg_BG": "български (България)",
    "mk_MK": "македонски (Северна Македонија)",
    "ru_RU": "русский (Россия)",
    "sr_Cyrl_RS": "српски (ћирилица, Србија)",
    "uk_UA": "українська (Україна)",
    "he_IL": "עברית (ישראל)",
    "ur_PK": "اردو (پاکستان)",
    "ar_SA": "العربية (المملكة العربية السعودية)",
    "ar_EG": "العربية (مصر)",
    "fa_IR": "فارسی (ایران)",
    "hi_IN": "हिन्दी (भारत)",
    "bn_BD": "বাংলা (বাংলাদেশ)",
    "th_TH": "ไทย (ไทย)",
    "zh_Hans_CN": "中文 (简体, 中国)",
    "zh_Hant_TW": "中文 (繁體, 台灣)",
    "ja_JP": "日本語 (日本)",
    "ko_KR": "한국어 (대한민국)",
}


def locale_code(field: str, text: str) -> str:
    """The locale in the spelling of Babel, such as `de_AT` for `de-at`. Raises: Invalid."""
    try:
        return str(Locale.parse(short_text(field, text).replace("-", "_")))
    except (ValueError, UnknownLocaleError):
        raise Invalid(
            _(
                "`{field}` is `{text}`; expected a language and a country such as `en_GB` or "
                "`de_AT`."
            ).format(field=field, text=text),
            field=field,
            value=text,
        ) from None

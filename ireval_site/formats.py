"""Numbers as in English in every language, because sentences with measures spell them so; dates as usual in each.

Django imports a module for each language. All of them are this one.
"""

import sys

from django.conf.locale import LANG_INFO
from django.utils.translation import to_locale

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","

for code in LANG_INFO:
    name = f"{__name__}.{to_locale(code)}"
    sys.modules[name] = sys.modules[f"{name}.formats"] = sys.modules[__name__]

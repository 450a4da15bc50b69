"""The starting texts of a new study's form, to write over. Marked, so that workers read them in their language until then."""

from django.utils.translation import gettext_noop

INSTRUCTIONS = gettext_noop("""\
You see what somebody searches for and one document. Say how well **this document** answers **that need**.

1. Read the need first. The words in the search box are short; the text below says what counts.
2. Skim the document. Words of the search are marked, but a document can answer without them.
3. Choose a grade. Don't compare with documents you saw before, and don't look for more elsewhere.

**Example.** Somebody searches for *diet of owls*.

| A document that says | gets |
|---|---|
| “Ducks dabble in shallow water.” | the lowest grade: nothing about it |
| “Owls hunt at night.” | a low grade: about owls, not their food |
| “The barn owl eats mostly voles.” | a high grade: that is what was asked |

If you can't tell because the text is broken or in a language you don't read, choose *Can't judge*.
""")

PAIR_INSTRUCTIONS = gettext_noop("""\
You see what somebody searches for, and two lists of results for it. Say **which list is better** for that person.

1. Read the need first. The words in the search box are short; the text below says what counts.
2. Look through both lists. The first results matter most: few people look further. Open a document if its snippet is not enough.
3. Choose how much better one list is. If you can't see a difference that matters, say that they are about the same.

Both lists may hold the same results in another order. Which list stands on the left is chance. You may meet a search again with
the sides changed; answer it as you see it then.

If you can't tell because you don't understand the need or the language, choose *Can't judge*.
""")

"""Write every list of exceptions anew, from what the tests find."""

from tests import allowed, test_layout

allowed.write("untested_modules", test_layout.untested_modules())

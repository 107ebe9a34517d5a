"""Write every list of exceptions anew, from what the tests find."""

from tests import allowed, test_constants, test_layout

allowed.write("constants", test_constants.different_values())
allowed.write("untested_modules", test_layout.untested_modules())

"""Write every list of exceptions anew, from what the tests find."""

from tests import allowed, test_facts, test_layout

allowed.write("untested_modules", test_layout.untested_modules())
allowed.write("worded_errors", test_facts.worded_errors())

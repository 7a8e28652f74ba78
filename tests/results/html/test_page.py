"""Pages: strangers' text is shown and obeyed nowhere, and no address of a person is published."""

import base64
import hashlib
import json

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from results.html.page import breakable, bundle, clean, data, environment, policy


def test_values_are_cleaned_where_they_are_printed():
    assert clean("a\x1b[31m\u202eb") == "a\\x1b[31m\\u202eb" and clean("\ud800") == "\\ud800"
    assert clean(None) == "" and clean(7) == 7 and clean(Markup("<b>")) == "<b>"
    assert clean("ask who.else+x@mail.acme.example, or x@y") == "ask [address], or x@y"


def test_a_template_escapes_every_value_and_knows_all_its_names():
    made = environment().from_string("{{ x }}")
    assert made.render(x="<b>\x1b") == "&lt;b&gt;\\x1b"
    with pytest.raises(UndefinedError):
        made.render()


def test_data_ends_no_element_and_holds_no_address():
    shown = data({"a": ["</script><!--", "who@acme.example"], "b": [float("nan"), float("inf"), 2.0, 0.5, None]})
    assert not set("<>&") & set(shown)
    assert json.loads(shown) == {"a": ["</script><!--", "[address]"], "b": [None, None, 2, 0.5, None]}


def test_the_policy_names_the_scripts_and_nothing_else():
    said = policy([bundle(), "run()"])
    for code in (bundle(), "run()"):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'" in said
    scripts = next(part for part in said.split("; ") if part.startswith("script-src"))
    assert said.startswith("default-src 'none'") and "unsafe" not in scripts and "http" not in said


def test_the_charts_code_can_stand_inside_a_page():
    assert "vegaEmbed" in bundle() and not [bad for bad in ("</script", "<!--", "\r", "\0") if bad in bundle()]


def test_names_may_break_after_their_parts_and_stay_text():
    assert breakable("a_b/c-d<e>_") == "a_<wbr>b/<wbr>c-<wbr>d&lt;e&gt;_"
    assert breakable(None) == "" and breakable("x@y.example") == "[address]"

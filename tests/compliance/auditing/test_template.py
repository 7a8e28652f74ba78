"""A file of reviews to fill in: it can be read as it is, and what strangers wrote stays in comments."""

from compliance.auditing.questions import Question
from compliance.auditing.template import template
from compliance.checklist import Review
from compliance.review import read_reviews


def test_a_template_is_a_file_of_open_reviews(tmp_path):
    questions = [Question("EVL90", "The curve", ("one", "two\n- rule: x")), Question("RUN22", "Few epochs", ())]
    text = template([(str(tmp_path / "v1.0" / 'ac"me'), questions), (str(tmp_path / "v1.0" / "you"), questions[:1])])
    assert text.count("# two\\n- rule: x\n- rule: EVL90\n") == 2
    (tmp_path / "review.yaml").write_text(text)
    assert [review for _, review in read_reviews(tmp_path / "review.yaml", []).reviews] == [
        Review("EVL90", 'v1.0/ac"me', "open"),
        Review("RUN22", 'v1.0/ac"me', "open"),
        Review("EVL90", "v1.0/you", "open"),
    ]


def test_nothing_to_review_is_an_empty_file(tmp_path):
    (tmp_path / "review.yaml").write_text(template([]))
    assert read_reviews(tmp_path / "review.yaml", []).reviews == ()

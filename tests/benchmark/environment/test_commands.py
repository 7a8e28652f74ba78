import pytest

from benchmark.environment.commands import MOST, Asked


def test_answers_and_reasons_why_there_is_none():
    shell = ("sh", "-c")
    asked = Asked(
        {
            "good": (*shell, "echo yes; echo no >&2"),
            "failed": (*shell, "echo yes; exit 3"),
            "missing": ("no-such-command-anywhere",),
            "hangs": (*shell, "sleep 60 & sleep 60"),
            "floods": (*shell, f"head -c {2 * MOST} /dev/zero"),
            "secret": (*shell, 'echo "$API_TOKEN/$LC_ALL"'),
        },
        seconds=0.6,
    )
    assert asked.answer("good") == "yes"
    assert asked.answer("secret") == "/C"
    late = "no answer within 0.6 s"
    for name, why in (("failed", "exit code 3"), ("missing", "No such file"), ("hangs", late), ("floods", late)):
        with pytest.raises(ValueError, match=why):
            asked.answer(name)


def test_what_nobody_waited_for_is_ended():
    asked = Asked({"hangs": ("sleep", "60")})
    process = asked.started["hangs"]
    asked.close()
    assert process.wait(30) == -9

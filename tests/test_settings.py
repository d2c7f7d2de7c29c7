from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import SettingError, ToolcallEvalsError, ToolInvocation, Trajectory
from toolcall_evals import _settings as setting


@pytest.mark.parametrize(
    ("read", "value", "found"),
    [
        (setting.text, "a", "a"),
        (setting.any_text, "", ""),
        (setting.names, ["a", "a"], ("a", "a")),
        (setting.names, (), ()),
        (setting.fraction, 0, 0.0),
        (setting.fraction, 1, 1.0),
        (setting.seconds, 2, 2.0),
        (setting.flag, False, False),
    ],
)
def test_a_good_setting_is_taken(read: Any, value: Any, found: Any) -> None:
    assert read("it", value) == found


@pytest.mark.parametrize(
    ("read", "values", "allowed"),
    [
        (setting.text, ["", None, 1, b"a"], "a non-empty text"),
        (setting.any_text, [None, 1], "a text"),
        (setting.names, ["a", {"a"}, None, iter(["a"])], "a list of tool names"),
        (setting.names, [["a", ""], [1]], "a list of non-empty tool names"),
        (setting.fraction, [-0.01, 1.01, float("nan"), True, "1", None], "a number between 0 and 1"),
        (setting.seconds, [0, -1, float("nan"), float("inf"), True, "1"], "a number of seconds above 0 and at most 86400"),
        (setting.flag, [0, 1, None, "yes"], "True or False"),
    ],
)
def test_a_bad_setting_is_refused_with_its_name_the_value_and_what_is_allowed(read: Any, values: list[Any], allowed: str) -> None:
    for value in values:
        with pytest.raises(SettingError) as raised:
            read("it", value)
        assert str(raised.value) == f"it must be {allowed}, got {value!r}"
        assert isinstance(raised.value, ValueError)
        assert isinstance(raised.value, ToolcallEvalsError)


def test_a_count_has_a_least_value() -> None:
    assert setting.count("it", 3, 3) == 3
    for value in (2, 3.0, True, "3", None):
        with pytest.raises(SettingError, match="it must be a whole number of at least 3"):
            setting.count("it", value, 3)


def test_a_choice_is_one_of_the_words() -> None:
    assert setting.choice("it", "a", ("b", "a")) == "a"
    for value in ("c", None, ["a"]):
        with pytest.raises(SettingError, match=r"it must be one of \['a', 'b'\]"):
            setting.choice("it", value, ("b", "a"))


def test_a_huge_value_does_not_fill_the_message() -> None:
    with pytest.raises(SettingError) as raised:
        setting.fraction("it", "x" * 100_000)
    assert len(str(raised.value)) == 500


def test_a_scope_narrows_by_kind_and_agent() -> None:
    run = Trajectory(
        invocations=(
            ToolInvocation(name="a", agent="one"),
            ToolInvocation(name="b", kind="handoff", agent="two"),
            ToolInvocation(name="c", kind="server"),
        )
    )

    def seen(*arguments: Any) -> str:
        return "".join(call.name for call in setting.scope(*arguments).calls(run))

    usual = frozenset({"tool", "server"})
    assert seen(None, None, usual) == "ac"
    assert seen(None, None, None) == "abc"
    assert seen("all", None, usual) == "abc"
    assert seen("handoff", None, usual) == "b"
    assert seen(["handoff", "server"], None, usual) == "bc"
    assert seen("all", "one", usual) == "a"
    assert seen("all", {"one", "two"}, usual) == "ab"


@pytest.mark.parametrize(
    ("kinds", "agent", "said", "settings", "variant"),
    [
        (None, None, "", [], ()),
        ("all", None, "", ["kinds='all'"], ("all",)),
        (["server", "tool"], None, "", [], ()),
        ("tool", None, " of kind tool", ["kinds=['tool']"], ("tool",)),
        (None, "one", " by one", ["agent=['one']"], ("by.one",)),
        ("tool", ["two", "one"], " of kind tool by one or two", ["kinds=['tool']", "agent=['one', 'two']"], ("tool", "by.one", "by.two")),
    ],
)
def test_a_scope_says_what_it_narrows(kinds: Any, agent: Any, said: str, settings: list[str], variant: tuple[str, ...]) -> None:
    scope = setting.scope(kinds, agent, frozenset({"tool", "server"}))
    assert (str(scope), scope.settings(), scope.variant()) == (said, settings, variant)


@pytest.mark.parametrize("kinds", [[], "tools", ["tool", "x"], 5, [None]])
def test_unknown_kinds_are_refused(kinds: Any) -> None:
    with pytest.raises(SettingError, match="kinds must be 'all' or some of"):
        setting.scope(kinds, None, None)


@pytest.mark.parametrize("agent", ["", [], ["a", ""], 5, [None]])
def test_an_agent_without_a_name_is_refused(agent: Any) -> None:
    with pytest.raises(SettingError, match="agent must be the name of an agent or several names"):
        setting.scope(None, agent, None)

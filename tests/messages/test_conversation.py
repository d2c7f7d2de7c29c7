"""Requests and results meet in one conversation."""

from __future__ import annotations

from toolcall_evals import InvocationDraft
from toolcall_evals.messages import Conversation


def asking(*names: str, id: str | None = None) -> Conversation:
    conversation = Conversation()
    conversation.user("go")
    conversation.assistant("")
    for name in names:
        conversation.call(InvocationDraft(name, {}, id=id))
    return conversation


def test_open_calls_are_those_without_a_result_in_order():
    conversation = asking("f", "g", "h")
    conversation.result(None, "g", "1")
    assert [draft.name for draft in conversation.open_calls()] == ["f", "h"]


def test_a_call_that_is_asked_after_ids_got_mixed_up_is_found_too():
    conversation = asking("f", "f", id="c")
    conversation.result("c", "f", "1")
    late = conversation.call(InvocationDraft("g", {}, id="d"))
    assert conversation.waits("d")
    assert conversation.result("d", None, "2") is late
    assert not conversation.waits("d")
    assert conversation.waits("c")


def test_an_invalid_request_stays_invalid_when_it_is_answered():
    conversation = asking()
    conversation.call(InvocationDraft("f", None, "{", "c", "invalid"))
    assert conversation.result("c", "f", "not valid JSON").status == "invalid"


def test_an_answer_inside_a_message_is_no_message():
    conversation = asking("f", id="c")
    assert conversation.answer("c", None, "1").result == "1"
    assert len(conversation) == 2
    assert conversation.asking()


def test_a_cut_off_message_without_calls_truncates_no_earlier_call():
    conversation = asking("f", id="c")
    conversation.result("c", None, "1")
    conversation.assistant("so")
    conversation.cut_off()
    assert [call.truncated for call in conversation.trajectory("test").invocations] == [False]


def test_what_is_not_read_is_counted_in_the_warnings():
    conversation = asking()
    conversation.unread("strange blocks")
    conversation.unread("strange blocks")
    assert conversation.trajectory("test").warnings == ("not read: strange blocks (2)",)

"""Judges that may answer differently never share an answer; the same one is known again in another process."""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import sys
import threading
import types
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI, OpenAI

from judge.judge_server import Script, ScriptedModel, said, serving
from judge.paid import run, scorer
from toolcall_evals import SettingError
from toolcall_evals.judge._identity import Unsure, identity

SOURCES: dict[str, tuple[str, str]] = {
    "constant": ("def judge(m, s): return ask(0.1)", "def judge(m, s): return ask(0.9)"),
    "nested code": ("def judge(m, s): return (lambda: 'a')()", "def judge(m, s): return (lambda: 'b')()"),
    "default": ("def judge(m, s, t=0.1): return t", "def judge(m, s, t=0.9): return t"),
    "keyword default": ("def judge(m, s, *, t=0.1): return t", "def judge(m, s, *, t=0.9): return t"),
    "closure": (
        "def make(t):\n  def judge(m, s): return t\n  return judge\njudge = make(0.1)",
        "def make(t):\n  def judge(m, s): return t\n  return judge\njudge = make(0.9)",
    ),
    "global": ("T = 0.1\ndef judge(m, s): return T", "T = 0.9\ndef judge(m, s): return T"),
    "a function it calls": ("def f(): return 1\ndef judge(m, s): return f()", "def f(): return 2\ndef judge(m, s): return f()"),
    "attribute of the instance": (
        "class J:\n  def __init__(self, t): self.t = t\n  def __call__(self, m, s): return self.t\njudge = J(0.1)",
        "class J:\n  def __init__(self, t): self.t = t\n  def __call__(self, m, s): return self.t\njudge = J(0.9)",
    ),
    "slot": (
        "class J:\n  __slots__ = ('t',)\n  def __init__(self, t): self.t = t\n  def __call__(self, m, s): return self.t\njudge = J(0.1)",
        "class J:\n  __slots__ = ('t',)\n  def __init__(self, t): self.t = t\n  def __call__(self, m, s): return self.t\njudge = J(0.9)",
    ),
    "attribute of the class": (
        "class J:\n  t = 0.1\n  def __call__(self, m, s): return self.t\njudge = J()",
        "class J:\n  t = 0.9\n  def __call__(self, m, s): return self.t\njudge = J()",
    ),
    "owner of a bound method": (
        "class J:\n  def __init__(self, t): self.t = t\n  def ask(self, m, s): return self.t\njudge = J(0.1).ask",
        "class J:\n  def __init__(self, t): self.t = t\n  def ask(self, m, s): return self.t\njudge = J(0.9).ask",
    ),
    "partial": (
        "import functools\ndef f(t, m, s): return t\njudge = functools.partial(f, 0.1)",
        "import functools\ndef f(t, m, s): return t\njudge = functools.partial(f, 0.9)",
    ),
    "keyword of a partial": (
        "import functools\ndef f(m, s, t): return t\njudge = functools.partial(f, t=0.1)",
        "import functools\ndef f(m, s, t): return t\njudge = functools.partial(f, t=0.9)",
    ),
    "property": (
        "class J:\n  @property\n  def t(self): return 0.1\n  def __call__(self, m, s): return self.t\njudge = J()",
        "class J:\n  @property\n  def t(self): return 0.9\n  def __call__(self, m, s): return self.t\njudge = J()",
    ),
    "static method": (
        "class J:\n  @staticmethod\n  def t(): return 0.1\n  def __call__(self, m, s): return self.t()\njudge = J()",
        "class J:\n  @staticmethod\n  def t(): return 0.9\n  def __call__(self, m, s): return self.t()\njudge = J()",
    ),
    "class method or static method": (
        "class J:\n  @classmethod\n  def t(cls): return 1\n  def __call__(self, m, s): return self.t()\njudge = J()",
        "class J:\n  @staticmethod\n  def t(cls=1): return 1\n  def __call__(self, m, s): return self.t()\njudge = J()",
    ),
    "cached property": (
        (
            "from functools import cached_property\nclass J:\n  @cached_property\n  def t(self): return 0.1\n"
            "  def __call__(self, m, s): return self.t\njudge = J()"
        ),
        (
            "from functools import cached_property\nclass J:\n  @cached_property\n  def t(self): return 0.9\n"
            "  def __call__(self, m, s): return self.t\njudge = J()"
        ),
    ),
    "a function whose answers are kept": (
        "import functools\n@functools.lru_cache\ndef t(): return 0.1\ndef judge(m, s): return t()",
        "import functools\n@functools.lru_cache\ndef t(): return 0.9\ndef judge(m, s): return t()",
    ),
    "a path, a date": (
        "import pathlib, datetime\nT = [pathlib.PurePosixPath('a'), datetime.date(2026, 1, 1)]\ndef judge(m, s): return T",
        "import pathlib, datetime\nT = [pathlib.PurePosixPath('a'), datetime.date(2026, 1, 2)]\ndef judge(m, s): return T",
    ),
    "a type's alias": ("T = list[int]\ndef judge(m, s): return T", "T = list[str]\ndef judge(m, s): return T"),
    "a pattern of bytes": (
        "import re\nT = re.compile(b'a')\ndef judge(m, s): return T",
        "import re\nT = re.compile(b'b')\ndef judge(m, s): return T",
    ),
    "a text of a class of its own": (
        "class S(str): pass\nT = S('a')\ndef judge(m, s): return T",
        "class S(str): pass\nT = S('b')\ndef judge(m, s): return T",
    ),
    "what is closed over, if there is anything": (
        "def make():\n  def judge(m, s): return later\n  return judge\n  later = 1\njudge = make()",
        "def make(later=None):\n  def judge(m, s): return later\n  return judge\njudge = make()",
    ),
    "cache_key": (
        "class J:\n  cache_key = 'a'\n  def __call__(self, m, s): return 1\njudge = J()",
        "class J:\n  cache_key = 'b'\n  def __call__(self, m, s): return 1\njudge = J()",
    ),
}


def made(source: str) -> Any:
    names: dict[str, Any] = {"__name__": "__main__", "ask": len}
    exec(source, names)
    return names["judge"]


@pytest.mark.parametrize("sources", SOURCES.values(), ids=list(SOURCES))
def test_judges_that_differ_are_told_apart_and_the_same_one_is_known_again(sources: tuple[str, str]) -> None:
    assert identity(made(sources[0])) == identity(made(sources[0])) != identity(made(sources[1]))


def test_a_judge_is_the_same_in_another_process() -> None:
    """Also with sets in it, whose order changes from process to process."""
    program = (
        "import enum, re, json\nclass E(enum.Enum):\n  A = 1\n"
        "class J:\n  def __init__(self): self.s, self.e, self.p = {'a','b','c','d'}, E.A, re.compile('x')\n"
        "  def __call__(self, m, s): return m in {'x', 'y', 'z'} and json.dumps(self.s)\njudge = J()\n"
    )
    whole = program + "from toolcall_evals.judge._identity import identity\nprint(identity(judge))"
    told = {
        subprocess.run(
            [sys.executable, "-c", whole], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def stateful() -> Any:
    lock = threading.Lock()
    return lambda messages, schema: lock


def test_a_judge_whose_state_cannot_be_read_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"^cache must be None for this judge.*'lock' in the judge is a lock.*attribute cache_key"):
        scorer(stateful(), tmp_path / "a.db")
    judge = stateful()
    judge.cache_key = "v1"
    scorer(judge, tmp_path / "a.db")
    scorer(stateful(), None)


def test_a_wrapper_does_not_pass_for_what_it_wraps() -> None:
    def inner(messages: Any, schema: Any) -> str:
        return ""

    inner.cache_key = "v1"  # type: ignore[attr-defined]  # as a user sets it

    def changed(mood: str) -> Any:
        @functools.wraps(inner)
        def outer(messages: Any, schema: Any) -> str:
            return mood + inner(messages, schema)

        return outer

    assert len({identity(inner), identity(changed("kind")), identity(changed("strict"))}) == 3


def test_a_cache_key_must_be_a_text(tmp_path: Path) -> None:
    judge = stateful()
    judge.cache_key = 5
    with pytest.raises(SettingError, match="its cache_key is no text but 5"):
        scorer(judge, tmp_path / "a.db")


GOOD = said({"evaluations": [{"call": 1, "tool_called": "search", "verdict": "partial"}]})


def test_what_is_bound_to_a_chat_model_tells_it_apart(tmp_path: Path) -> None:
    scripts = [Script([GOOD]) for _ in range(5)]
    models: list[Any] = [ScriptedModel(script=script) for script in scripts]
    stopped = [model.bind(stop=[word]) for model, word in zip(models[1:4], "abb", strict=True)]
    bound = [models[0], *stopped, models[4].with_config(tags=["x"])]
    for judge in bound:
        assert scorer(judge, tmp_path / "a.db").score(run(1)).score == 0.5
    assert [len(script.asked) for script in scripts] == [1, 1, 1, 0, 1]
    other = ScriptedModel(script=Script([GOOD]), name_of_model="other").bind(stop=["b"])
    assert identity(other) != identity(bound[2])


def test_a_sequence_around_a_chat_model_is_a_judge() -> None:
    from langchain_core.output_parsers import StrOutputParser

    judge = ScriptedModel(script=Script([GOOD])) | StrOutputParser()
    assert scorer(judge, None).score(run(1)).score == 0.5
    assert identity(judge) != identity(ScriptedModel(script=Script([GOOD])))


def test_an_openai_client_is_known_by_its_address(tmp_path: Path) -> None:
    def name(client: Any) -> str:
        told: str = scorer(client, tmp_path / "a.db", model="m")._settings["court"].client.name
        return told

    here, there = "http://localhost:1/v1", "http://localhost:2/v1"
    assert name(OpenAI(api_key="a", base_url=here)) == name(AsyncOpenAI(api_key="b", base_url=here))
    assert name(OpenAI(api_key="a", base_url=here)) != name(OpenAI(api_key="a", base_url=there))
    assert name(OpenAI(api_key="a", base_url=here)) != name(OpenAI(api_key="a", base_url=here, default_headers={"x-route": "b"}))


def test_a_named_model_is_known_by_its_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = []
    for url in ("http://localhost:1/v1", "http://localhost:2/v1", "http://localhost:1/v1"):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        names.append(scorer(None, tmp_path / "a.db", model="openai:m")._settings["court"].client.name)
    assert names[0] == names[2] != names[1]


def test_an_object_that_is_all_attributes_is_read_and_others_are_not() -> None:
    with pytest.raises(Unsure, match="is a lock, whose state cannot be read"):
        identity([threading.Lock()])


@pytest.mark.skipif(importlib.util.find_spec("langchain_openai") is None, reason="langchain-openai is not installed")
def test_what_is_bound_to_chatopenai_reaches_the_server_and_tells_its_answers_apart(tmp_path: Path) -> None:
    """Model, temperature, address and what is bound count; key, time limit, tags and a second object made alike do not."""
    from langchain_openai import ChatOpenAI

    def made(url: str, **settings: Any) -> Any:
        return ChatOpenAI(**{"base_url": url, "api_key": "a", "model": "m", "max_retries": 0, **settings})

    script, elsewhere = Script([GOOD]), Script([GOOD])
    with serving(script) as url, serving(elsewhere) as other:
        asked_anew = [
            made(url),
            made(url, model="n"),
            made(url, temperature=0.5),
            made(url).bind(stop=["a"]),
            made(url).bind(stop=["b"]),
            made(url).bind(stop=["a"]).bind(seed=1),
            made(other),
        ]
        known_again = [made(url, api_key="b"), made(url).bind(stop=["b"]), made(url).bind(seed=1, stop=["a"]), made(url, temperature=0.5)]
        for count, judge in enumerate(asked_anew, 1):
            assert scorer(judge, tmp_path / "a.db").score(run(1)).score == 0.5
            assert len(script.asked) + len(elsewhere.asked) == count
        for judge in known_again:
            score = scorer(judge, tmp_path / "a.db").score(run(1))
            assert (score.score, score.details["cached_answers"]) == (0.5, 1)
    assert len(script.asked) + len(elsewhere.asked) == len(asked_anew)
    sent = [(each.get("model"), each.get("temperature"), each.get("stop"), each.get("seed")) for each in script.requests]
    assert sent == [
        ("m", None, None, None),
        ("n", None, None, None),
        ("m", 0.5, None, None),
        ("m", None, ["a"], None),
        ("m", None, ["b"], None),
        ("m", None, ["a"], 1),
    ]
    assert all(each["response_format"]["json_schema"]["strict"] for each in script.requests)


@pytest.mark.skipif(importlib.util.find_spec("langchain_openai") is None, reason="langchain-openai is not installed")
def test_chatopenai_is_known_again_in_another_process() -> None:
    program = (
        "from langchain_openai import ChatOpenAI\nfrom toolcall_evals.judge._identity import identity\n"
        "print(identity(ChatOpenAI(base_url='http://localhost:1/v1', api_key='a', model='m', temperature=0).bind(stop=['a'])))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def test_a_key_changes_no_answer() -> None:
    source = (
        "class SecretKey:\n  def __init__(self, k): self.k = k\n  def get_secret_value(self): return self.k\n"
        "K = SecretKey({!r})\ndef judge(m, s): return K"
    )
    assert identity(made(source.format("a"))) == identity(made(source.format("b")))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        pytest.param("def judge(m, s):\n  import judge.paid\n  return 1", "imports 'judge.paid' when it is called", id="an import inside"),
        pytest.param("T = []\nfor _ in range(5000): T = [T]\ndef judge(m, s): return T", "nested too deeply", id="deep"),
        pytest.param("T = [(n,) for n in range(200_000)]\ndef judge(m, s): return T", "holds more than", id="large"),
    ],
)
def test_a_judge_that_cannot_be_read_to_its_end_is_not_known_again(source: str, reason: str) -> None:
    with pytest.raises(Unsure, match=reason):
        identity(made(source))


def test_what_a_module_of_the_programs_own_holds_counts_by_the_parts_that_are_named() -> None:
    module = types.ModuleType("mine")
    module.inner = types.ModuleType("mine.inner")  # type: ignore[attr-defined]  # a module's attribute
    names: dict[str, Any] = {"__name__": "__main__", "mine": module}
    exec("def judge(m, s): return mine.limit, mine.inner.rate", names)

    def told(limit: int, rate: float, other: int) -> str:
        vars(module).update(limit=limit, other=other)
        vars(module.inner).update(rate=rate)
        return identity(names["judge"])

    assert told(1, 0.5, 1) == told(1, 0.5, 2)
    assert len({told(1, 0.5, 1), told(2, 0.5, 1), told(1, 0.6, 1)}) == 3
    exec("def judge(m, s): return [mine]", names)
    names["judge"].held = module
    with pytest.raises(Unsure, match="the module 'mine', whose code cannot be told"):
        identity(names["judge"])

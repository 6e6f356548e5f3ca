"""The table of formats: how each family of models writes calls, in the order in which they are tried at a marker.

A row is a mechanism (`tagged`, `json_block`, `code_block`, `marks`) with the format's tags, or a function of its own.
"""

import re

from dure.dialects.formats import json_call, pythonic, special
from dure.dialects.formats.base import THINK, Format, Found, Region, closed, marks
from dure.dialects.formats.json_call import code_block, json_block
from dure.dialects.formats.tagged import Elements, Form, Json, Text, tagged

# What the rows below are made of: names of tools, the arguments of calls.

_FUNCTION_WRAPPERS = r"(?:seed:)?(?:tool_call|function_call)"
_CALLS = r"(?:function_calls|tool_calls?|calls)"
_INPUT = r"(?:tool_input|tool_args|arguments|input)"
_PARAMETERS = Elements(
    opening=r"<param(?:eter)?(?:=| name=)[\"']?(?P<key>[^>\n\"']{1,200})[\"']?>(?:<!\[CDATA\[)?",
    closing=r"(?:\]\]>)?</param(?:eter)?>",
    ends=r"</function>",
    trim=True,
)

# Hunyuan 3 and 4 put a suffix such as `:opensource` on each tag's name, K2 Horizon a prefix, IQuest on the outer one.
_MORE = r"(?::\w{1,20})?"
_IQUEST = r"(?:iquest(?:coder)?_)?"
_ARG_KEYS = Elements(
    opening=rf"<~arg_key{_MORE}>\s*+(?P<key>[^<\n]{{1,200}}?)\s*+</~arg_key{_MORE}>\s*"
    rf"(?:<~arg_type>[^<\n]{{0,100}}</~arg_type>\s*)?<~arg_value{_MORE}>",
    closing=rf"</~arg_value{_MORE}>",
    ends=rf"</~{_IQUEST}tool_call{_MORE}>",
    guess=True,
)
_M3 = r"\]<\]minimax\[>\["
_M3_ARGUMENTS = Elements(
    opening=rf"{_M3}<(?P<key>[A-Za-z_][\w.-]{{0,99}})>",
    closing=rf"{_M3}</(?P<shut>[A-Za-z_][\w.-]{{0,99}})>",
    ends=rf"{_M3}</invoke>",
    guess=True,
    nested=True,
)
_PLAMO = r"<\|plamo:{}:plamo\|>"

_NAME = r"\s+name\s*=\s*(?P<name>\"[^\"<>\n]{1,200}\"|'[^'<>\n]{1,200}'|[^\s\"'<>/]{1,200})\s*"
_KEY = r"<~parameter\s+name\s*=\s*+[\"']?(?P<key>[^\"'<>\n]{1,200}?)[\"']?"
_INVOKE_WRAPPERS = (
    "<minimax:tool_call>", "<dots_function_call>", "<tool_calls>", "<tool_call>",
    "<function_calls>",
)  # fmt: skip
_ML = r"[｜|][DG][SC]ML[｜|] ?"
_INVOKE = Elements(
    opening=_KEY + r"(?:\s++(?:string\s*=\s*[\"']?(?P<mark>\w{1,20})[\"']?|type\s*=\s*[\"']?\w{1,20}[\"']?))?\s*+>",
    closing=r"</~parameter>",
    ends=r"</~invoke>",
    guess=True,
    raw=("true",),
)
_CLAUDE_2 = Elements(
    opening=r"<(?P<key>[A-Za-z_][\w.-]{0,99})>",
    closing=r"</[A-Za-z_][\w.-]{0,99}>",
    ends=r"(?:</parameters>\s*)?</invoke>",
)
_STEP_HEAD = rf"{special.DEEPSEEK_CALL}(?:[^<>\n]{{0,200}}?\s*{special.DEEPSEEK_SEP}\s*)?<(?P<prefix>steptml:)"
_K3_ARGUMENTS = Elements(
    opening=r"<\|open\|>argument key=\"(?P<key>[^\"]{1,200})\"(?P<mark>(?: type=\"\w{1,20}\")?)\s*<\|sep\|>",
    closing=r"<\|close\|>argument<\|sep\|>",
    ends=r"<\|close\|>call<\|sep\|>",
    raw=("", ' type="string"'),
)
_SOLAR_2 = Elements(
    opening=r"<\|tool_arg:start\|>(?P<key>[^<\n]{1,200})<\|tool_arg:value\|>",
    closing=r"<\|tool_arg:end\|>",
    ends=r"<\|tool_call:end\|>",
)

_HERMES = (
    "<tool_call>", "<tool_calls>", "<toolcall>", "<TOOLCALL>", "<function_call>", "<functioncall>", "<tools>",
    "<tool_use>", "<longcat_tool_call>", "<dots_function_call>", "<ifm|tool_call>",
)  # fmt: skip
_LLAMA = {
    "<|python_tag|>": "<|eom_id|>",
    "<|python_start|>": "<|python_end|>",
    "<|tool_call_start|>": "<|tool_call_end|>",
}
_GEMMA = {"<|tool_call>": "<tool_call|>", "<start_function_call>": "<end_function_call>", "\ncall:": ""}
_HYPERCLOVA = (
    "<|im_start|>assistant -> tool/function_call", "\n -> tool/function_call", "\n-> tool/function_call",
)  # fmt: skip
_TURNS = ("<|im_start|>", "<|start_header_id|>", "<|header_start|>", "<|start_of_role|>", "<|turn>")
_ENDS = (
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|eom|>", "<|endoftext|>", "<|end_of_text|>", "<|endofturn|>",
    "<|end_of_turn|>", "<end_of_turn>", "<turn|>", "<eos>", "</s>", "<｜end▁of▁sentence｜>", "<|END_OF_TURN_TOKEN|>",
    "<|end_of_role|>", "<|stop|>", "[|endofturn|]", "<|end_of_msg|>", "<|end_message|>", "<|observation|>",
    "<|tool_response>", "<end_function_call>", "<tool_call|>", "<|python_end|>", "<|tool_call_end|>",
    "<|tool_calls_section_end|>", "<｜tool▁calls▁end｜>",
    "<|END_RESPONSE|>", "<|START_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>",
    "<|CHATBOT_TOKEN|>", "<|START_OF_TURN_TOKEN|>", "<|user|>", "<|assistant|>", "<｜Assistant｜>", "<|begin_of_text|>",
    "[/INST]", "<answer>", "</answer>", "</final_answer>", "<response>", "</response>", "<|flush|>", "<|content|>",
    "[END FINAL RESPONSE]", "</tool_call>", "</tool_calls>", "</function>",
    "</function_call>", "</function_calls>", "</TOOLCALL>", "</minimax:tool_call>", "</seed:tool_call>", "</invoke>",
    "</tool_input>", "</use_mcp_tool>", "</arguments>",
)  # fmt: skip
"""Tokens that end or begin a turn or a call, where a server leaks them."""

FORMATS: tuple[Format, ...] = (
    # Reasoning. A closing tag alone means that the opening one stood in the prompt (DeepSeek R1, Qwen3, GLM 4.7), as it
    # does before the answer of Apriel.
    *(marks("think", (opening,), Region("reasoning", (closing,))) for opening, closing in THINK.items()),
    marks("think", (*dict.fromkeys(THINK.values()), "[BEGIN FINAL RESPONSE]"), ends_reasoning=True),
    # `<tool_call>name</tool_call><tool_input>{…}</tool_input>`: design document 000's tags (Claude 2's older habit).
    tagged(
        "tool_input",
        ("<tool_call>", "<tool_name>", "<tool>"),
        Form(
            r"<(?P<tag>tool_call|tool_name|tool)>\s*(?P<name>[^\s<>{}\[\]\"]{1,100})\s*</(?P=tag)>\s*"
            rf"<(?P<prefix>{_INPUT})>\s*",
            Json(rf"\s*</{_INPUT}>", sure=False),
            Text("</~>"),
        ),
        inner=r"[^{\[<｛`]",
        opening=r"(?=<\w+>\s*[^\s<>{}\[\]\"]{1,100}\s*</)",
    ),
    # `<tool_call>{"name": …, "arguments": {…}}</tool_call>`: Hermes 2 Pro, Qwen2.5/3, EXAONE 4, A.X and many others.
    json_block("hermes", dict.fromkeys(_HERMES, ""), closed=True),
    json_block("granite", {"<|tool_call|>": ""}),
    # `<function=N><parameter=K>V</parameter></function>`: Qwen3-Coder, Qwen3.5, Step 3.5, MiMo, Nemotron 3, Seed-OSS,
    # IQuest Coder. `<function name="N"><param name="K">V</param></function>`, V in CDATA or not: MiniCPM 5.
    # The outer `<tool_call>` is often missing. Llama 3.1's and Functionary's `<function=N>{…}</function>` holds JSON.
    tagged(
        "qwen_xml",
        ("<tool_call>", "<function=", "<function name=", "<seed:tool_call>", "<function_call>"),
        Form(
            r"\s*<function(?:=| name=)\s*+(?P<name>[\"']?[^>\n\"'<{]{1,200}?[\"']?)\s*+(?:>|(?=\{))",
            Json(r"\s*</function>", sure=False),
            _PARAMETERS,
        ),
        inner="<",
        opening=rf"(?:<{_FUNCTION_WRAPPERS}>\s*)?(?=<function(?:=| name=))",
        more=r"\s*(?=<function(?:=| name=))",
        closing=rf"\s*</{_FUNCTION_WRAPPERS}>",
    ),
    # `<tool_call>N<arg_key>K</arg_key><arg_value>V</arg_value></tool_call>`: GLM 4.5 to 5, HyperCLOVA X SEED Think.
    # 4.5 and 4.6 put newlines between the parts. Hunyuan A13B's successors write JSON, in a fence or not. K2 Horizon
    # (vLLM's `k2_horizon`) has `ifm|` in each tag, and a type between key and value or not; IQuest Coder 2 and Q1 have
    # tags of their own around (vLLM's `iquest_coder_v2`, SGLang's `iquest_q1`).
    tagged(
        "glm",
        (
            *("<tool_call>", "<tool_calls>", "<tool_calls:", "<tool_call:", "<ifm|tool_calls>", "<ifm|tool_call>"),
            *("<iquest_tool_call>", "<iquestcoder_tool_call>"),
        ),
        Form(
            r"<tool_call>\s*(?P<name>[^\s<>{}\[\]\"`]{1,128})\s*(?:```(?:json)?\s*)?(?=\{)",
            Json(r"\s*+(?:```)?\s*+</tool_call>(?:\s*</tool_calls>)?"),
        ),
        Form(
            rf"<(?P<prefix>(?:ifm\|)?){_IQUEST}tool_call{_MORE}>\s*(?P<name>[^\s<>{{}}\[\]\"]{{1,128}})\s*"
            rf"(?:<tool_sep{_MORE}>\s*)?(?=<(?P=prefix)arg_key{_MORE}>|</(?P=prefix){_IQUEST}tool_call{_MORE}>|$)",
            _ARG_KEYS,
        ),
        inner=r"[^{\[`]",
        opening=rf"(?:<(?:ifm\|)?tool_calls{_MORE}>\s*)?(?=<(?:ifm\|)?{_IQUEST}tool_call{_MORE}>\s*[^\s<>{{}}\[\]\"`])",
        more=r"\s*(?=<ifm\|tool_call>)",
        closing=rf"\s*</(?:ifm\|)?tool_calls{_MORE}>",
    ),
    # `]<]minimax[>[<invoke name="N">]<]minimax[>[<K>V]<]minimax[>[</K>…`: MiniMax M3 (SGLang's `minimax_m3`). A list is
    # a row of `item`, an object a row of its keys.
    tagged(
        "minimax_m3",
        ("]<]minimax[>[",),
        Form(rf"{_M3}<invoke name=\"(?P<name>[^\"<>\n]{{1,200}})\">", _M3_ARGUMENTS),
        opening=rf"(?:{_M3}<tool_call>\s*)?",
        more=r"\s*",
        closing=rf"\s*{_M3}</tool_call>",
    ),
    # `…begin_tool_name:plamo|>N<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>{…}…`: PLaMo 3 (vLLM's
    # `plamo3`).
    tagged(
        "plamo",
        ("<|plamo:begin_tool_requests:plamo|>", "<|plamo:begin_tool_request:plamo|>"),
        Form(
            rf"\s*{_PLAMO.format('begin_tool_request')}\s*{_PLAMO.format('begin_tool_name')}(?P<name>[^<\n]{{1,200}})"
            rf"{_PLAMO.format('end_tool_name')}\s*{_PLAMO.format('begin_tool_arguments')}\s*",
            Json(rf"\s*{_PLAMO.format('end_tool_arguments')}\s*{_PLAMO.format('end_tool_request')}"),
        ),
        opening=rf"(?:{_PLAMO.format('begin_tool_requests')})?",
        more="",
        closing=rf"\s*{_PLAMO.format('end_tool_requests')}",
        explicit=True,
    ),
    # `<|message_model|>N<|content_invoke_tool_json|>{"name": N, "args": {…}}<|end_message|>`: Inkling (SGLang's
    # `inkling`).
    Format("inkling", ("<|message_model|>", "<|content_invoke_tool_json|>"), special.inkling),
    # `<invoke name="N"><parameter name="K">V</parameter></invoke>`: Anthropic's style, MiniMax M2; also with a prefix
    # before each tag's name (Muse: `atem:`); dots (SGLang's `dots`).
    # `<｜DSML｜invoke name="N"><｜DSML｜parameter name="K" string="true">V</｜DSML｜parameter>…`: DeepSeek V3.2+.
    # `"true"` marks raw text, `"false"` JSON. V4.1 puts a space behind the marker. GCML: GigaChat 3.5 (vLLM's
    # `gigachat35`).
    # Claude 2: `<invoke><tool_name>N</tool_name><parameters><K>V</K></parameters></invoke>`.
    tagged(
        "invoke",
        (*_INVOKE_WRAPPERS, "<invoke", "<｜DSML｜", "<|DSML|", "<｜GCML｜", "<|GCML|"),
        Form(rf"\s*<(?P<prefix>(?:\w+:)?|{_ML})invoke{_NAME}(?P<empty>/?)>", _INVOKE),
        Form(r"\s*<invoke>\s*<tool_name>\s*+(?P<name>[^<>\n]{1,200}?)\s*+</tool_name>\s*(<parameters>)?", _CLAUDE_2),
        inner="<",
        opening=rf"(?:(?:{'|'.join(_INVOKE_WRAPPERS)}|<\w{{1,16}}:{_CALLS}>)\s*)?"
        rf"(?=<(?:\w{{1,16}}:)?invoke[\s>])|(?:<{_ML}{_CALLS}>\s*)?(?=<{_ML}invoke|$)",
        more="",
        closing=rf"\s*</(?:dots_function_call|(?:\w+:|{_ML})?{_CALLS})>",
    ),
    # Step 3 has DeepSeek's tokens, with plain underscores, around `<steptml:invoke name="N">`.
    tagged(
        "step",
        special.DEEPSEEK_MARKERS,
        Form(_STEP_HEAD + r"invoke\s+name=\"(?P<name>[^\"<>\n]{1,200})\"\s*>", _INVOKE),
        opening=rf"(?:{special.DEEPSEEK_SECTION})?(?={_STEP_HEAD})",
        more=rf"(?:{special.DEEPSEEK_END})?(?:\s*{special.DEEPSEEK_SEP})?(?={special.DEEPSEEK_CALL})",
        closing=special.DEEPSEEK_END,
    ),
    # V3 and R1: `function<｜tool▁sep｜>N` and the arguments in a ```json fence; V3.1: `N<｜tool▁sep｜>{…}`.
    # R1 often leaves out the outer tokens.
    tagged(
        "deepseek",
        special.DEEPSEEK_MARKERS,
        Form(special.DEEPSEEK_HEAD, Json(rf"[\s}}\])]*(?:```\s*)?(?:{special.DEEPSEEK_END})?")),
        opening=rf"(?:{special.DEEPSEEK_SECTION})?{special.DEEPSEEK_CALL}",
        more=special.DEEPSEEK_CALL,
        closing=special.DEEPSEEK_SECTION_END,
        explicit=True,
    ),
    Format("deepseek", special.DEEPSEEK_MARKERS, special.deepseek_section),
    marks("deepseek", special.DEEPSEEK_ENDS),
    # `<|tool_call_begin|>functions.N:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`, in a section or not: Kimi K2.
    tagged(
        "kimi",
        ("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>", "<|tool_call_begin|>"),
        Form(
            r"\s*<\|tool_call_begin\|>\s*+(?:functions\.)?(?P<name>[^<\n]{1,200}?)(?::\d{1,9})?\s*"
            r"<\|tool_call_argument_begin\|>\s*",
            Json(r"[\s}\])`]*<\|tool_call_end\|>"),
            Text("<|tool_call_end|>"),
        ),
        opening=r"(?:<\|tool_calls?_section_begin\|>[^<{}\"]{0,40})?",
        more="",
        closing=r"[^<{}\"]{0,40}<\|tool_calls?_section_end\|>",
        explicit=True,
    ),
    # `<|open|>call tool="N" index="1"<|sep|><|open|>argument key="K" type="T"<|sep|>V<|close|>argument<|sep|>…`: Kimi
    # K3. Values of type `string` are raw text, all others JSON. Attributes are escaped as in XML.
    tagged(
        "kimi_k3",
        ("<|open|>tools", "<|open|>call"),
        Form(
            r"\s*<\|open\|>call(?:[^<]{0,300}?tool=\"(?P<name>[^\"<]{1,200})\")?[^<]{0,300}<\|sep\|>",
            _K3_ARGUMENTS,
        ),
        opening=r"(?:<\|open\|>\s*tools[^<]{0,300}<\|sep\|>)?",
        more="",
        closing=r"\s*<\|close\|>tools<\|sep\|>",
    ),
    Format("kimi_k3", ("<|open|>", "<|open|>tools", "<|open|>call", "<|close|>"), special.kimi_element),
    special.HARMONY,
    json_block("mistral", {"[TOOL_CALLS]": ""}),
    special.MISTRAL,
    Format("mistral", ("[TOOL_CALLS]",), special.mistral_rest),
    # Llama 3.1 to 3.3 before JSON calls or a built-in `tool.call(…)`; Llama 4 `<|python_start|>[f(a=1)]<|python_end|>`;
    # LFM2 `<|tool_call_start|>`; OLMo 3 `<function_calls>` with one call a line; Gemma 2 and 3 `<tool_code>`.
    code_block("llama", _LLAMA | closed("function_calls", "tool_code", "function_call", "tool_calls", "tool_call")),
    json_block("llama", _LLAMA),
    marks("llama", tuple(_LLAMA)),
    # `<|tool_call>call:N{k:<|"|>v<|"|>}<tool_call|>`: Gemma 4, and FunctionGemma's `<start_function_call>…<escape>`:
    # keys without quotes, strings between string marks and unescaped.
    *(
        tagged(
            "gemma",
            (opening,),
            Form(
                rf"{re.escape(opening)}\s*(?:call:)?\s*(?P<name>[^\s{{}}<>:]{{1,200}}|[^\s{{}}<>]{{1,200}})\s*(?=\{{)",
                Json(rf"\s*{re.escape(closing)}" if closing else "", bare=True),
                known=not closing,
            ),
            explicit=bool(closing),
        )
        for opening, closing in _GEMMA.items()
    ),
    # HyperCLOVA X SEED Think 14B: a JSON array.
    json_block("hyperclova", dict.fromkeys(_HYPERCLOVA, "<|im_end|>")),
    marks("hyperclova", ("<|im_start|>assistant/think\n", "\n/think\n"), Region("reasoning", ("<|im_end|>",))),
    # Solar Open, and 2, whose values are raw text.
    tagged(
        "solar",
        ("<|tool_call:begin|>", "<|tool_call:start|>"),
        Form(
            r"<\|tool_call:begin\|>[^<\n]{0,100}<\|tool_call:name\|>\s*+(?P<name>[^<\n]{1,200}?)\s*+<\|tool_call:args\|>\s*",
            Json(r"[\s}]*<\|tool_call:end\|>"),
        ),
        Form(r"<\|tool_call:start\|>\s*+(?P<name>[^<\n]{1,200}?)[^\S\n]*+(?=\n|<\|tool_)", _SOLAR_2),
        explicit=True,
    ),
    marks(
        "solar",
        ("<|think|>",),
        Region("reasoning", ("<|end|>", "<|content|>", "<|tool_calls|>"), frozenset({"<|tool_calls|>"})),
    ),
    marks("solar", ("<|tool_calls|>", "<|calls|>", "<|begin|>assistant")),
    # `[{"tool_call_id": "0", "tool_name": N, "parameters": {…}}]`: Cohere Command R7B and A.
    json_block("cohere", {"<|START_ACTION|>": "<|END_ACTION|>"}),
    # InternLM 2 and 3, Intern-S1.
    json_block(
        "internlm", dict.fromkeys(("<|action_start|><|plugin|>", "<|action_start|> <|plugin|>"), "<|action_end|>")
    ),
    # GigaChat 3 and 3.1.
    json_block("gigachat", dict.fromkeys(("<|message_sep|>\n\nfunction call<|role_sep|>", "<|function_call|>"), "")),
    # `functools[{"name": N, "arguments": {…}}]`: Phi-4-mini, FireFunction 2.
    json_block("phi", {"\nfunctools": "", "\n functools": ""}),
    # `<|tools_prefix|>[{"N": {…}}]<|tools_suffix|>`: Apertus.
    json_block("apertus", {"<|tools_prefix|>": "<|tools_suffix|>"}),
    # `>>>N` and the arguments on the next line: Functionary 3.2. `>>>all` is a word to the user.
    tagged(
        "functionary", ("\n>>>",), Form(r"\n>>>(?P<name>[A-Za-z_][\w.-]{0,127})\s*\n\s*", Json(sure=False), known=True)
    ),
    marks("functionary", ("\n>>>all\n",)),
    # MiroThinker, Cline and Roo Code.
    tagged(
        "mcp_tool",
        ("<use_mcp_tool>",),
        Form(
            r"<use_mcp_tool>\s*(?:<server_name>[^<]{0,200}</server_name>\s*)?"
            r"<tool_name>\s*+(?P<name>[^<\n]{1,200}?)\s*+</tool_name>\s*<arguments>\s*",
            Json(r"\s*</arguments>\s*"),
        ),
        closing="</use_mcp_tool>",
    ),
    Format("pythonic", ("[",), lambda src, at, marker: pythonic.read_list(src, at)),
    Format("json", ("{", "[", "｛"), lambda src, at, marker: json_call.read_bare(src, at)),
    marks("comment", ("<!--",), Region("text", ("-->",), shown=True)),
    marks("comment", ("{/*",), Region("text", ("*/}",), shown=True)),
    Format("tokens", ("<final_answer>",), lambda src, at, marker: Found(at + len(marker), answer=True)),
    marks("tokens", _ENDS),
    Format("tokens", _TURNS, special.turn),
)

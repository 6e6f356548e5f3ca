"""A dialect of one's own: a call is a line such as `@calculate {"expression": "12 * 34"}`."""

import json
import re

from dure import Dure
from dure.dialects import DIALECTS, Call, Whole, rendered, tool_lines

LINE = re.compile(r"^@(\w+) (.*)$", re.MULTILINE)


class At:
    def request(self, messages, tools):
        rule = f"To use a tool, write nothing but a line such as @name {{…}}.\n{tool_lines(tools)}" if tools else ""
        return {"messages": rendered(messages, rule, self.written, "Result of {}: {}".format, str)}

    def written(self, name, args, said):
        return f"@{name} {json.dumps(args, ensure_ascii=False)}"

    def reader(self, tools, *, repair=True, reasoning=False):
        return Whole(tools, self.read, repair=repair)

    def read(self, text):
        return LINE.sub("", text).strip(), [Call(name, args) for name, args in LINE.findall(text)]


DIALECTS.add("at", At())
if __name__ == "__main__":
    with Dure(tool_dialect="at").sync() as dure:
        print(dure.chat("12 * 34는?", team="assistant").response)

"""Index the example documents, ask a team, print the answer with its sources.

python examples/ask.py
python examples/ask.py "국내 출장 숙박비는 1박에 얼마까지 나와?"
"""

import asyncio
import sys

from dure import Dure
from dure.cli.demo import DOCUMENTS


async def main(question: str) -> None:
    async with Dure() as dure:
        for document in await dure.ingest(DOCUMENTS):
            print(f"{document.status:8} {document.name}")
        answer = await dure.chat(question, team="workplace")
    print(f"\n{question}\n\n{answer.response}\n")
    for citation in answer.citations:
        page = f", {citation['page']}쪽" if citation["page"] else ""
        print(f"[{citation['marker']}] {citation['title']}{page}: “{citation['quote']}”")


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "회사 휴가 정책 알려줘"))

"""Sentences about nothing in particular: what a question's cosines look like where nothing fits.

How well a passage fits is told from how far its cosine stands above the crowd of all others. A handful of passages
is no crowd: with few, these stand in it too. Any embedding model can be judged so, whatever the scale of its cosines.
"""

STRANGERS = (
    "어제 저녁에는 비가 조금 내렸고 바람은 잔잔했다.",
    "고양이는 창가에 앉아 지나가는 사람들을 바라보았다.",
    "이 노래는 후렴이 짧아서 따라 부르기 쉽다.",
    "기차는 역을 떠나 강을 따라 천천히 달렸다.",
    "된장찌개에는 두부와 애호박을 넣으면 맛이 좋다.",
    "그 화가는 말년에 바다 그림을 많이 남겼다.",
    "공원에는 은행나무가 줄지어 서 있다.",
    "선수는 마지막 바퀴에서 앞선 두 사람을 따라잡았다.",
    "The old bridge was painted green last summer.",
    "Bread rises faster in a warm kitchen.",
    "She learned to play the violin at the age of nine.",
    "The comet will be visible again in seventy years.",
    "Most of the island is covered with pine forest.",
    "He wrote three novels and a book of short poems.",
    "The museum keeps a large collection of wooden clocks.",
    "Rain is expected in the mountains over the weekend.",
)

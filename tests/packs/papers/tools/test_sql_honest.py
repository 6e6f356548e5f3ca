"""What people ask of papers, as models write it: all of it runs, with the right rows."""

# ruff: noqa: E501

import pytest

from dure.markdown import unfenced

HONEST = [
    # 우리가 넣은 논문, 태그별 논문 수
    ("SELECT count(*) FROM papers WHERE own", [[2]]),
    ("SELECT name, count(*) FROM marks WHERE kind = 'tag' GROUP BY name", [["세미나", 2]]),
    # 논문은 모두 몇 편?
    ("SELECT count(*) FROM papers", [[10]]),
    # 연도별 논문 수
    (
        "SELECT year, COUNT(*) AS n FROM papers GROUP BY year ORDER BY year DESC LIMIT 3",
        [[2024, 1], [2023, 1], [2022, 1]],
    ),
    # 2020년 이후 분야별 논문 수
    (
        "select field as 분야, count(*) as 논문수 from papers where year >= 2020 group by field order by 논문수 desc, 분야;",
        [["llm", 3], ["retrieval", 2], ["vision", 1]],
    ),
    # 논문이 두 편 이상인 학회
    (
        "SELECT venue, count(*) c FROM papers WHERE venue IS NOT NULL GROUP BY venue HAVING c > 1 ORDER BY c DESC, venue",
        [["NeurIPS", 3], ["ICLR", 2]],
    ),
    # 가장 많이 인용된 논문 셋
    (
        "SELECT title, citations FROM papers ORDER BY citations DESC LIMIT 3",
        [["Deep Residual Learning", 200000], ["Attention Is All You Need", 100000], ["Long Short-Term Memory", 95000]],
    ),
    # 논문이 가장 많은 저자
    (
        "SELECT a.name, COUNT(DISTINCT pa.paper_id) AS papers FROM authors a JOIN paper_authors pa ON pa.author_id = a.id "
        "GROUP BY a.id, a.name ORDER BY papers DESC, a.name LIMIT 2",
        [["Ashish Vaswani", 2], ["Patrick Lewis", 2]],
    ),
    # 분야별 비율
    (
        'SELECT field, ROUND(100.0 * COUNT(*) / (SELECT COUNT(*) FROM papers), 1) AS "비율(%)" FROM papers '
        "GROUP BY field ORDER BY 2 DESC, 1 LIMIT 2",
        [["llm", 30.0], ["nlp", 20.0]],
    ),
    # 누적 논문 수
    (
        "SELECT year, SUM(COUNT(*)) OVER (ORDER BY year) AS total FROM papers WHERE year < 2020 GROUP BY year",
        [[1997, 1], [2016, 2], [2017, 3], [2019, 4]],
    ),
    # 분야마다 가장 많이 인용된 논문
    (
        "SELECT field, title FROM (SELECT field, title, ROW_NUMBER() OVER (PARTITION BY field ORDER BY citations DESC) r "
        "FROM papers) WHERE r = 1 ORDER BY field",
        [
            ["llm", "Language Models are Few-Shot Learners"],
            ["nlp", "Attention Is All You Need"],
            ["retrieval", "Retrieval-Augmented Generation"],
            ["theory", "Long Short-Term Memory"],
            ["vision", "Deep Residual Learning"],
        ],
    ),
    # 순위
    (
        "SELECT title, RANK() OVER w AS rk, DENSE_RANK() OVER w AS dr FROM papers WHERE field = 'nlp' "
        "WINDOW w AS (ORDER BY citations DESC)",
        [["Attention Is All You Need", 1, 1], ["BERT", 2, 2]],
    ),
    # WITH
    (
        "WITH per_year AS (SELECT year, COUNT(*) AS n FROM papers GROUP BY year) "
        "SELECT year, n FROM per_year WHERE n = (SELECT MAX(n) FROM per_year)",
        [[2020, 2]],
    ),
    # WITH, 두 단계와 열 이름
    (
        "WITH t(f, n) AS (SELECT field, COUNT(*) FROM papers GROUP BY field), u AS (SELECT f FROM t WHERE n >= 2) "
        "SELECT f FROM u ORDER BY f",
        [["llm"], ["nlp"], ["retrieval"], ["vision"]],
    ),
    # 쓰이지 않은 열뿐인 WITH
    ("WITH recent AS (SELECT * FROM papers WHERE year > 2020) SELECT COUNT(*) FROM recent", [[4]]),
    ("WITH 최근 AS (SELECT * FROM papers WHERE year > 2020) SELECT COUNT(*) AS 수 FROM 최근", [[4]]),
    # 이 모음에서 많이 인용된 논문
    (
        "SELECT p.title, COUNT(c.citing_id) AS n FROM papers p LEFT JOIN citations c ON c.cited_id = p.id "
        "GROUP BY p.id, p.title ORDER BY n DESC, p.title LIMIT 2",
        [["Attention Is All You Need", 4], ["Language Models are Few-Shot Learners", 2]],
    ),
    # p1을 인용한 논문
    (
        "SELECT p.title FROM citations AS c JOIN papers AS p ON p.id = c.citing_id JOIN papers AS q ON q.id = c.cited_id "
        "WHERE q.title ILIKE '%attention is all%' ORDER BY p.year",
        [["BERT"], ["Language Models are Few-Shot Learners"], ["An Image is Worth 16x16 Words"], ["LLaMA"]],
    ),
    # 인용되지 않은 논문
    (
        "SELECT title FROM papers p WHERE NOT EXISTS (SELECT 1 FROM citations WHERE cited_id = p.id) ORDER BY year",
        [["An Image is Worth 16x16 Words"], ["LoRA"], ["LLaMA"], ["한국어 문서 검색"]],
    ),
    # 공저자
    (
        "SELECT a.name, b.name FROM paper_authors x JOIN paper_authors y ON x.paper_id = y.paper_id "
        "AND x.author_id < y.author_id JOIN authors a ON a.id = x.author_id JOIN authors b ON b.id = y.author_id "
        "ORDER BY a.name",
        [["Jacob Devlin", "Ming-Wei Chang"], ["Patrick Lewis", "김두레"]],
    ),
    # 제1저자
    (
        "SELECT a.name FROM papers p, paper_authors pa, authors a WHERE p.id = pa.paper_id AND a.id = pa.author_id "
        "AND pa.position = 1 AND p.title = 'LoRA'",
        [["Edward Hu"]],
    ),
    # CASE
    (
        "SELECT CASE WHEN year >= 2020 THEN '2020년대' WHEN year >= 2010 THEN '2010년대' ELSE '이전' END AS 시기, COUNT(*) "
        "FROM papers GROUP BY 시기 ORDER BY 2 DESC",
        [["2020년대", 6], ["2010년대", 3], ["이전", 1]],
    ),
    (
        "SELECT SUM(CASE field WHEN 'nlp' THEN 1 ELSE 0 END), COUNT(*) FILTER (WHERE field = 'llm') FROM papers",
        [[2, 3]],
    ),
    # 10년 단위
    ("SELECT year // 10 * 10 AS d, COUNT(*) FROM papers GROUP BY d ORDER BY d", [[1990, 1], [2010, 3], [2020, 6]]),
    # 평균, 합, 최소, 최대
    (
        "SELECT MIN(year), MAX(year), SUM(citations), ROUND(AVG(citations), 1) FROM papers",
        [[1997, 2024, 568012, 63112.4]],
    ),
    ("SELECT COUNT(*) - COUNT(citations) AS unknown, COUNT(DISTINCT venue) FROM papers", [[1, 6]]),
    (
        "SELECT title, COALESCE(venue, '미상'), IFNULL(citations, 0) FROM papers WHERE year = 2023",
        [["LLaMA", "미상", 0]],
    ),
    # 날짜와 글자
    (
        "SELECT strftime(DATE '2024-05-01', '%Y'), strftime(date_trunc('month', DATE '2024-01-31' + INTERVAL 1 MONTH), '%Y-%m')",
        [["2024", "2024-02"]],
    ),
    (
        "SELECT SUBSTR(arxiv_id, 1, 2) AS yy, COUNT(*) FROM papers WHERE arxiv_id IS NOT NULL GROUP BY yy ORDER BY yy",
        [["15", 1], ["17", 1], ["18", 1], ["20", 3], ["21", 1], ["23", 1]],
    ),
    ("SELECT year(DATE '2024-05-01') - MAX(year) FROM papers", [[0]]),
    (
        "SELECT title FROM papers WHERE title LIKE '%검색%' OR title ILIKE 'lora' ORDER BY title",
        [["LoRA"], ["한국어 문서 검색"]],
    ),
    ("SELECT UPPER(title) || ' (' || year || ')' FROM papers WHERE LOWER(title) = 'bert'", [["BERT (2019)"]]),
    (
        "SELECT LENGTH(title), REPLACE(title, '검색', '찾기'), INSTR(title, '문서') FROM papers WHERE id = 'p9'",
        [[9, "한국어 문서 찾기", 5]],
    ),
    (
        "SELECT GROUP_CONCAT(title, ', ') FROM (SELECT title FROM papers WHERE field = 'nlp' ORDER BY year)",
        [["Attention Is All You Need, BERT"]],
    ),
    ("SELECT printf('%.1f%%', 100.0 * 2 / 3)", [["66.7%"]]),
    (
        "SELECT ABS(-3), MOD(7, 4), POWER(2, 10), SQRT(16), 7 % 4, 7 // 2, 7 / 2, ROUND(2.5)",
        [[3, 3, 1024.0, 4.0, 3, 3, 3.5, 3.0]],
    ),
    ("SELECT IF(COUNT(*) > 5, 'many', 'few'), NULLIF(1, 1) FROM papers", [["many", None]]),
    # IN, BETWEEN, GLOB
    ("SELECT COUNT(*) FROM papers WHERE field IN ('nlp', 'llm') AND year BETWEEN 2017 AND 2020", [[3]]),
    ("SELECT COUNT(*) FROM papers WHERE id NOT IN (SELECT paper_id FROM paper_authors)", [[1]]),
    ("SELECT title FROM papers WHERE title GLOB 'L*A' ORDER BY title COLLATE NOCASE", [["LLaMA"], ["LoRA"]]),
    # UNION, EXCEPT, INTERSECT
    (
        "SELECT 'nlp' AS f, COUNT(*) FROM papers WHERE field = 'nlp' UNION ALL SELECT 'llm', COUNT(*) FROM papers WHERE field = 'llm'",
        [["nlp", 2], ["llm", 3]],
    ),
    (
        "(SELECT title FROM papers ORDER BY year LIMIT 1) UNION ALL (SELECT title FROM papers ORDER BY year DESC LIMIT 1)",
        [["Long Short-Term Memory"], ["한국어 문서 검색"]],
    ),
    ("SELECT field FROM papers EXCEPT SELECT field FROM glossary ORDER BY 1", [["retrieval"], ["vision"]]),
    ("SELECT field FROM papers INTERSECT SELECT field FROM glossary ORDER BY field", [["llm"], ["nlp"], ["theory"]]),
    # 지난해와의 차이
    (
        "SELECT year, n - LAG(n, 1, 0) OVER (ORDER BY year) AS diff FROM (SELECT year, COUNT(*) n FROM papers GROUP BY year) "
        "WHERE year BETWEEN 2019 AND 2021",
        [[2019, 1], [2020, 1], [2021, -1]],
    ),
    (
        "SELECT NTILE(2) OVER (ORDER BY citations), title FROM papers WHERE field = 'nlp'",
        [[1, "BERT"], [2, "Attention Is All You Need"]],
    ),
    (
        "SELECT year, AVG(citations) OVER (ORDER BY year ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM papers WHERE year < 2018",
        [[1997, 95000.0], [2016, 147500.0], [2017, 150000.0]],
    ),
    # 용어
    ("SELECT term_ko FROM glossary WHERE term_en = 'attention'", [["어텐션"]]),
    # 쓰는 법의 갈래
    ("```sql\nSELECT count(*) FROM papers\n```", [[10]]),
    ("SELECT Title FROM Papers WHERE PAPERS.ID = 'p6' -- LoRA", [["LoRA"]]),
    ("SELECT title /* the name */ FROM papers WHERE doi LIKE '10.18653%'", [["BERT"]]),
    ('SELECT "p"."title" FROM "papers" AS "p" WHERE "p"."id" = \'p6\' AND p.year == 2022', [["LoRA"]]),
    ("SELECT title FROM papers ORDER BY citations DESC NULLS LAST LIMIT 1 OFFSET 8", [["한국어 문서 검색"]]),
    (
        "SELECT DISTINCT venue FROM papers WHERE venue ILIKE 'neur%' ORDER BY venue",
        [["NeurIPS"], ["Neural Computation"]],
    ),
    ("SELECT '; DROP TABLE papers; --' AS x, 'it''s' AS y", [["; DROP TABLE papers; --", "it's"]]),
    ("SELECT title FROM papers JOIN paper_authors ON paper_id = papers.id WHERE author_id = 7", [["한국어 문서 검색"]]),
    (
        "WITH d(y) AS (VALUES (2020), (2021)) SELECT d.y, COUNT(p.id) FROM d LEFT JOIN papers p ON p.year = d.y GROUP BY d.y",
        [[2020, 2], [2021, 1]],
    ),
    ("SELECT title FROM papers FETCH FIRST 1 ROWS ONLY", [["Attention Is All You Need"]]),
]


@pytest.mark.parametrize(("sql", "rows"), HONEST)
def test_runs_what_is_asked(engine, sql, rows):
    found = engine.asked(unfenced(sql))
    assert found.rows == rows


def test_there_are_enough():
    assert len(HONEST) >= 40

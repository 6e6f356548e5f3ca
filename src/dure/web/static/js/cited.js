// What the sources below an answer and beside it have in common.

/** Citations by document, in the order of their first: `{title, found}`. */
export function grouped(citations) {
  const documents = new Map();
  for (const each of citations) {
    const key = each.document_id || each.url || each.title;
    if (!documents.has(key)) documents.set(key, { title: each.title, found: [] });
    documents.get(key).found.push(each);
  }
  return [...documents.values()];
}

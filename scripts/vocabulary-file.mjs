/**
 * A parsed `tokenizer.json` as far as ids are shown and framed: without the merges that only encoding needs, its vocabulary a list in
 * the order of the ids, which is parsed several times as fast. Null where the ids have holes, or entries are no texts by id.
 */
export function vocabularyFile(tokenizer) {
  const { vocab, merges: _, ...model } = tokenizer.model
  const entries = Object.entries(vocab)
  const listed = new Array(entries.length).fill(null)
  for (const [entry, id] of entries) listed[id] = entry
  if (listed.length !== entries.length || listed.includes(null)) return null
  return { ...tokenizer, model: { ...model, vocab: listed } }
}

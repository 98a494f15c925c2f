const drafts = new Set<() => void>()

/** Something that is typed and not taken yet; `take` takes it. Returns what forgets it. */
export function holdDraft(take: () => void): () => void {
  drafts.add(take)
  return () => drafts.delete(take)
}

/** Takes everything that is typed: the page may be gone before typing pauses. */
export function takeDrafts(): void {
  for (const take of drafts) take()
}

/** What one file says of the steps of its run. */
export interface FileSteps {
  /** The model that its rollouts name, null where none does. */
  readonly model: string | null
  readonly steps: ReadonlySet<number>
}

/**
 * Files by run, each with its own key, in the order of its first step. Nothing in a folder says which files one run wrote, and a course over
 * steps is one only within a run: where the files of two runs begin and end at other steps, the worse of them would look like a change.
 * So files of one model are taken together where their steps are the same (what the ranks of a run wrote) or follow each other (one file a
 * step, or one that goes on where another ended). Where they overlap in any other way, each set of equal steps is taken by itself: a course
 * that is there shows in each of them.
 */
export function runsOfFiles<Key>(files: ReadonlyMap<Key, FileSteps>): Key[][] {
  const models = new Map<string | null, Map<string, { keys: Key[]; first: number; last: number }>>()
  for (const [key, { model, steps }] of files) {
    const ordered = [...steps].sort((a, b) => a - b)
    const like = ordered.join()
    let units = models.get(model)
    if (units === undefined) models.set(model, (units = new Map()))
    const unit = units.get(like)
    if (unit === undefined)
      units.set(like, { keys: [key], first: ordered[0] as number, last: ordered.at(-1) as number })
    else unit.keys.push(key)
  }
  return [...models.values()].flatMap((units) => {
    const ordered = [...units.values()].sort((a, b) => a.first - b.first || a.last - b.last)
    // The step during which a file was ended stands in the next one as well.
    const follow = ordered.every(({ first }, at) => at === 0 || first >= (ordered[at - 1]?.last as number))
    return follow ? [ordered.flatMap(({ keys }) => keys)] : ordered.map(({ keys }) => keys)
  })
}

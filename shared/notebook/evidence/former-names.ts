/** How a measure may be called now that was called otherwise: by hypothesis, names with `#` for numbers. */
const RENAMED: Readonly<Record<string, readonly (readonly [RegExp, readonly string[]])[]>> = {
  H05: [
    [
      /^share of complete groups without contrast beyond noise(.*)$/,
      ['share of complete groups without contrast (A01), or whose rewards differ by noise alone$1'],
    ],
  ],
  // What it is called depends on whether chance explains it, which may change while a run is written.
  H08: [
    [
      /^(difference of the mean rewards of the questions that both runs have)(?:, beyond chance, .+)?$/,
      ['$1', '$1, beyond chance, by the model or by how it is scored'],
    ],
  ],
  H07: [
    [
      /^(?:error-severity faults|faults of error severity) in assistant turns(?:; warnings are set aside)?$/,
      ['faults of error severity in assistant turns'],
    ],
    [/^present: (.+) \((\w+)\), (rate .+)$/, ['$1 ($2, a warning): $3', '$1 ($2, a note): $3']],
    [/^set aside, (a warning|a note): (.+) \((\w+)\), (rate .+)$/, ['$2 ($3, $1): $4']],
    // What was held against a rate of turn 1 is held as a ratio now, and the rate stands beside it; alone where one of the two has no fault,
    // which may change while a run is written.
    [
      /^(.+): rate from assistant turn # on(?:, (?:against # times that of turn #|and (?:none|some) in turn #))?$/,
      [
        '$1: rate from assistant turn # on',
        '$1: rate from assistant turn # on, and none in turn #',
        '$1: rate from assistant turn # on, and some in turn #',
      ],
    ],
    [
      /^(.+): (?:times )?as frequent from (assistant turn # on) as in turn #$/,
      ['$1: as frequent from $2 as in turn #', '$1: rate from $2, and some in turn #'],
    ],
  ],
}

/** Names that a measure of a hypothesis may have by now, the likeliest first; none where it was never called otherwise. */
export function laterNames(hypothesis: string, measure: string): readonly string[] {
  const known = RENAMED[hypothesis] ?? []
  return known.flatMap(([was, now]) => (was.test(measure) ? now.map((name) => measure.replace(was, name)) : []))
}

/** A name without the title of the check that it is of: `(C04): rate …`. The check may have another title by now, and the code stays. */
export function withoutTitle(measure: string): string {
  return measure.replace(/^.*? (?=\([A-Z]\d\d[,)])/, '')
}

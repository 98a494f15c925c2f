import { NOTEBOOK_SCHEMA, type Notebook } from './model.ts'
import { readyHypotheses } from './ready/hypotheses.ts'

/** When the effort has succeeded; the person ticks them off. */
const CRITERIA = [
  'The reward rises steadily above the baseline in training.',
  'Evaluation on held-out data improves over the baseline.',
  'It is reproduced in other runs.',
  'It can be explained why the fix works.',
  'The fix holds at full scale, not only in debug runs.',
]

/** A notebook in which nothing has been tested: the ready hypotheses and the criteria, no problem and no experiments. */
export function newNotebook(): Notebook {
  return {
    schema: NOTEBOOK_SCHEMA,
    problem: {
      statement: '',
      environment: '',
      works: '',
      baseline: '',
      criteria: CRITERIA.map((text, at) => ({ id: `c${at + 1}`, text, met: false })),
    },
    hypotheses: readyHypotheses(),
    experiments: [],
    history: [],
    folder: null,
  }
}

import { parseJson } from '../../containers/json.ts'
import { isObject } from '../fields.ts'
import { MOST_BYTES, type RunLogKind } from './run-log-kind.ts'
import { numbersIn, SeriesBuilder } from './series.ts'

/** What the trainers of Transformers and TRL save beside every checkpoint (transformers, trainer_callback.py, `TrainerState`). */
export const trainerState: RunLogKind = {
  id: 'trainer-state',
  title: 'trainer_state.json of Transformers or TRL',
  recognise({ text }) {
    // `log_history` may come after thousands of characters, but the state names itself before.
    if (text === null || !/^\s*\{/.test(text)) return null
    const keys = ['best_model_checkpoint', 'global_step', 'log_history', 'is_local_process_zero'].filter((key) =>
      text.includes(`"${key}"`),
    )
    return keys.length >= 2 && keys.includes('global_step') ? `keys ${keys.join(', ')}` : null
  },
  async read(source, evidence, signal) {
    if (source.size > MOST_BYTES) return null
    const bytes = await source.slice(0, source.size)
    signal?.throwIfAborted()
    const state = parseJson(bytes, 0, bytes.length)
    if (!isObject(state) || !Array.isArray(state.log_history)) return null
    const builder = new SeriesBuilder()
    for (const entry of state.log_history) {
      const numbers = numbersIn(entry)
      const step = SeriesBuilder.stepOf(numbers)
      if (step !== null) builder.add(step, numbers)
    }
    if (builder.isEmpty) return null
    return { kind: this.id, title: this.title, evidence, ...builder.finish() }
  },
}

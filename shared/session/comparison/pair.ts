import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import type { SecondRun } from '../../hypotheses/hypothesis.ts'
import type { Report } from '../../model/report.ts'
import type { Stream } from '../../model/streams.ts'
import { STREAM_TITLES } from '../audit/streams.ts'
import type { BoundaryRow } from '../protocol.ts'
import type { ComparedMeasure } from '../requests/compare.ts'
import { comparedMean, comparedShare, type Sample } from './statistics.ts'

/** A run as it is compared: its report, and what that was made of. */
export interface ComparedSide {
  readonly report: Report
  readonly run: SecondRun
  readonly boundaries: readonly BoundaryRow[]
}

export type Facts = readonly TrajectoryFacts[]

/** Two runs, asked the same question. */
export class Both {
  constructor(
    readonly here: ComparedSide,
    readonly there: ComparedSide,
    readonly errors: number,
  ) {}

  get facts(): readonly [Facts, Facts] {
    return [this.here.run.dump.facts, this.there.run.dump.facts]
  }

  each<Value>(of: (side: ComparedSide) => Value): readonly [Value, Value] {
    return [of(this.here), of(this.there)]
  }

  /** Why a run does not tell, where a stream is what it takes; of texts no tokenizer would tell more. */
  lacks(stream: Stream) {
    const lack = ({ run: { streams } }: ComparedSide) => {
      if (streams.has(stream)) return 'nothing to take it from'
      const lacked = stream === 'tokenizer' && !streams.has('ids') ? 'ids' : stream
      return `no ${STREAM_TITLES[lacked]} in this run`
    }
    const [here, there] = this.each(lack)
    return { here, there }
  }

  mean(
    named: Parameters<typeof comparedMean>[0],
    unit: Parameters<typeof comparedMean>[1],
    of: (facts: Facts) => readonly number[],
    stream: Stream,
  ): ComparedMeasure {
    const [a, b] = this.facts
    return comparedMean(named, unit, of(a), of(b), { errors: this.errors, lacks: this.lacks(stream) })
  }

  share(
    named: Parameters<typeof comparedShare>[0],
    of: (facts: Facts) => readonly boolean[],
    stream: Stream,
  ): ComparedMeasure {
    const [a, b] = this.facts
    const sample = (flags: readonly boolean[]): (Sample & { kind: 'share' }) | null =>
      flags.length === 0 ? null : { kind: 'share', of: flags.length, affected: flags.filter(Boolean).length }
    return comparedShare(named, sample(of(a)), sample(of(b)), { errors: this.errors, lacks: this.lacks(stream) })
  }
}

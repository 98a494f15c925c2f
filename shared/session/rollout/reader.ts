import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { forgetLast } from '../../checks/of-last.ts'
import { decodeRecords, type EncodedRecords } from '../../containers/decode.ts'
import type { ReadTrajectory } from '../../exports/export-kind.ts'
import type { Format } from '../../formats/format.ts'
import { readJoined } from '../../formats/join.ts'
import { allNumericKeys } from '../../formats/registry.ts'
import type { PolicyId } from '../../model/policy.ts'
import type { Finding } from '../../model/report.ts'
import type { Place } from '../../model/source.ts'
import { STREAMS } from '../../model/streams.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import { auditTrajectory, byCodeAndToken } from '../audit/batch.ts'
import type { Conclusion } from '../concluding/conclude.ts'
import { detailOf, type LoadedTrajectory, tokenDetail } from '../detail.ts'
import { readerOf } from '../opening/join-sources.ts'
import { type OpenSource, spansOf } from '../opening/open-source.ts'
import type { TokenDetail, TrajectoryDetail } from '../protocol.ts'
import { type RenderedTexts, renderTexts } from '../rendered-texts.ts'
import type { IdComparison, Overlay, OverlayChoice, OverlayId, Relatives, TokenWeights } from '../requests/rollout.ts'
import type { SearchOrigin } from '../search/search.ts'
import { changedMeanwhile, recordsAgain } from '../search/stored-records.ts'
import { compareIds } from './compare-ids.ts'
import { type LossBatch, lossBatchOf, tokenWeightsOf } from './loss-weights.ts'
import { overlayChoices, overlayOf } from './overlays.ts'
import { relativesOf } from './relatives.ts'

/** What it takes to read single rollouts again and to say of them what the report says. */
export interface ReaderOrigin {
  readonly again: Pick<SearchOrigin, 'facts' | 'opened' | 'runtime' | 'isDone' | 'spans'>
  conclusion(): Conclusion
  /** Findings of groups and of the whole dump that name the rollout. */
  findingsOfDump(index: number): readonly Finding[]
}

/** Reads the rollouts that a person opens, one at a time, and answers what is asked of one. The last one read is kept once all are there. */
export class RolloutReader {
  private last: LoadedTrajectory | null = null
  /** What the last one's findings are part of: beside another second run a rollout may have others. */
  private lastUnder: Conclusion | null = null

  constructor(private readonly origin: ReaderOrigin) {}

  /** Reads one trajectory again from its source, under the session's settings. Throws a sentence where the file changed. */
  async load(index: number, signal?: AbortSignal): Promise<LoadedTrajectory> {
    const { facts: all, opened, isDone, spans } = this.origin.again
    if (this.last?.index === index && isDone && this.lastUnder === this.origin.conclusion()) return this.last
    const facts = all[index]
    if (facts === undefined) throw new Error(`There is no rollout ${index}; ${all.length} have been read.`)
    const open = opened[facts.place.source] as OpenSource
    const encoded = await open.container.read(spansOf(spans(facts.place.source), facts.place.record))
    signal?.throwIfAborted()
    const { audited, conclusion } = await this.auditing(facts.place.source, encoded)
    signal?.throwIfAborted()
    const loaded: LoadedTrajectory = {
      ...audited(index, facts),
      facts,
      formatId: open.format.id,
      missing: conclusion.report.sources[facts.place.source]?.missing ?? STREAMS,
      sourceIndex: facts.place.source,
      encoded: encoded.decoder === 'joined' ? encoded.own : encoded,
    }
    forgetLast()
    // As long as more is read, another rollout may come to stand at this index.
    this.last = isDone ? loaded : null
    this.lastUnder = conclusion
    return loaded
  }

  /**
   * The same of many, several to a reading.
   *
   * @param indices ascending
   */
  async *read(indices: readonly number[]): AsyncGenerator<ReadTrajectory, void, undefined> {
    try {
      for await (const { run, rows, encoded } of recordsAgain(this.origin.again, indices)) {
        const { audited } = await this.auditing(run.source, encoded)
        for (const [i, index] of run.indices.entries()) yield audited(index, rows[i] as TrajectoryFacts)
      }
    } finally {
      forgetLast()
    }
  }

  /** Records of a source that were read again, and their rollouts with what is found in them. */
  private async auditing(source: number, encoded: EncodedRecords) {
    const { opened, runtime } = this.origin.again
    const open = opened[source] as OpenSource
    const parsed = await decodeRecords(encoded, allNumericKeys)
    const reader = readerOf(opened)
    const { trajectories } = readJoined(parsed, reader(source), reader)
    const byPlace = new Map(trajectories.map((each) => [placeKey(each.place), each]))
    const records = new Map(parsed.records.map((each) => [each.record, each]))
    const conclusion = this.origin.conclusion()
    return {
      conclusion,
      audited: (index: number, facts: TrajectoryFacts): ReadTrajectory => {
        const { record: number } = facts.place
        const trajectory = byPlace.get(placeKey(facts.place))
        const record = records.get(number)
        if (record === undefined || trajectory === undefined || trajectory.recordHash !== facts.recordHash) {
          throw changedMeanwhile(open, facts, parsed.skipped.find((each) => each.record === number)?.message)
        }
        const { view, findings } = auditTrajectory(trajectory, open.format as Format, runtime)
        const all = [...findings, ...this.origin.findingsOfDump(index)].map(conclusion.explained).sort(byCodeAndToken)
        return { index, trajectory, view, findings: all, record }
      },
    }
  }

  async detail(index: number, signal?: AbortSignal): Promise<TrajectoryDetail> {
    const loaded = await this.load(index, signal)
    return detailOf(loaded, this.tokenizerOf(loaded), this.renderedOf(loaded))
  }

  async token(index: number, token: number): Promise<TokenDetail> {
    const loaded = await this.load(index)
    return tokenDetail(loaded, token, this.tokenizerOf(loaded), this.policyOf(loaded), this.renderedOf(loaded))
  }

  async overlays(index: number): Promise<OverlayChoice[]> {
    return overlayChoices(await this.load(index))
  }

  async overlay(index: number, id: OverlayId): Promise<Overlay> {
    const loaded = await this.load(index)
    return overlayOf(loaded, id, {
      batch: () => this.lossBatch(loaded.facts),
      advantages: () => Float64Array.from(this.origin.again.facts.flatMap(({ maxAdvantage }) => maxAdvantage ?? [])),
    })
  }

  async compareIds(index: number, kind: IdComparison['kind'], signal?: AbortSignal): Promise<IdComparison> {
    const loaded = await this.load(index)
    return compareIds(loaded, this.tokenizerOf(loaded), kind, signal, this.renderedOf(loaded))
  }

  /** Reads the branches of the rollout again, where it has some. */
  async relatives(index: number, signal?: AbortSignal): Promise<Relatives> {
    const { facts } = this.origin.again
    const before = [this.last, this.lastUnder] as const
    const ids = async (of: number) => (await this.load(of)).trajectory.ids
    const found = await relativesOf(index, { facts, groups: this.origin.conclusion().groups, ids }, signal)
    ;[this.last, this.lastUnder] = before
    return found
  }

  async lossWeights(index: number): Promise<TokenWeights | null> {
    const { facts } = await this.load(index)
    return tokenWeightsOf(facts, this.lossBatch(facts))
  }

  /** That of its source; null where none is known. */
  tokenizerOf({ sourceIndex }: Pick<LoadedTrajectory, 'sourceIndex'>): Tokenizer | null {
    return this.origin.again.runtime.tokenizers[sourceIndex] ?? null
  }

  /** What a rollout of text alone is shown as, where that was asked for. */
  private renderedOf(loaded: LoadedTrajectory): RenderedTexts | null {
    const asked = this.origin.again.runtime.plan.sources[loaded.sourceIndex]?.rendersTexts ?? false
    return asked ? renderTexts(loaded.trajectory, this.tokenizerOf(loaded)) : null
  }

  private lossBatch(own: TrajectoryFacts): LossBatch {
    const { facts } = this.origin.again
    return lossBatchOf(own, { facts, limits: this.origin.conclusion().report.limits })
  }

  private policyOf({ sourceIndex }: LoadedTrajectory): PolicyId {
    return this.origin.again.runtime.plan.sources[sourceIndex]?.settings.policy.id ?? 'rl'
  }
}

function placeKey({ record, part }: Place): string {
  return `${record}.${part}`
}

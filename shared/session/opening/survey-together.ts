import type { AuditSettings } from '../../checks/check.ts'
import { checksToRun } from '../../hypotheses/checks-to-run.ts'
import type { AuditOptions } from '../../model/policy.ts'
import type { TokenizerReference } from '../audit/plan.ts'
import type { EngineHost } from '../host.ts'
import { addKins } from '../merge/survey.ts'
import { asRead, decideKin, type Kin, kinName, wholeSettings } from './kin.ts'
import { loadTokenizer } from './load-tokenizer.ts'
import { modelVocabulary } from './model-vocabulary.ts'
import type { OpenSource } from './open-source.ts'
import {
  givenTokenizer,
  namedBy,
  referenceTo,
  type Survey,
  type SurveyedKin,
  settingsOf,
  sourcePlan,
} from './survey.ts'

/** A source, and what its own first records say. */
export interface SurveyedSource {
  readonly open: OpenSource
  readonly survey: SurveyedKin
}

/** Sources that were surveyed one by one, as if they had been surveyed together. */
export interface SurveyTogether {
  readonly survey: Survey
  /** By source: null, or what its kin decides otherwise than it was surveyed under, so that it has to be surveyed again. */
  readonly otherwise: readonly (Kin | null)[]
}

/**
 * Adds up what was found of each source, kin by kin, and decides again. Nothing is read, so that a source which comes later costs no more than
 * itself.
 */
export async function surveyTogether(
  sources: readonly SurveyedSource[],
  options: AuditOptions,
  host: EngineHost,
  added: readonly TokenizerReference[],
): Promise<SurveyTogether> {
  const given = namedBy(options, added)
  const evidence = addKins(sources.map(({ survey }, source) => [{ ...survey.evidence, sources: [source] }]))
  const kins = evidence.map((each) => decideKin(each, options, givenTokenizer(given)))
  const ready = new Map<string, { readonly kin: Omit<SurveyedKin, 'drifting'>; readonly settings: AuditSettings }>()
  for (const kin of kins) {
    const reference = referenceTo(kin.tokenizer.id, given)
    const loaded = asRead(await loadTokenizer(reference, host.bundledTokenizers), kin)
    const vocabulary =
      given === null ? await modelVocabulary(kin.evidence, kin.tokenizer.id, host.bundledTokenizers) : null
    const surveyed = { ...kin, reference, loaded, vocabulary }
    ready.set(kinName(kin.evidence.key), { kin: surveyed, settings: settingsOf(surveyed, options) })
  }
  const kinOf = sources.map(
    ({ survey }) => ready.get(kinName(survey.evidence.key)) as NonNullable<ReturnType<typeof ready.get>>,
  )
  return {
    survey: {
      plan: {
        settings: wholeSettings(
          kins,
          sources.map(({ open }) => open.source.name),
          options,
        ),
        sources: sources.map(({ open, survey }, i) => {
          const { kin, settings } = kinOf[i] as (typeof kinOf)[number]
          return sourcePlan(open, kin, settings, survey.drifting.has(0))
        }),
        checks: checksToRun(options),
      },
      tokenizers: kinOf.map(({ kin }) => kin.loaded),
      kins,
      given,
    },
    otherwise: sources.map(({ survey: own }, i) => {
      const { reference, loaded, vocabulary, ...kin } = (kinOf[i] as (typeof kinOf)[number]).kin
      const same =
        kin.tokenizer.id === own.tokenizer.id &&
        kin.tokenizer.lacks === own.tokenizer.lacks &&
        kin.aligned.alignment === own.aligned.alignment
      return same ? null : kin
    }),
  }
}

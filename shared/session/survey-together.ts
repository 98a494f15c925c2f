import type { AuditOptions } from '../model/policy.ts'
import type { EngineHost } from './host.ts'
import { asRead, decideKin, type Kin, kinName, wholeSettings } from './kin.ts'
import { loadTokenizer } from './load-tokenizer.ts'
import { addKins } from './merge-survey.ts'
import { modelVocabulary } from './model-vocabulary.ts'
import type { OpenSource } from './open-source.ts'
import type { TokenizerReference } from './plan.ts'
import { givenTokenizer, namedBy, referenceTo, type Survey, type SurveyedKin, sourcePlan } from './survey.ts'

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
  const ready = new Map<string, Omit<SurveyedKin, 'drifting'>>()
  for (const kin of kins) {
    const reference = referenceTo(kin.tokenizer.id, given)
    const loaded = asRead(await loadTokenizer(reference, host.bundledTokenizers), kin)
    const vocabulary =
      given === null ? await modelVocabulary(kin.evidence, kin.tokenizer.id, host.bundledTokenizers) : null
    ready.set(kinName(kin.evidence.key), { ...kin, reference, loaded, vocabulary })
  }
  const kinOf = ({ survey }: SurveyedSource) => ready.get(kinName(survey.evidence.key)) as Omit<SurveyedKin, 'drifting'>
  return {
    survey: {
      plan: {
        settings: wholeSettings(
          kins,
          sources.map(({ open }) => open.source.name),
          options,
        ),
        sources: sources.map((each) => sourcePlan(each.open, kinOf(each), each.survey.drifting.has(0), options)),
        checks: options.checks ?? null,
      },
      tokenizers: sources.map((each) => kinOf(each).loaded),
      kins,
      given,
    },
    otherwise: sources.map((each) => {
      const { reference, loaded, vocabulary, ...kin } = kinOf(each)
      const own = each.survey
      const same =
        kin.tokenizer.id === own.tokenizer.id &&
        kin.tokenizer.lacks === own.tokenizer.lacks &&
        kin.aligned.alignment === own.aligned.alignment
      return same ? null : kin
    }),
  }
}

import type { Measure } from '../model/report.ts'
import { measureAdvantages } from './advantages.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { H01 as LIMITS } from './thresholds.ts'
import { checkOf, conclude, isSystematic, type Judgement, lesserFaults, measure, notCheckable } from './verdict.ts'

/** Advantage scaling instability: rewards that hardly differ, divided by their own tiny std. */
export const H01: Hypothesis = {
  id: 'H01',
  title: 'Advantage scaling instability',
  claim: 'Similar rewards have a small std; dividing by it makes advantages of noise, and updates cancel.',
  judge: (input) => conclude(H01, input, decide(input)),
}

function decide(input: HypothesisInput): Judgement {
  const missing = (['rewards', 'group'] as const).filter((stream) => !input.streams.has(stream))
  if (missing.length > 0) return notCheckable(missing)
  const found = measureAdvantages(input.dump, LIMITS.amplification)
  if (found.completeGroups === 0) return notCheckable(['complete groups: every group lacks members or rewards'])

  const { scaling } = found
  const explosion = checkOf(input, 'A03')
  const exploded = explosion?.status === 'fail'
  const amplified = found.amplifiedShare >= LIMITS.supportedGroups
  // Without a known scaling, a spread that is not small cannot be amplified either.
  const few = (scaling === null ? found.noiseShare : found.amplifiedShare) < LIMITS.contradictedGroups
  const unscaled = scaling !== null && !scaling.scaled
  const verdict =
    exploded || (scaling?.scaled && amplified) ? 'supported' : unscaled || few ? 'contradicted' : 'inconclusive'

  const because: Measure[] = [
    measure('advantage scheme', schemeText(found), '=', null),
    scaling === null
      ? measure(
          'share of complete groups with a reward std below the noise floor (scaling unknown)',
          found.noiseShare,
          '<',
          LIMITS.contradictedGroups,
        )
      : measure(
          `share of complete groups with a reward std below the noise floor, amplified ${LIMITS.amplification} times or more`,
          found.amplifiedShare,
          verdict === 'contradicted' ? '<' : '>=',
          verdict === 'contradicted' ? LIMITS.contradictedGroups : LIMITS.supportedGroups,
          ['A02'],
        ),
    measure('noise floor of the reward std', found.noiseFloor, '=', null),
    measure('mean reward std within groups', found.meanStd, '=', null),
  ]
  // An unscaled scheme contradicts whatever the spreads are: their share is then stated, not compared.
  if (unscaled) because[1] = { ...(because[1] as Measure), threshold: null }
  if (explosion !== null && explosion.checked > 0) {
    because.push(measure('groups with an advantage above its bound', explosion.affected, '>', 0, ['A03']))
  }
  if (found.largestAdvantage !== null) {
    because.push(measure('largest |advantage|', found.largestAdvantage, '=', null))
    because.push(measure('mean |advantage|', found.meanAbsoluteAdvantage, '=', null))
  }
  if (found.largestAmplification !== null) {
    because.push(measure('largest amplification of a spread below the floor', found.largestAmplification, '=', null))
    because.push(measure('largest reward gap below the floor', found.largestNoiseGap, '=', null))
  }
  because.push(...lesserFaults(H01, input, ['A02', 'A03']))
  const unknown = scaling !== null ? [] : input.streams.has('advantages') ? ['how rewards are scaled'] : ['advantages']
  return {
    verdict,
    because,
    missing: verdict === 'inconclusive' ? unknown : [],
    firm: !exploded || (explosion !== null && isSystematic(explosion)) || amplified,
  }
}

function schemeText({ scaling }: ReturnType<typeof measureAdvantages>): string {
  if (scaling === null) return 'unknown'
  const { scheme, eps, origin, fit, scaled } = scaling
  const formula = scaled ? `${scheme}, eps ${eps}` : scheme
  if (origin === 'given') return `${formula} (given)`
  return `${formula} (fits ${Math.round((fit?.share ?? 0) * 100)} % of ${fit?.groups ?? 0} groups)`
}

import type { ModelTurn, SampleConversation } from './conversation.ts'
import { type SampleDocument, type TwoHopQuestion, twoHopQuestions } from './questions.ts'
import { Random } from './random.ts'
import { exactMatch, overlapF1, type TwoHopRewards, totalReward, wordF1 } from './rewards.ts'
import {
  bridgeThought,
  closingThought,
  deliberation,
  missThought,
  openingThought,
  ramble,
  searchWords,
} from './thoughts.ts'
import { WORLD } from './world.ts'

export const GROUP_SIZE = 8

/** How a run of the two-hop environment goes. */
export interface TwoHopRun {
  readonly seed: string
  readonly groups: number
  /** How many rollouts of each run never end their last turn by themselves. */
  readonly endless: number
  /** The chat template keeps what the model says before a call (Llama 3.1 drops it). */
  readonly thoughtBeforeCall: boolean
  /** A reasoning model: it turns the matter over before it decides. */
  readonly deliberates: boolean
}

const SYSTEM = [
  'You answer questions that take facts from two documents.',
  'Think inside <think> tags before you act.',
  'Look documents up with the tool you are given, at most three times and one search in a turn.',
  'When you know enough, name the numbers of the documents you used inside <cite> tags and give a short answer inside <answer> tags.',
].join(' ')

/** All rollouts of a run, group after group. */
export function twoHopConversations(run: TwoHopRun): SampleConversation[] {
  const questions = twoHopQuestions(run.seed, run.groups)
  const endless = endlessRollouts(run)
  return questions.flatMap((question) => {
    const plan = new Random(`${run.seed} ${question.id} plan`)
    // Between three and five of eight are right, so that every group has something to learn from.
    const right = plan.shuffle(Array.from({ length: GROUP_SIZE }, (_, i) => i)).slice(0, plan.integer(3, 5))
    return Array.from({ length: GROUP_SIZE }, (_, member) => {
      const id = `${question.id}-${member}`
      return rollout(run, question, id, right.includes(member), endless.has(`${questions.indexOf(question)}-${member}`))
    })
  })
}

/** Drawn apart from everything else, so that the same seed with none of them gives the same run otherwise. */
function endlessRollouts({ seed, groups, endless }: TwoHopRun): Set<string> {
  const all = Array.from({ length: groups * GROUP_SIZE }, (_, i) => `${Math.floor(i / GROUP_SIZE)}-${i % GROUP_SIZE}`)
  return new Set(new Random(`${seed} endless`).shuffle(all).slice(0, endless))
}

type Step = 'subject' | 'bridge' | 'both' | 'miss'

const COURSES: readonly { readonly steps: readonly Step[]; readonly weight: number }[] = [
  { steps: ['both'], weight: 8 },
  { steps: ['subject'], weight: 7 },
  { steps: ['subject', 'bridge'], weight: 55 },
  { steps: ['subject', 'miss', 'bridge'], weight: 15 },
  { steps: ['miss', 'subject', 'bridge'], weight: 15 },
]

function course(random: Random): readonly Step[] {
  let at = random.next() * COURSES.reduce((sum, one) => sum + one.weight, 0)
  for (const one of COURSES) {
    at -= one.weight
    if (at < 0) return one.steps
  }
  return ['subject', 'bridge']
}

function rollout(
  run: TwoHopRun,
  question: TwoHopQuestion,
  id: string,
  right: boolean,
  endless: boolean,
): SampleConversation {
  const random = new Random(`${run.seed} ${id}`)
  const numberOf = (name: string) => question.documents.find((one) => one.entity.name === name)?.number as number
  const subjectAt = numberOf(question.subject.name)
  const bridgeAt = numberOf(question.bridge.name)
  // An endless turn is about how a turn ends, not about how long a rollout is: two searches leave room for it.
  const steps: readonly Step[] = endless ? ['subject', 'bridge'] : course(random)
  const turns: ModelTurn[] = []
  const shown = new Set<SampleDocument>()

  steps.forEach((step, index) => {
    const previous = steps[index - 1]
    const wanted = step === 'bridge' || (step === 'miss' && index > 0) ? question.bridge.name : question.subject.name
    const relation = wanted === question.bridge.name ? question.second : question.first
    let thought = openingThought(question, random)
    if (previous === 'subject') thought = bridgeThought(question, subjectAt, random)
    else if (previous === 'miss') thought = missThought(wanted, random)
    if (run.deliberates) thought = `${thought}\n\n${deliberation(question, random)}`
    const query = searchWords(wanted, relation, random)
    const found = search(question, step, random)
    for (const one of found) shown.add(one)
    turns.push({
      thought: run.thoughtBeforeCall ? thought : '',
      call: { id: `call_${index}`, query },
      text: '',
      reply: found.map(({ number, entity }) => `[${number}] ${entity.name}\n${entity.text}`).join('\n\n'),
    })
  })

  const seen = [...shown].map((one) => one.number)
  const support = [subjectAt, bridgeAt].filter((number) => seen.includes(number))
  const answer = right ? question.answer : wrongAnswer(question, random)
  const given = random.chance(0.2) ? inOtherWords(answer, question.second) : answer
  const cited = citations(support, seen, right, random)
  const final = {
    answer,
    right,
    subjectAt: seen.includes(subjectAt) ? subjectAt : null,
    bridgeAt: seen.includes(bridgeAt) ? bridgeAt : null,
  }
  const closing = closingThought(question, final, random)
  const thought = run.deliberates ? `${deliberation(question, random)}\n\n${closing}` : closing
  const cite = `<cite>[${cited.join(', ')}]</cite>`
  const text = endless
    ? `${cite}\n<answer>${ramble(question, answer, new Random(`${run.seed} ${id} endless`))}`
    : `${cite}\n<answer>${given}</answer>`
  turns.push({ thought, call: null, text, reply: '' })

  const rewards: TwoHopRewards = {
    em: endless ? 0 : exactMatch(given, question.answer),
    f1: endless ? 0 : wordF1(given, question.answer),
    retrieval_recall: support.length / 2,
    citation: overlapF1(cited, [subjectAt, bridgeAt]),
    format: endless ? 0.5 : 1,
  }
  return {
    id,
    group: question.id,
    system: SYSTEM,
    user: question.text,
    turns,
    documents: question.documents.map(({ number, entity, supporting }) => ({
      id: String(number),
      title: entity.name,
      text: entity.text,
      supporting,
    })),
    answer: question.answer,
    reward: totalReward(rewards),
    rewards: { ...rewards },
    endless,
  }
}

/** The best three documents for a step: what it is to find, and distractors, in random order. */
function search(question: TwoHopQuestion, step: Step, random: Random): SampleDocument[] {
  const { subject, bridge, documents } = question
  const hits = documents.filter(
    ({ entity }) =>
      (entity === subject && (step === 'subject' || step === 'both')) ||
      (entity === bridge && (step === 'bridge' || step === 'both')),
  )
  const rest = random.shuffle(documents.filter((one) => !one.supporting))
  return random.shuffle([...hits, ...rest.slice(0, 3 - hits.length)])
}

/** Another value of the same relation, as a model that mixes up two documents gives it. */
function wrongAnswer(question: TwoHopQuestion, random: Random): string {
  const others = WORLD.map((one) => one.facts[question.second]).filter(
    (value): value is string => value !== undefined && value !== question.answer,
  )
  return random.pick(others)
}

/** What is put before an answer that is not given in the shortest form; a person is then called by the family name alone. */
const LONGER: Readonly<Record<string, string>> = {
  river: 'the river',
  birthplace: 'the town of',
  headquarters: 'the town of',
  'founding year': 'the year',
  'year of birth': 'in the year',
  school: 'at',
  prize: 'winner of',
}

function inOtherWords(answer: string, relation: string): string {
  const before = LONGER[relation]
  return before ? `${before} ${answer}` : (answer.split(' ').at(-1) as string)
}

function citations(support: readonly number[], seen: readonly number[], right: boolean, random: Random): number[] {
  const others = seen.filter((number) => !support.includes(number))
  // With one of the two documents unseen there is little to cite; what there is, is cited.
  if (support.length < 2) return [...support]
  const way = random.next()
  let cited: number[]
  if (way < (right ? 0.6 : 0.25)) cited = [...support]
  else if (way < (right ? 0.8 : 0.5)) cited = [...support, random.pick(others)]
  else if (way < (right ? 0.95 : 0.75)) cited = [random.pick(support)]
  else cited = [random.pick(support), random.pick(others)]
  return cited.sort((a, b) => a - b)
}

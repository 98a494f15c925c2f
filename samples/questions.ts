import { Random } from './random.ts'
import { type Entity, type EntityKind, entityNamed, WORLD } from './world.ts'

/** A document as the environment holds it; `number` is what replies and citations call it. */
export interface SampleDocument {
  readonly number: number
  readonly entity: Entity
  readonly supporting: boolean
}

/** A question whose answer needs two documents: of `subject`, whose `first` relation names `bridge`, and of `bridge`. */
export interface TwoHopQuestion {
  readonly id: string
  readonly text: string
  readonly subject: Entity
  readonly first: string
  readonly bridge: Entity
  readonly second: string
  readonly answer: string
  readonly documents: readonly SampleDocument[]
}

interface QuestionKind {
  readonly kind: EntityKind
  readonly first: string
  readonly second: string
  readonly ask: (subject: string) => string
}

const KINDS: readonly QuestionKind[] = [
  {
    kind: 'landmark',
    first: 'location',
    second: 'river',
    ask: (s) => `Which river flows through the town where the ${s} stands?`,
  },
  {
    kind: 'film',
    first: 'director',
    second: 'birthplace',
    ask: (s) => `In which town was the director of the film ${s} born?`,
  },
  {
    kind: 'film',
    first: 'producer',
    second: 'founder',
    ask: (s) => `Who founded the company that produced the film ${s}?`,
  },
  {
    kind: 'landmark',
    first: 'architect',
    second: 'year of birth',
    ask: (s) => `In what year was the architect of the ${s} born?`,
  },
  {
    kind: 'company',
    first: 'headquarters',
    second: 'mayor',
    ask: (s) => `Who is the mayor of the town in which ${s} has its headquarters?`,
  },
  {
    kind: 'film',
    first: 'composer',
    second: 'prize',
    ask: (s) => `Which prize was given to the composer of the music for ${s}?`,
  },
  { kind: 'company', first: 'founder', second: 'school', ask: (s) => `Where did the founder of ${s} study?` },
  {
    kind: 'novel',
    first: 'author',
    second: 'birthplace',
    ask: (s) => `What is the birthplace of the author of the novel ${s}?`,
  },
  {
    kind: 'person',
    first: 'birthplace',
    second: 'river',
    ask: (s) => `On which river lies the town where ${s} was born?`,
  },
  {
    kind: 'film',
    first: 'producer',
    second: 'headquarters',
    ask: (s) => `In which town is the company based that produced the film ${s}?`,
  },
  {
    kind: 'person',
    first: 'birthplace',
    second: 'founding year',
    ask: (s) => `In which year was the town founded where ${s} was born?`,
  },
  { kind: 'landmark', first: 'architect', second: 'school', ask: (s) => `Where did the architect of the ${s} study?` },
]

/** How many documents go with a question; two of them support the answer. */
const DOCUMENTS_PER_QUESTION = 12

/** `count` questions, each of another kind than the one before; the same seed always gives the same ones. */
export function twoHopQuestions(seed: string, count: number): TwoHopQuestion[] {
  const random = new Random(`questions ${seed}`)
  const kinds = random.shuffle(KINDS)
  const used = new Set<string>()
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length] as QuestionKind
    const subject = random.pick(WORLD.filter((one) => one.kind === kind.kind && !used.has(one.name)))
    used.add(subject.name)
    const bridge = entityNamed(subject.facts[kind.first] as string)
    return {
      id: `q${random.integer(1, 9)}${String(index + 1).padStart(2, '0')}`,
      text: kind.ask(subject.name),
      subject,
      first: kind.first,
      bridge,
      second: kind.second,
      answer: bridge.facts[kind.second] as string,
      documents: documentsFor(subject, bridge, random),
    }
  })
}

/** Half of the distractors are of the kinds that matter, so that a search for the right thing finds wrong ones too. */
function documentsFor(subject: Entity, bridge: Entity, random: Random): SampleDocument[] {
  const others = random.shuffle(WORLD.filter((one) => one !== subject && one !== bridge))
  const near = others.filter((one) => one.kind === subject.kind || one.kind === bridge.kind)
  const distractors = near.slice(0, 6)
  for (const one of others) {
    if (distractors.length === DOCUMENTS_PER_QUESTION - 2) break
    if (!distractors.includes(one)) distractors.push(one)
  }
  return random.shuffle([subject, bridge, ...distractors]).map((entity, index) => ({
    number: index + 1,
    entity,
    supporting: entity === subject || entity === bridge,
  }))
}

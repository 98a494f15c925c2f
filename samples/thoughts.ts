import type { TwoHopQuestion } from './questions.ts'
import type { Random } from './random.ts'

/** What the model of the samples writes between its think tags, in its own varying words. */

export function openingThought({ subject, first, second }: TwoHopQuestion, random: Random): string {
  return [
    random.pick([
      `The question asks for the ${second} behind the ${first} of ${subject.name}.`,
      `Two facts are needed: the ${first} of ${subject.name}, and then the ${second}.`,
      `This takes two steps, because ${subject.name} only leads to the ${first}.`,
      `I know nothing certain about ${subject.name}, so I have to look it up.`,
      `Let me take this apart. The ${second} depends on the ${first} of ${subject.name}.`,
    ]),
    random.pick([
      `First I look for the ${first}.`,
      `I start with ${subject.name}.`,
      `The ${first} comes first, then the rest.`,
      `A search for ${subject.name} should give the ${first}.`,
      `So the first search is about ${subject.name}.`,
    ]),
  ].join(' ')
}

export function bridgeThought({ subject, first, bridge, second }: TwoHopQuestion, at: number, random: Random): string {
  return [
    random.pick([
      `Document [${at}] gives ${bridge.name} as the ${first} of ${subject.name}.`,
      `According to [${at}], the ${first} is ${bridge.name}.`,
      `So the ${first} of ${subject.name} is ${bridge.name}, as passage [${at}] says.`,
      `Passage [${at}] settles the first step: ${bridge.name}.`,
    ]),
    random.pick([
      `Now I need the ${second} of ${bridge.name}.`,
      `What is missing is the ${second}.`,
      `The next search has to be about ${bridge.name}.`,
      `Next comes the ${second} of ${bridge.name}.`,
    ]),
  ].join(' ')
}

export function missThought(wanted: string, random: Random): string {
  return [
    random.pick([
      `None of these passages tells me about ${wanted}.`,
      `That search did not bring up ${wanted}.`,
      `These results are about other things than ${wanted}.`,
    ]),
    random.pick([
      'I should ask more precisely.',
      'Another wording may help.',
      'I try once more with fewer words.',
      'One more search is worth it.',
    ]),
  ].join(' ')
}

export interface FinalThought {
  readonly answer: string
  readonly right: boolean
  readonly subjectAt: number | null
  readonly bridgeAt: number | null
}

export function closingThought(question: TwoHopQuestion, final: FinalThought, random: Random): string {
  const { subject, first, bridge, second } = question
  const sentences: string[] = []
  if (final.subjectAt !== null) {
    sentences.push(
      random.pick([
        `Document [${final.subjectAt}] names ${bridge.name} as the ${first} of ${subject.name}.`,
        `From [${final.subjectAt}] I have the ${first}: ${bridge.name}.`,
        `The ${first} of ${subject.name} is ${bridge.name} [${final.subjectAt}].`,
      ]),
    )
  }
  if (final.right && final.bridgeAt !== null) {
    sentences.push(
      random.pick([
        `Document [${final.bridgeAt}] says about ${bridge.name} that the ${second} is ${final.answer}.`,
        `For ${bridge.name}, passage [${final.bridgeAt}] gives ${final.answer}.`,
        `The ${second} of ${bridge.name} is ${final.answer}, as [${final.bridgeAt}] states.`,
      ]),
    )
  } else {
    sentences.push(
      random.pick([
        `As for the ${second}, the passages point to ${final.answer}.`,
        `The ${second} seems to be ${final.answer}.`,
        `I take ${final.answer} for the ${second}, although it is not spelled out.`,
      ]),
    )
  }
  sentences.push(
    random.pick([
      'That answers the question.',
      'Both steps are covered now.',
      'I am fairly confident in this.',
      'No further search is needed.',
      `So the answer is ${final.answer}.`,
    ]),
  )
  return sentences.join(' ')
}

/** The detours of a reasoning model. */
export function deliberation({ subject, second }: TwoHopQuestion, random: Random): string {
  const detours = [
    `Wait, could ${subject.name} be the name of something else as well? The passages will tell.`,
    `I should not guess the ${second}, it has to stand in a document.`,
    'Let me make sure that I do not mix up two passages with similar names.',
    'Hmm, the wording of the question matters here, so I read it once more.',
    'There is a limit on searches, so each one should be about one thing only.',
    `If ${subject.name} turns up more than once, the entry under its own name counts.`,
    'Alternatively I could search for both at once, but then the results get crowded.',
    'Okay, that seems consistent so far.',
  ]
  return random.shuffle(detours).slice(0, random.integer(2, 4)).join(' ')
}

/** What a model that does not come to an end writes inside its answer: the passages again, one after another. */
export function ramble(question: TwoHopQuestion, answer: string, random: Random): string {
  const passages = random
    .shuffle(question.documents)
    .slice(0, 6)
    .map(
      ({ number, entity }) =>
        `${random.pick(['It should be added', 'One may object', 'For completeness', 'It is also worth noting'])} that document [${number}] says: ${entity.text}`,
    )
  return [
    `The ${question.second} is ${answer}, and this can be derived from the passages in the following way.`,
    ...passages,
  ].join(' ')
}

/** Search words for one of the two steps. */
export function searchWords(name: string, relation: string, random: Random): string {
  return random.pick([
    `${name} ${relation}`,
    `${relation} of ${name}`,
    name,
    `${name}, ${relation}`,
    `who or what is the ${relation} of ${name}`,
  ])
}

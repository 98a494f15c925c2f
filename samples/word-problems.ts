import type { SampleConversation } from './conversation.ts'
import { PEOPLE } from './names.ts'
import { Random } from './random.ts'
import { round } from './rewards.ts'
import { GROUP_SIZE } from './two-hop.ts'

/** A word problem for the first grades, with the calculation that solves it. */
interface WordProblem {
  readonly text: string
  /** Each step: what is calculated, in words, and the calculation; the last result is the answer. */
  readonly steps: readonly {
    readonly what: string
    readonly left: number
    readonly sign: '+' | '-' | '*'
    readonly right: number
  }[]
}

const SYSTEM =
  'Solve the problem. Reason step by step inside <think> tags, then give only the final number inside <answer> tags.'

function problems(random: Random): WordProblem[] {
  const someone = () => random.pick(PEOPLE).name.split(' ')[0] as string
  const n = (low: number, high: number) => random.integer(low, high)
  const shelves = { name: someone(), rows: n(4, 9), books: n(12, 28), lent: n(11, 37) }
  const bakery = { name: someone(), trays: n(6, 14), rolls: n(12, 24), extra: n(9, 40) }
  const walk = { name: someone(), days: n(5, 12), far: n(3, 9), last: n(11, 26) }
  const coins = { name: someone(), start: n(120, 260), price: n(7, 15), count: n(4, 9) }
  const bus = { start: n(28, 44), off: n(9, 17), on: n(5, 21) }
  const tiles = { name: someone(), wide: n(11, 24), long: n(9, 18), broken: n(6, 29) }
  const eggs = { name: someone(), hens: n(14, 32), week: n(4, 6), sold: n(31, 52) }
  const pages = { name: someone(), daily: n(18, 35), days: n(6, 11), rest: n(24, 71) }
  return [
    {
      text: `${shelves.name} has ${shelves.rows} shelves with ${shelves.books} books on each. ${shelves.lent} of the books are lent to friends. How many books are left on the shelves?`,
      steps: step('number of all books', shelves.rows, '*', shelves.books, ['number of books left', '-', shelves.lent]),
    },
    {
      text: `A bakery run by ${bakery.name} fills ${bakery.trays} trays with ${bakery.rolls} rolls each, and ${bakery.extra} more rolls lie on the counter. How many rolls are there?`,
      steps: step('number of rolls on the trays', bakery.trays, '*', bakery.rolls, [
        'number of rolls altogether',
        '+',
        bakery.extra,
      ]),
    },
    {
      text: `${walk.name} walks ${walk.far} kilometres a day for ${walk.days} days and ${walk.last} kilometres on the day after. How many kilometres is that in total?`,
      steps: step('distance of the first days', walk.days, '*', walk.far, ['whole distance', '+', walk.last]),
    },
    {
      text: `${coins.name} has ${coins.start} coins and buys ${coins.count} lamps for ${coins.price} coins each. How many coins remain?`,
      steps: [
        { what: 'price of the lamps', left: coins.count, sign: '*', right: coins.price },
        { what: 'number of coins that remain', left: coins.start, sign: '-', right: coins.count * coins.price },
      ],
    },
    {
      text: `A bus leaves with ${bus.start} passengers. At the first stop ${bus.off} get off and ${bus.on} get on. How many passengers are on the bus now?`,
      steps: step('number of passengers who stay', bus.start, '-', bus.off, ['number of passengers now', '+', bus.on]),
    },
    {
      text: `${tiles.name} lays a floor of ${tiles.wide} by ${tiles.long} tiles and breaks ${tiles.broken} tiles while doing it. How many tiles did the work use up?`,
      steps: step('number of tiles in the floor', tiles.wide, '*', tiles.long, [
        'number of tiles used up',
        '+',
        tiles.broken,
      ]),
    },
    {
      text: `Each of the ${eggs.hens} hens of ${eggs.name} lays ${eggs.week} eggs a week. ${eggs.sold} eggs are sold at the market. How many eggs of one week are not sold?`,
      steps: step('number of eggs in a week', eggs.hens, '*', eggs.week, ['number of eggs not sold', '-', eggs.sold]),
    },
    {
      text: `${pages.name} reads ${pages.daily} pages a day for ${pages.days} days and then has ${pages.rest} pages left. How many pages has the book?`,
      steps: step('number of pages read so far', pages.daily, '*', pages.days, ['length of the book', '+', pages.rest]),
    },
  ]
}

/** Two steps, the second of which goes on from the result of the first. */
function step(
  what: string,
  left: number,
  sign: '+' | '-' | '*',
  right: number,
  [then, next, by]: readonly [string, '+' | '-', number],
): WordProblem['steps'] {
  return [
    { what, left, sign, right },
    { what: then, left: calculate(left, sign, right), sign: next, right: by },
  ]
}

function calculate(left: number, sign: '+' | '-' | '*', right: number): number {
  if (sign === '*') return left * right
  return sign === '+' ? left + right : left - right
}

/** Rollouts of a single turn, group after group. */
export function wordProblemConversations(seed: string): SampleConversation[] {
  return problems(new Random(`problems ${seed}`)).flatMap((problem, index) => {
    const group = `g${String(index + 1).padStart(2, '0')}`
    const plan = new Random(`${seed} ${group} plan`)
    const members = Array.from({ length: GROUP_SIZE }, (_, i) => i)
    const right = plan.shuffle(members).slice(0, plan.integer(3, 6))
    return members.map((member) => solve(problem, group, member, right.includes(member), seed))
  })
}

function solve(problem: WordProblem, group: string, member: number, right: boolean, seed: string): SampleConversation {
  const id = `${group}-${member}`
  const random = new Random(`${seed} ${id}`)
  const slipAt = right ? -1 : random.integer(0, problem.steps.length - 1)
  let carried: { readonly true: number; readonly written: number } | null = null
  let truth = 0
  let written = 0
  const sentences = [
    random.pick([
      'Let me go through this slowly.',
      'I take the steps one after another.',
      'First I write down what is given.',
      'This needs two calculations.',
      'Start with the first quantity.',
      'What is asked for depends on an intermediate result.',
    ]),
  ]
  problem.steps.forEach(({ what, left, sign, right: by }, index) => {
    truth = calculate(left, sign, by)
    // A slip is carried on: later steps go on from what was written, wherever the true result stood.
    const from = carried && left === carried.true ? carried.written : left
    const operand = carried && by === carried.true ? carried.written : by
    written = calculate(from, sign, operand) + (index === slipAt ? random.pick([-10, -1, 1, 2, 10]) : 0)
    carried = { true: truth, written }
    const sum = `${from} ${sign} ${operand} = ${written}`
    sentences.push(
      random.pick([
        `The ${what}: ${sum}.`,
        `For the ${what} I get ${sum}.`,
        `Then ${sum}, which is the ${what}.`,
        `So the ${what} is ${sum}.`,
        `${sum} gives the ${what}.`,
      ]),
    )
  })
  sentences.push(
    random.pick([
      `The result is ${written}.`,
      'That is what was asked.',
      `So the answer should be ${written}.`,
      'Nothing else has to be taken into account.',
      'A quick check gives the same number.',
    ]),
  )
  // Some answers are given with words around the number, which the format reward counts as half.
  const plain = random.chance(0.75)
  const text = plain ? `<answer>${written}</answer>` : `<answer>The answer is ${written}.</answer>`
  const rewards = { correct_answer: written === truth ? 1 : 0, format: plain ? 1 : 0.5 }
  return {
    id,
    group,
    system: SYSTEM,
    user: problem.text,
    turns: [{ thought: sentences.join(' '), call: null, text, reply: '' }],
    documents: [],
    answer: String(truth),
    reward: round(0.8 * rewards.correct_answer + 0.2 * rewards.format, 6),
    rewards,
    endless: false,
  }
}

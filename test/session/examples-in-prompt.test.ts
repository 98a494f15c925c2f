import { describe, expect, it } from 'vitest'
import { Random } from '../../samples/random.ts'
import { assistant, conversation, system, user } from '../helpers/conversation.ts'
import { audited, qwen } from './dumps.ts'
import { filesOf, merge, reportOf } from './merge-shards.ts'

const [IM_START, ASSISTANT] = [151644, 77091]
const QUESTIONS = ['the Arn', 'the Teal', 'the Lode', 'the Wick']

/**
 * Rows of TRL's asynchronous trainer: whole ids, and a completion mask of their length that begins with the last turn. Groups of four, a
 * question for each.
 */
async function records(
  example: (group: number, member: number) => string,
  {
    questions = QUESTIONS,
    first = 'Where does the Isk rise?',
    next = asked,
    members = 4,
    numbered = byGroup,
    mixed = false,
    shuffled = false,
    steps = 1,
  }: Shape = {},
) {
  const tokenizer = await qwen()
  const rows = questions.map((river, group) =>
    Array.from({ length: members }, (_, member) => {
      const { record } = conversation(tokenizer, [
        system('Answer in one sentence.'),
        user(typeof first === 'string' ? first : first(group)),
        assistant(example(group, member), { train: false }),
        user(next(river, member)),
        assistant(`I have heard ${member} times that ${river} rises in the hills behind town ${group}.`),
      ])
      return JSON.stringify({
        input_ids: record.input_ids,
        completion_mask: record.loss_mask,
        reward: member % 2,
        advantage: member % 2 === 0 ? -1 : 1,
        group_id: numbered(group, member),
        step: Math.floor((group * steps) / questions.length),
      })
    }),
  )
  if (shuffled) return new Random('rows').shuffle(rows.flat())
  return mixed
    ? Array.from({ length: members }, (_, member) => rows.map((row) => row[member] as string)).flat()
    : rows.flat()
}

interface Shape {
  readonly questions?: readonly string[]
  readonly first?: string | ((group: number) => string)
  readonly next?: (river: string, member: number) => string
  readonly members?: number
  readonly numbered?: (group: number, member: number) => number | string | undefined
  /** The first rows of all groups, then the second ones. */
  readonly mixed?: boolean
  readonly shuffled?: boolean
  /** Over which the groups are spread. */
  readonly steps?: number
}

const byGroup = (group: number) => group

const rats = (river: string, member: number) => `You see ${member} rats in ${river}.`

const asked = (river: string) => `Where does ${river} rise?`

async function report(example: (group: number, member: number) => string, shape: Shape = {}) {
  return (await audited((await records(example, shape)).map((row) => `${row}\n`).join(''))).report()
}

const failingIn = ({ checks }: Awaited<ReturnType<typeof report>>) =>
  checks.filter(({ status }) => status === 'fail').map(({ code }) => code)
const h02 = ({ hypotheses }: Awaited<ReturnType<typeof report>>) => hypotheses.find(({ id }) => id === 'H02')

describe('assistant turns before the first that is trained, in rows without a length of their prompt', () => {
  it.each([
    ['the same before every question', () => 'It rises in the north.', QUESTIONS],
    ['the same before the one question of all', () => 'It rises in the north.', QUESTIONS.slice(0, 1)],
    ['the same in a group and others in the next', (group: number) => `It rises in county ${group}.`, QUESTIONS],
  ])('are examples of the prompt where they are %s', async (_, example, questions) => {
    const found = await report(example, { questions })
    expect(failingIn(found)).toEqual([])
    expect(h02(found)?.verdict).toBe('inconclusive')
    expect(h02(found)?.missing.join()).toContain('the length of the prompts')
    expect(found.policy).toMatchObject({ examples_in_prompt: true, suggested: null })
    expect(found.policy.evidence.join()).toContain('examples in the prompt')
  })

  it.each<[string, Shape]>([
    ['a document of its own prompt', {}],
    ['that, in rows without a group', { numbered: () => undefined }],
  ])('are as likely the prompt’s, whose user sent them behind %s', async (_, shape) => {
    const found = await report(() => 'Understood.', { first: (group) => `Read this: ${QUESTIONS[group]}.`, ...shape })
    expect(failingIn(found)).not.toContain('M03')
    expect(h02(found)?.verdict).toBe('inconclusive')
    expect(h02(found)?.missing.join()).toContain('the length of the prompts')
  })

  it.each<[string, Shape]>([
    ['is used again for other prompts', { members: 1, numbered: (group) => group % 4 }],
    ['names the task of all of them', { members: 1, numbered: () => 'rivers' }],
    ['names it, and comes back at the next steps', { members: 1, numbered: () => 'rivers', steps: 4 }],
  ])('are examples of the prompt where a group number %s', async (_, shape) => {
    const questions = Array.from({ length: 16 }, (_, i) => `${QUESTIONS[i % 4]} of county ${i}`)
    const found = await report(() => 'It rises in the north.', { questions, ...shape })
    expect(failingIn(found)).not.toContain('M03')
    expect(h02(found)?.verdict).toBe('inconclusive')
    expect(found.policy.examples_in_prompt).toBe(true)
  })

  const counties = (count: number) => Array.from({ length: count }, (_, i) => `${QUESTIONS[i % 4]} of county ${i}`)
  const byTask = (at: number) => (at < 19 ? 'rivers' : 'hills')
  const inTurns = (at: number) => (at % 5 < 2 ? 'rivers' : 'hills')
  const ofTask = (task: string) => `Where do the ${task} of the north lie?`

  it.each<[string, Shape]>([
    ['two tasks ask each question once', { numbered: byTask }],
    ['two tasks, in turns, ask each question once', { numbered: inTurns }],
    ['they do, with examples of their own', { numbered: byTask, first: (at) => ofTask(byTask(at)) }],
    ['these are in turns', { numbered: inTurns, first: (at) => ofTask(inTurns(at)) }],
  ])('are examples of the prompt where %s', async (_, shape) => {
    const found = await report(() => 'It rises in the north.', { questions: counties(48), members: 1, ...shape })
    expect(failingIn(found)).not.toContain('M03')
    expect(h02(found)?.verdict).toBe('inconclusive')
  })

  it.each<[string, Shape]>([
    ['rows were shuffled whose numbers come back', { shuffled: true }],
    [
      'one of several groups of a number asks otherwise',
      { next: (river, member) => asked(/ [49]$/.test(river) ? `${river}${member}` : river) },
    ],
  ])('are examples of the prompt where %s', async (_, shape) => {
    const questions = counties(16)
    const found = await report(() => 'It rises in the north.', { questions, numbered: (group) => group % 4, ...shape })
    expect(failingIn(found)).not.toContain('M03')
    expect(h02(found)?.verdict).toBe('inconclusive')
  })

  it('are turns that the mask leaves out in groups of which some lost members', async () => {
    const sizes = [7, 8, 8, 6]
    const groups = sizes.flatMap((size, group) => Array.from({ length: size }, () => group))
    const found = await report(() => 'crane', {
      questions: groups.map((group, at) => `${at} of group ${group}`),
      members: 1,
      numbered: (at) => groups[at],
    })
    expect(failingIn(found)).toContain('M03')
  })

  it('are turns that the mask leaves out where each rollout has its own', async () => {
    const found = await report((group, member) => `I went there ${member} times, and it rises in county ${group}.`)
    expect(failingIn(found)).toEqual(['M03'])
    expect(h02(found)?.verdict).toBe('supported')
    expect(found.policy.examples_in_prompt).toBeUndefined()
  })
  it.each<[string, Shape]>([
    ['the rows of one group go on otherwise: it was answered', { next: (_, member) => `${member} letters are right.` }],
    [
      'each room has its own question and chance in its replies',
      { first: (group) => `Find the key of room ${group}.`, next: rats },
    ],
    [
      'they are, whose groups take turns',
      { first: (group) => `Find the key of room ${group}.`, next: rats, mixed: true },
    ],
    ['others were asked first: no two prompts are alike', { members: 2, first: (group) => `Guess word ${group}.` }],
  ])('are turns that the mask leaves out where all are the same and %s', async (_, shape) => {
    const found = await report(() => 'crane', shape)
    expect(failingIn(found)).toEqual(['M03'])
    expect(h02(found)?.verdict).toBe('supported')
    expect(found.policy).toMatchObject({ suggested: 'last-turn' })
    expect(found.policy.examples_in_prompt).toBeUndefined()
  })
})

describe('the first assistant turn of rows that say how long their prompt is', () => {
  /** Native rows of two turns that train the last alone; `promptEnds` says behind which turn the prompt of a row ends. */
  async function policyWhere(promptEnds: 'at the last turn' | 'at the first turn') {
    const tokenizer = await qwen()
    const rows = QUESTIONS.flatMap((river, group) =>
      Array.from({ length: 4 }, (_, member) => {
        const { record } = conversation(tokenizer, [
          system('Answer in one sentence.'),
          user(`Where does stream ${group} rise?`),
          assistant(`I went there ${member} times, and it rises in county ${group}.`, { train: false }),
          user(asked(river)),
          assistant(`I have heard ${member} times that ${river} rises in the hills behind town ${group}.`),
        ])
        const { input_ids: ids, loss_mask: mask } = record as { input_ids: number[]; loss_mask: number[] }
        const starts = ids.flatMap((id, at) => (id === IM_START && ids[at + 1] === ASSISTANT ? at : []))
        const prompt_length = (starts[promptEnds === 'at the last turn' ? 1 : 0] as number) + 3
        return { input_ids: ids, loss_mask: mask, prompt_length, group_id: group, reward: member % 2 }
      }),
    )
    const found = await (await audited(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))).report()
    const turns = found.hypotheses.find(({ id }) => id === 'H07')
    return [failingIn(found).includes('M03'), found.policy.suggested, turns?.verdict]
  }

  it('is an example where it lies in the prompt: no policy is suggested, and there is no second turn', async () => {
    expect(await policyWhere('at the last turn')).toEqual([false, null, 'not-checkable'])
  })

  it('is one that the mask leaves out where it does not', async () => {
    expect(await policyWhere('at the first turn')).toEqual([true, 'last-turn', 'contradicted'])
  })
})

describe('parts of a dump with examples in its prompts', () => {
  const reports = async (rows: readonly string[], lines: number) =>
    Promise.all(filesOf('part', rows.join('\n'), lines).map((file) => reportOf([file])))

  it('are judged as all together are where each shows them', async () => {
    const rows = await records(() => 'It rises in the north.')
    const whole = (await audited(filesOf('part', rows.join('\n'), 4))).report()
    const { report: merged } = merge(await reports(rows, 4))
    expect(merged.policy).toEqual(whole.policy)
    expect(failingIn(merged)).toEqual([])
    expect(h02(merged)).toEqual(h02(whole))
  })

  it('are refused where none shows them alone and all together do', async () => {
    const rows = await records(() => 'It rises in the north.', { members: 2 })
    const whole = (await audited(filesOf('part', rows.join('\n'), 2))).report()
    expect(whole.policy.examples_in_prompt).toBe(true)
    const parts = await reports(rows, 2)
    expect(() => merge(parts)).toThrow(
      'part-0.json was read with every untrained assistant turn as one that the mask leaves out; all reports together speak for untrained assistant turns at the start of rollouts as examples in the prompt. Inspect the files of all of them at once.',
    )
  })

  it('are judged as all together are where each holds a step of the same task', async () => {
    const questions = Array.from({ length: 16 }, (_, i) => `${QUESTIONS[i % 4]} of county ${i}`)
    const shape: Shape = { questions, members: 1, numbered: () => 'rivers', steps: 4 }
    const rows = await records(() => 'It rises in the north.', shape)
    const whole = (await audited(filesOf('step', rows.join('\n'), 4))).report()
    const { report: merged } = merge(await reports(rows, 4))
    expect(merged.policy).toEqual(whole.policy)
    expect(whole.policy.examples_in_prompt).toBe(true)
    expect(failingIn(merged)).not.toContain('M03')
  })

  it('are refused where one shows them and all together do not', async () => {
    const alike = await records(() => 'It rises in the north.', { questions: QUESTIONS.slice(0, 1) })
    const own = await records((group, member) => `I went there ${member} times, and it rises in county ${group}.`)
    const parts = [...(await reports(alike, 4)), ...(await reports(own, 16))]
    expect(() => merge(parts)).toThrow(
      'part-0.json was read with untrained assistant turns at the start of rollouts as',
    )
  })
})

import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { evenShares, groupFindings } from '../../shared/exports/finding-groups.ts'
import { collectProofs, type Proofs } from '../../shared/exports/proofs.ts'
import { htmlReport } from '../../shared/exports/report-html.ts'
import type { Finding, Report } from '../../shared/model/report.ts'
import { TokenState } from '../../shared/model/tokens.ts'
import type { Session } from '../../shared/session/session.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, conversation, user } from '../helpers/conversation.ts'
import { audited, cleanRollout, lines, qwen, rolloutWithTrainedReply } from '../session/dumps.ts'
import { check, finding, HOSTILE, report as plainReport } from './report-fixture.ts'

const judgement = { failOn: 'error', known: new Set<string>() } as const

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

async function page(session: Session): Promise<{ html: string; proofs: Proofs; report: Report }> {
  const report = session.report()
  const proofs = await collectProofs(session, report.findings)
  return { html: htmlReport.write(report, judgement, proofs), proofs, report }
}

/** Words as they stand on the page: tokens apart, their text together. */
const plain = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')

describe('the tokens of a finding', () => {
  it('stand around what it points at, each with its id, its state and the turn it is in', async () => {
    const faulty = rolloutWithTrainedReply(tokenizer, 3)
    const session = await audited(lines([cleanRollout(tokenizer, 1), faulty]))
    const { html, proofs, report } = await page(session)
    const m01 = report.findings.find(({ code }) => code === 'M01') as Finding
    const [start, end] = m01.tokens as [number, number]
    const stretches = proofs.get(m01)?.window?.stretches ?? []
    for (const stretch of stretches) {
      expect(Array.from(stretch.ids)).toEqual(
        faulty.record.input_ids.slice(stretch.start, stretch.start + stretch.ids.length),
      )
    }
    const marked = stretches.flatMap(({ marked, start }) =>
      Array.from(marked).flatMap((m, i) => (m ? [start + i] : [])),
    )
    expect(marked[0]).toBe(start)
    expect(marked.at(-1)).toBe(end - 1)
    const first = stretches[0]
    expect(first?.start).toBeLessThan(start)
    expect(first?.states[start - (first?.start ?? 0)]).toBe(TokenState.trained)
    expect(first?.contrary[start - (first?.start ?? 0)]).toBe(1)

    const [, card = ''] = /(<section class="card error" aria-label="M01[\s\S]*?<\/section>)/.exec(html) ?? []
    expect(card).toContain(`<mark><span class="t x"><i title=${faulty.record.input_ids[start]}>`)
    expect(card).toContain('<i class=s title=151645>&lt;|im_end|&gt;</i>')
    expect(card).toContain('turn 3 · tool (user)')
    expect(plain(card)).toContain(': the river Arn rises in the hills of Teal')
    expect(card).toContain('line 2')
  })

  it('are those of the turn where a finding has only a turn, and the turns where it has neither', async () => {
    const session = await audited(lines([rolloutWithTrainedReply(tokenizer, 3)]))
    const [m01] = session.report().findings.filter(({ code }) => code === 'M01')
    const turn = { ...(m01 as Finding), tokens: null }
    const whole = { ...(m01 as Finding), tokens: null, turn: null }
    const proofs = await collectProofs(session, [turn, whole])
    const { segmentation } = await session.detail(0)
    const at = segmentation?.turns[m01?.turn ?? -1]
    const marked = proofs
      .get(turn)
      ?.window?.stretches.flatMap(({ marked, start }) => Array.from(marked).flatMap((m, i) => (m ? [start + i] : [])))
    expect([marked?.[0], (marked?.at(-1) ?? 0) + 1]).toEqual([at?.start, at?.end])
    expect(proofs.get(whole)?.outline).toHaveLength(5)
    expect(proofs.get(whole)?.outline?.[3]).toMatchObject({ kind: 'tool', index: 3 })
  })

  it('are the members of a group, with their rewards', async () => {
    const rollouts = [0, 1].map((i) => cleanRollout(tokenizer, i, { group: 'a', groupSize: 2, reward: 0.5 }))
    const { html } = await page(await audited(lines(rollouts)))
    const [, card = ''] = /(<section class="card[^>]*aria-label="A01[\s\S]*?<\/section>)/.exec(html) ?? []
    expect(plain(card)).toMatch(/rollout-00\.5/)
  })

  it('show a long span by its ends, and say how much lies between', async () => {
    const rollout = conversation(tokenizer, [user('Go.'), assistant('one two three four '.repeat(100))], { id: 'long' })
    const session = await audited(lines([rollout]))
    const length = rollout.record.input_ids.length
    const long = finding('M01', { source: 0, record: 0, part: 0, tokens: [5, length], turn: 1 })
    const proofs = await collectProofs(session, [long])
    const window = proofs.get(long)?.window
    expect(window?.stretches).toHaveLength(2)
    const shown = window?.stretches.reduce((sum, { ids }) => sum + ids.length, 0) ?? 0
    expect(shown).toBeLessThan(100)
    expect(htmlReport.write(plainReport({ findings: [long] }), judgement, proofs)).toContain(
      `… ${length - shown} tokens between …`,
    )
  })

  it('are missed by one finding alone where its rollout cannot be read again', async () => {
    const session = await audited(lines([rolloutWithTrainedReply(tokenizer, 3), rolloutWithTrainedReply(tokenizer, 4)]))
    const { findings } = session.report()
    const broken = {
      facts: session.facts,
      locate: (place: Parameters<Session['locate']>[0]) => session.locate(place),
      async load(index: number) {
        if (index === 0) throw new Error('rollouts.jsonl changed while it was open.')
        return session.load(index)
      },
    }
    const proofs = await collectProofs(broken, findings)
    expect(findings.map((each) => [proofs.get(each)?.note, proofs.get(each)?.window !== null])).toEqual([
      ['rollouts.jsonl changed while it was open.', false],
      [null, true],
    ])
    expect(htmlReport.write(session.report(), judgement, proofs)).toContain('changed while it was open')
  })

  it('are told to be absent in a report that was made without rollouts', () => {
    const html = htmlReport.write(plainReport(), judgement)
    expect(html).toContain('the findings have no tokens here')
    expect(html).not.toContain('<i title=')
  })

  it('that are the same for several findings stand once', async () => {
    const session = await audited(lines([rolloutWithTrainedReply(tokenizer, 3)]))
    const [m01] = session.report().findings.filter(({ code }) => code === 'M01') as [Finding]
    const same = { ...m01, fingerprint: 'another' }
    const proofs = await collectProofs(session, [m01, same])
    const html = htmlReport.write({ ...session.report(), findings: [m01, same] }, judgement, proofs)
    expect(html.match(/<div id=w\d+>/g)).toHaveLength(1)
    expect(html.indexOf('<a href="#w0">The same tokens as above</a>')).toBeGreaterThan(html.indexOf('<div id=w0>'))
  })
})

describe('a page of a thousand findings', () => {
  /** Rollouts of 3,000 tokens whose text is as hostile as can be; a hundred findings for each, over nearly all of it. */
  async function large(): Promise<{ report: Report; session: Session }> {
    const hostile = `${HOSTILE}</i></mark><img src=x onerror=alert(1)> \u2066&&&&<<<<"""" `
    const rollouts = Array.from({ length: 10 }, (_, i) =>
      conversation(tokenizer, [user(`${i} ${hostile.repeat(30)}`), assistant(hostile.repeat(30))], {
        id: `${HOSTILE}${i}`,
      }),
    )
    const session = await audited(lines(rollouts))
    const codes = session.report().checks.map(({ code }) => code)
    const findings = Array.from({ length: 1000 }, (_, i) => {
      const record = i % 10
      const length = rollouts[record]?.record.input_ids.length ?? 0
      const start = Math.floor(i / 10) * 3
      return finding(codes[i % codes.length] as string, {
        record,
        turn: 1,
        tokens: [start, length - start],
        trajectory: HOSTILE.repeat(20),
        message: HOSTILE.repeat(50),
        fingerprint: `f${i}`,
      })
    })
    const checks = codes.map((code) => check(code, { status: 'fail', affected: 1, rate: 0.1 }))
    return { report: { ...session.report(), checks, findings }, session }
  }

  it('with long spans in hostile text stays under 5 MB, and shows tokens of every code', async () => {
    const { report, session } = await large()
    const html = htmlReport.write(report, judgement, await collectProofs(session, report.findings))
    expect(new TextEncoder().encode(html).length).toBeLessThan(5_000_000)
    expect(html.match(/<article class=finding>/g)).toHaveLength(1000)
    for (const { code } of report.checks) {
      const [, card = ''] =
        new RegExp(`<section class="card [^>]*aria-label="${code}([\\s\\S]*?)</section>`).exec(html) ?? []
      expect([code, /<i title=|href="#w\d+"/.test(card)]).toEqual([code, true])
    }
    // Markup of ours alone: an attribute or an element of the dump's would not be quoted.
    expect(html).not.toMatch(/<script|<img|\sonerror=(?!alert\(1\)&gt;)|\u202e|\u2066/)
  })

  it('has them under the defect that explains them, and the others after those', () => {
    const [defect] = plainReport().defects
    const explained = finding('T05', { defect: defect?.id ?? '', fingerprint: 'a' })
    const alone = finding('T05', { record: 40, fingerprint: 'b' })
    const stranger = finding('M01', { defect: 'V99', fingerprint: 'c' })
    const groups = groupFindings(plainReport({ findings: [explained, alone, stranger] }), 1000)
    const told = groups.map(({ defect, codes }) => [
      defect?.id ?? null,
      codes.map(({ check, findings }) => [check.code, findings.length]),
    ])
    expect(told).toEqual([
      [defect?.id, [['T05', 1]]],
      [
        null,
        [
          ['M01', 1],
          ['T05', 1],
        ],
      ],
    ])
  })

  it('parts what the policy intends from findings of the same code that it does not, and lists it last', () => {
    const meant = { ...finding('M01', { fingerprint: 'meant' }), intended: true }
    const found = [meant, finding('M01', { record: 40, fingerprint: 'found' }), finding('T05', { fingerprint: 't' })]
    const [group] = groupFindings(plainReport({ findings: found }), 1000)
    const told = group?.codes.map(({ check, intended, findings }) => [check.code, intended, findings.length])
    expect(told).toEqual([
      ['M01', false, 1],
      ['T05', false, 1],
      ['M01', true, 1],
    ])
  })

  it('keeps a place for a code that stands in few of them', () => {
    const many = Array.from({ length: 5000 }, (_, i) => finding('M01', { record: i, fingerprint: `m${i}` }))
    const few = [finding('T05', { record: 6000, fingerprint: 't' })]
    const report = plainReport({
      checks: [check('M01', { status: 'fail' }), check('T05', { status: 'fail' })],
      findings: [...many, ...few],
    })
    const groups = groupFindings(report, 1000).flatMap(({ codes }) => codes)
    const told = groups.map(({ check, findings, more }) => [check.code, findings.length, more])
    expect(told).toContainEqual(['T05', 1, 0])
    expect(told).toContainEqual(['M01', 999, 4001])
  })
})

describe('what the policy intends', () => {
  const meant = { ...finding('M03', { fingerprint: 'meant' }), intended: true }
  const plainPolicy = plainReport().policy
  const policy = { ...plainPolicy, id: 'last-turn' as const, intended: ['M03'] }
  const cards = (html: string) =>
    Array.from(html.matchAll(/<section class="card [\s\S]*?<\/section>/g), ([card]) => card)

  it('is no error: it has the sign and the word of what is intended, and the rollouts that have it', () => {
    const checks = [check('M03', { intended: 64 })]
    const [card = '', ...others] = cards(
      htmlReport.write(plainReport({ policy, checks, findings: [meant] }), judgement),
    )
    expect(others).toEqual([])
    expect(card).toContain('<section class="card intended" aria-label="M03 Title of M03 (intended)"')
    expect(card).toContain('<span class=level>○ intended</span> <span class=soft>64 rollouts, by the policy last-turn')
    expect(card).not.toMatch(/error|✖|0 of 256/)
  })

  it('stands apart from a fault of the same code, which stays one', () => {
    const checks = [check('M03', { status: 'fail', affected: 3, rate: 3 / 256 })]
    const found = [finding('M03', { record: 40, fingerprint: 'found' }), meant]
    const [fault = '', excused = ''] = cards(
      htmlReport.write(plainReport({ policy, checks, findings: found }), judgement),
    )
    expect(fault).toMatch(/^<section class="card error"[\s\S]*✖ error[\s\S]*3 of 256/)
    expect(excused).toMatch(/^<section class="card intended"[\s\S]*○ intended<\/span> <span class=soft>by the policy/)
  })
})

describe('the page', () => {
  const linked = (html: string) => Array.from(html.matchAll(/href="#([^"]*)"/g), ([, id = '']) => id)
  const places = (html: string) => Array.from(html.matchAll(/ id="?([\w-]+)/g), ([, id = '']) => id)

  it('leads from each code and each defect to its findings, and from its contents to each section', async () => {
    const faulty = Array.from({ length: 4 }, (_, i) => rolloutWithTrainedReply(tokenizer, i))
    const { html } = await page(await audited(lines(faulty)))
    const ids = places(html)
    expect(new Set(ids).size).toBe(ids.length)
    expect(linked(html).filter((id) => !ids.includes(id))).toEqual([])
    expect(html).toContain('<b><a href="#f-M01">M01</a></b>')
    const [, contents = ''] = /<nav aria-label=Contents>(.*?)<\/nav>/.exec(html) ?? []
    expect(linked(contents)).toEqual(Array.from(html.matchAll(/<h2 id=(\w+)/g), ([, id]) => id))
  })

  it('leads to a defect and to its codes once, wherever they are named, and nowhere without findings', () => {
    const [defect] = plainReport().defects
    const both = [
      finding('T05', { defect: defect?.id ?? '', fingerprint: 'a' }),
      finding('T05', { record: 40, fingerprint: 'b' }),
    ]
    const html = htmlReport.write(plainReport({ findings: both }), judgement)
    expect(places(html).filter((id) => id === 'f-T05' || id === `f-${defect?.id}`)).toEqual([
      `f-${defect?.id}`,
      'f-T05',
    ])
    expect(linked(html)).toContain(`f-${defect?.id}`)
    expect(
      linked(htmlReport.write(plainReport({ findings: [] }), judgement)).filter((id) => id.startsWith('f-')),
    ).toEqual([])
  })

  it('says above all that records were skipped, and where that is told', () => {
    const [source] = plainReport().sources
    const skipped = [{ record: 3, line: 4, message: 'no number', byte: 9, code: 'invalid-record' }]
    const told = (sources: Report['sources']) => htmlReport.write(plainReport({ sources }), judgement)
    expect(told([{ ...source!, skipped }])).toContain(
      '<p>▲ 1 record skipped: <a href="#read">what was read</a> says why.</p>',
    )
    expect(told([{ ...source!, skipped: [] }])).not.toContain('▲ ')
  })
})

test('the content policy names the hash of the one style', () => {
  const html = htmlReport.write(plainReport(), judgement)
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
  expect(html.match(/<style/g)).toHaveLength(1)
  expect(html).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`)
})

test('shares are even, whole, and nobody has more than wanted', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3000), { maxLength: 40 }), fc.nat(2000), (wanted, places) => {
      const shares = evenShares(wanted, places)
      const sum = shares.reduce((a, b) => a + b, 0)
      const all = wanted.reduce((a, b) => a + b, 0)
      expect(sum).toBe(Math.min(all, places))
      const least = Math.min(...shares.filter((share, at) => share < (wanted[at] ?? 0)))
      shares.forEach((share, at) => {
        expect(share).toBeLessThanOrEqual(wanted[at] ?? 0)
        // Who got more than somebody who wanted more still, got at most one more.
        expect(share).toBeLessThanOrEqual(least + 1)
      })
    }),
  )
})

test('numbers stay with what they count, signs with their word, and a scheme has the name that the page gives it', () => {
  const measure = { measure: 'advantage scheme', value: 'centre (fits 100 % of 12 groups)', threshold: null }
  const plainly = plainReport()
  const hypotheses = plainly.hypotheses.map((each) => ({
    ...each,
    because: [{ ...measure, comparison: '=' as const, checks: [], speaks: 'against' as const }],
  }))
  const html = htmlReport.write({ ...plainly, hypotheses }, judgement, new Map())
  expect(html).toContain('>centred (fits 100 % of 12 groups)<')
  expect(html).toContain('</span>\u00a0against')
  expect(html).toContain('turn\u00a01:\u00a00, turn\u00a02:\u00a012')
})

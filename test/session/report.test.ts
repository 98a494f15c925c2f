import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { CHECKS } from '../../shared/checks/registry.ts'
import { HYPOTHESES } from '../../shared/hypotheses/registry.ts'
import type { Finding, Report } from '../../shared/model/report.ts'
import { LIMIT_NAMES, STREAMS } from '../../shared/model/streams.ts'
import { PARTS } from '../../shared/model/tokens.ts'
import { maskedTokens, trainedShare } from '../../shared/model/trained-share.ts'
import type { Session } from '../../shared/session/session.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { memorySource } from '../containers/memory-source.ts'
import { assistant, conversation, tool, user } from '../helpers/conversation.ts'
import { audited, cleanRollout, cutRollout, lines, qwen, rolloutWithTrainedReply, turnsOf } from './dumps.ts'

let tokenizer: Tokenizer
let session: Session
let report: Report

/** Two files: sound and faulty rollouts in groups, padded, weighted, cut, excess of unequal arrays, without a group. */
function sources() {
  const group = (id: string, reward = 1) => ({ group: id, groupSize: 2, reward })
  const weigh = (mask: number[]) => {
    for (const [token, trained] of mask.entries()) if (trained === 1 && token % 2 === 0) mask[token] = 0.5
  }
  const short = rolloutWithTrainedReply(tokenizer, 6)
  short.record.loss_mask?.splice(-4)
  const everything = conversation(
    tokenizer,
    turnsOf(tokenizer, 9).map((turn) => ({ ...turn, train: true })),
    { id: 'everything', padRight: 9 },
  )
  const first = [
    cleanRollout(tokenizer, 1, { ...group('a'), padLeft: 7 }),
    rolloutWithTrainedReply(tokenizer, 2, { ...group('a'), padRight: 4 }),
    cutRollout(tokenizer, 3, group('b', 0.5)),
    cleanRollout(tokenizer, 4, { ...group('b', 0.25), editMask: weigh }),
  ]
  const second = [short, everything, cleanRollout(tokenizer, 8, { attention: 'loss' })]
  return [memorySource(lines(first), 512, 'first.jsonl'), memorySource(lines(second), 512, 'second.jsonl')]
}

beforeAll(async () => {
  tokenizer = await qwen()
  session = await audited(sources())
  report = session.report()
})

const identity = ({ source, record, part }: Finding) => [source, record ?? -1, part ?? -1] as const

describe('the report', () => {
  it('says what made it, with the version of the package', () => {
    const { name, version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(report.schema).toBe('rollout-inspector.report/1')
    expect(report.tool).toEqual({ name, version })
  })

  it('has every field of the contract, in JSON as in memory', () => {
    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
    expect(Object.keys(report)).toEqual([
      'schema',
      'tool',
      'sources',
      'tokenizer',
      'policy',
      'limits',
      'totals',
      'checks',
      'defects',
      'hypotheses',
      'findings',
      'findings_omitted',
      'aggregates',
    ])
    expect(Object.keys(report.limits)).toEqual(LIMIT_NAMES)
    expect(Object.keys(report.totals.by_part)).toEqual(PARTS)
    expect(report.checks.map(({ code }) => code)).toEqual(CHECKS.map(({ code }) => code))
    expect(report.hypotheses.map(({ id }) => id)).toEqual(HYPOTHESES.map(({ id }) => id))
    for (const { missing } of report.sources) expect(missing).toEqual(STREAMS.filter((each) => missing.includes(each)))
  })

  it('counts every token once: by state, by part and by turn', () => {
    const { tokens, by_part, by_turn } = report.totals
    const parts = Object.values(by_part)
    const sum = (values: readonly (number | null)[]) => values.reduce<number>((a, b) => a + (b ?? 0), 0)
    expect(tokens.trained + tokens.masked + tokens.padding + tokens.unknown).toBe(tokens.total)
    expect(tokens.total).toBe(sum(session.facts.map(({ length }) => length)))
    expect(sum(parts.map(({ total }) => total))).toBe(tokens.total)
    expect(sum(parts.map(({ trained }) => trained))).toBe(tokens.trained)
    expect(by_part.padding.total).toBe(7 + 4 + 9)
    // Of the row whose mask is too short nothing is known: not where it begins, nor where it ends.
    expect(tokens.unknown).toBe(session.facts[4]?.length)
    expect(tokens.padding).toBe(7 + 4 + 9)
    expect(tokens.lost).toBe(sum(session.facts.map(({ lost }) => lost)))
    expect(tokens.lost).toBeGreaterThan(0)
    expect(by_part.tool.trained).toBeGreaterThan(0)
    expect(by_part.system.trained).toBeGreaterThan(0)
    expect(Object.keys(by_turn)).toEqual(['1', '2'])
    const assistant = session.facts.flatMap(({ assistantLengths }) => assistantLengths)
    expect(sum(Object.values(by_turn).map(({ total }) => total))).toBe(sum(assistant))
    expect(report.totals).toMatchObject({
      trajectories: 7,
      groups: 2,
      turns: sum(session.facts.map(({ turns }) => turns)),
    })
  })

  it('splits the end tokens by role: those of the assistant alone are trained in a sound dump', async () => {
    const { totals } = (await audited(lines([cleanRollout(tokenizer, 1), cleanRollout(tokenizer, 3)]))).report()
    const roles = Object.entries(totals.end_by_role ?? {})
    const sum = (values: readonly (number | null)[]) => values.reduce<number>((all, value) => all + (value ?? 0), 0)
    expect(roles.map(([role]) => role)).toEqual(['system', 'user', 'tool', 'assistant'])
    for (const [role, { total, trained }] of roles)
      expect([role, trained]).toEqual([role, role === 'assistant' ? total : 0])
    expect(sum(roles.map(([, { total }]) => total))).toBe(totals.by_part.end.total)
    expect(sum(roles.map(([, { trained }]) => trained))).toBe(totals.by_part.end.trained)
  })

  it('knows the roles of end tokens where it does not know what is trained', async () => {
    const { totals } = (
      await audited(lines([conversation(tokenizer, [user('Who?'), assistant('Ada.')], { mask: 'none' })]))
    ).report()
    expect(totals.end_by_role).toEqual({ user: { total: 1, trained: null }, assistant: { total: 1, trained: null } })
  })

  it('counts the tokens of a tool by its calls and its replies', async () => {
    const rollouts = [cleanRollout(tokenizer, 1), rolloutWithTrainedReply(tokenizer, 2), cleanRollout(tokenizer, 3)]
    const { totals } = (await audited(lines(rollouts))).report()
    const [search] = totals.by_tool
    expect(totals.by_tool).toHaveLength(1)
    expect(search?.tool).toBe('search')
    expect(search?.calls).toEqual({ count: 3, ...totals.by_part.tool_call })
    expect(search?.calls.trained).toBe(search?.calls.total)
    expect(search?.replies).toEqual({ count: 3, ...totals.by_part.tool })
    expect(search?.replies.trained).toBeGreaterThan(0)
    expect(search?.replies.trained).toBeLessThan(search?.replies.total ?? 0)
  })

  it('names no tool where a call does not', async () => {
    const turns = [
      user('Where?'),
      assistant('<tool_call>\nsearch for it\n</tool_call>'),
      tool('There.'),
      assistant('There.'),
    ]
    const { totals } = (await audited(lines([conversation(tokenizer, turns, { mask: 'none' })]))).report()
    expect(totals.by_tool.map(({ tool, calls, replies }) => [tool, calls.count, calls.trained, replies.count])).toEqual(
      [[null, 1, null, 1]],
    )
  })

  it('knows no trained share where there is no mask', async () => {
    const { totals } = (await audited(lines([cleanRollout(tokenizer, 1, { mask: 'none' })]))).report()
    expect(totals.tokens).toMatchObject({ trained: 0, masked: 0, unknown: totals.tokens.total })
    expect(Object.values(totals.by_part).map(({ trained }) => trained)).toEqual(PARTS.map(() => null))
    expect(Object.values(totals.by_turn).map(({ trained }) => trained)).toEqual([null, null])
  })

  it('has one trained share: tokens without a mask are in none, of the whole, of a part, of a turn, of an end or of a tool', async () => {
    const [known, other] = [cleanRollout(tokenizer, 1), cleanRollout(tokenizer, 2, { mask: 'none' })]
    const { totals } = (await audited(lines([known, other]))).report()
    const alone = (await audited(lines([known]))).report().totals
    expect(totals.tokens.unknown).toBe(other.record.input_ids.length)
    const parts = Object.values(totals.by_part)
    expect(parts.reduce((sum, { unknown = 0 }) => sum + unknown, 0)).toBe(totals.tokens.unknown)
    const sums = ({ by_part, by_turn, end_by_role, by_tool }: typeof totals) => [
      ...Object.values(by_part),
      ...Object.values(by_turn),
      ...Object.values(end_by_role ?? {}),
      ...by_tool.flatMap(({ calls, replies }) => [calls, replies]),
    ]
    // The rollout without a mask changes no share, and what it adds is named.
    expect(sums(totals).map(trainedShare)).toEqual(sums(alone).map(trainedShare))
    expect(sums(totals).map(maskedTokens)).toEqual(sums(alone).map(maskedTokens))
    expect(sums(alone).every((row) => !('unknown' in row))).toBe(true)
    expect(totals.by_turn[1]?.unknown).toBeGreaterThan(0)
    expect(totals.end_by_role?.assistant?.unknown).toBeGreaterThan(0)
    expect(totals.by_tool[0]?.calls.unknown).toBeGreaterThan(0)
  })

  it('keeps the numbers of a check together', () => {
    for (const check of report.checks) {
      const { code, checked, affected, intended, rate, status, reason, places, pattern, by_boundary } = check
      expect(affected + intended, code).toBeLessThanOrEqual(checked)
      expect(rate).toBe(checked === 0 ? null : affected / checked)
      expect(places.affected).toBeLessThanOrEqual(places.checked)
      expect(pattern === null).toBe(affected === 0)
      expect(reason === null, code).toBe(status === 'fail' || status === 'pass')
      if (status === 'fail' || status === 'pass') expect(status === 'fail', code).toBe(affected > 0)
      if (check.affected_weight !== null) expect(check.affected_weight).toBeLessThanOrEqual(1)
      const atEdges = Object.values(by_boundary)
      if (atEdges.length === 0) continue
      expect(
        atEdges.reduce((sum, count) => sum + count.checked, 0),
        code,
      ).toBeLessThanOrEqual(places.checked)
    }
    const m01 = report.checks.find(({ code }) => code === 'M01')
    expect(m01).toMatchObject({ status: 'fail', severity: 'error', affected: 2, unit: 'trajectory' })
    expect(report.checks.find(({ code }) => code === 'M15')).toMatchObject({ affected: 1 })
  })

  it('has a finding for each affected trajectory, and none for another', () => {
    for (const { code, unit, affected, intended } of report.checks) {
      const findings = report.findings.filter((finding) => finding.code === code)
      if (unit !== 'trajectory') continue
      expect(new Set(findings.map((finding) => identity(finding).join())).size, code).toBe(affected + intended)
    }
    for (const finding of report.findings) {
      const { source, record, part, trajectory, group, members, tokens } = finding
      if (record === null) {
        expect(members?.length).toBeGreaterThan(1)
        expect([part, trajectory]).toEqual([null, null])
        continue
      }
      const facts = session.facts[session.locate({ source, record, part: part ?? 0 })]
      expect([trajectory, group]).toEqual([facts?.id, facts?.group])
      if (tokens !== null) expect(tokens[1]).toBeLessThanOrEqual(facts?.length ?? 0)
    }
  })

  it('lists findings by source, record, part, code and first token, each with a fingerprint of its own', () => {
    const order = report.findings.map((finding) => [...identity(finding), finding.code, finding.tokens?.[0] ?? -1])
    const sorted = [...order].sort((a, b) => {
      const at = a.findIndex((value, i) => value !== b[i])
      return at < 0 ? 0 : (a[at] as number) < (b[at] as number) ? -1 : 1
    })
    expect(order).toEqual(sorted)
    expect(new Set(report.findings.map(({ fingerprint }) => fingerprint)).size).toBe(report.findings.length)
    for (const { fingerprint } of report.findings) expect(fingerprint).toMatch(/^[0-9a-f]{16}$/)
    expect(report.findings_omitted).toBe(0)
  })

  it('gives a finding the same fingerprint wherever its record stands', async () => {
    const [first, second] = sources() as [ReturnType<typeof memorySource>, ReturnType<typeof memorySource>]
    const turned = (await audited([second, first])).report()
    const local = ({ findings }: Report) =>
      findings
        .filter(({ record }) => record !== null)
        .map(({ code, trajectory, fingerprint }) => [code, trajectory, fingerprint].join())
    expect(local(turned).sort()).toEqual(local(report).sort())
    expect(turned.findings[0]?.source).toBe(0)
  })

  it('is the same when it is made again', async () => {
    expect((await audited(sources())).report()).toEqual(report)
    expect(session.report()).toBe(report)
  })

  it.each([0, 1, 3, 1000])('cut to %i findings loses no count', async (maxFindings) => {
    const cut = (await audited(sources(), { maxFindings })).report()
    const { findings, findings_omitted, ...rest } = cut
    const { findings: all, findings_omitted: none, ...same } = report
    expect(rest).toEqual(same)
    expect(findings).toHaveLength(Math.min(maxFindings, all.length))
    expect(findings.length + findings_omitted).toBe(all.length + none)
  })

  it('adds up to whole numbers that reports can be merged by', () => {
    const numbers: unknown[] = []
    const walk = (value: unknown) => {
      if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) walk(each)
      else numbers.push(value)
    }
    walk(report.aggregates)
    expect(numbers.length).toBeGreaterThan(100)
    expect(numbers.every(Number.isInteger)).toBe(true)
  })
})

describe('the boundaries of a dump', () => {
  it('tell for each kind of edge what share is as it should be', () => {
    const rows = session.boundaries()
    expect(rows.map(({ boundary }) => boundary).sort()).toEqual([
      'assistant>end',
      'assistant>tool',
      'system>user',
      'tool>assistant',
      'user>assistant',
    ])
    // One rollout is cut: its row ends and no turn does.
    expect(rows.find(({ boundary }) => boundary === 'assistant>end')).toMatchObject({
      edges: 7,
      header: null,
      end: 6 / 7,
      newline: null,
    })
    for (const row of rows.filter(({ boundary }) => boundary !== 'assistant>end')) {
      const { boundary, edges, header, end, newline, mask } = row
      expect(edges).toBe(7)
      expect([header, end, newline]).toEqual([1, 1, 1])
      // Of one row no mask is known. The one that trains everything trains its edges too, and another a tool reply, from its first token to its last.
      expect([boundary, mask]).toEqual([boundary, boundary.includes('tool') ? 4 / 6 : 5 / 6])
    }
  })
})

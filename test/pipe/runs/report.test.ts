/** The report of a run, and its items as lines. */

import { describe, expect, it } from 'vitest'
import { Failure, type Kind } from '../../../src/errors.ts'
import { storedProblem } from '../../../src/pipe/runs/run.ts'
import { done, runsFixture, running } from './runs-fixture.ts'

const failed = (id: string, kind: Kind = 'export-refused', stage: 'import' | 'export' = 'export') =>
  ({
    sourceId: id,
    stage,
    state: 'failed',
    problem: storedProblem(new Failure(kind, `about ${id}`)),
  }) as const
const created = (id: string) => ({ sourceId: id, stage: 'export', state: 'created' }) as const

describe('a report', () => {
  it('groups problems by slug, most frequent first, with three examples each', () => {
    const runs = runsFixture().open()
    const many = Array.from({ length: 5 }, (_, n) => failed(`e${n}`))
    const { id } = done(runs, [failed('m', 'item-malformed', 'import'), ...many])
    const { problems } = runs.report(id)
    expect(Object.keys(problems)).toEqual(['export-refused', 'item-malformed'])
    expect(problems['export-refused']).toMatchObject({ count: 5 })
    expect(problems['export-refused']?.examples).toEqual(
      ['e0', 'e1', 'e2'].map((name) => ({ id: name, stage: 'export', detail: `about ${name}` })),
    )
    expect(problems['item-malformed']?.examples[0]?.stage).toBe('import')
  })

  it('groups findings, those of unchanged items too', () => {
    const runs = runsFixture().open()
    const findings = [{ slug: 'unknown-licence', detail: 'x' } as const]
    const { id } = done(runs, [
      { ...created('a'), findings },
      { sourceId: 'b', stage: 'export', state: 'unchanged', findings },
    ])
    expect(runs.report(id)).toMatchObject({
      findings: { 'unknown-licence': { count: 2 } },
      counts: { findings: 2, created: 1, unchanged: 1 },
    })
  })

  it('groups findings of the run as a whole with those of its records', () => {
    const runs = runsFixture().open()
    const id = running(runs)
    const detail = 'dct:issued: yesterday'
    runs
      .sink(id)
      .item({ ...created('a'), findings: [{ slug: 'left-out', detail: 'dct:issued: soon' }] })
    for (let n = 0; n < 5; n += 1)
      runs.sink(id).finding({ slug: 'left-out', detail }, { sourceId: `r${n}` })
    runs.sink(id).finding({ slug: 'services-not-harvested', detail: '3' })
    const { findings, counts } = runs.report(id)
    expect(findings['left-out']).toEqual({
      count: 6,
      examples: [
        { id: 'a', stage: 'export', detail: 'dct:issued: soon' },
        { id: 'r0', stage: 'import', detail },
        { id: 'r1', stage: 'import', detail },
      ],
    })
    expect(findings['services-not-harvested']?.examples).toEqual([{ stage: 'import', detail: '3' }])
    expect(counts).toMatchObject({ findings: 7, created: 1, unchanged: 0 })
    expect([...runs.items(id)]).toHaveLength(1)
  })

  it('names the ten slowest pages and the requests per host and status', () => {
    const runs = runsFixture().open()
    const id = running(runs)
    const sink = runs.sink(id)
    for (let n = 1; n <= 15; n += 1) sink.page({ bytes: n, millis: n * 10 })
    for (const status of [200, 200, 503, 'error'] as const)
      sink.request({ host: 'a.example', status })
    sink.request({ host: '__proto__', status: 200 })
    const { slowestPages, requests } = runs.report(id)
    expect(slowestPages).toHaveLength(10)
    expect(slowestPages[0]).toEqual({ number: 15, millis: 150, bytes: 15 })
    expect(slowestPages.at(-1)?.number).toBe(6)
    expect(requests['a.example']).toEqual({ 200: 2, 503: 1, error: 1 })
    expect(Object.keys(requests)).toContain('__proto__')
  })

  it('stays small however many hosts a source leads to', () => {
    const runs = runsFixture().open()
    const id = running(runs)
    for (let n = 0; n < 5000; n += 1) runs.sink(id).request({ host: `h${n}.example`, status: 200 })
    const { requests } = runs.report(id)
    expect(Object.keys(requests).length).toBeLessThanOrEqual(101)
    expect(requests['others']).toEqual({ 200: 4900 })
  })

  it('tells what is newly failing and newly fixed since the finished run before', () => {
    const runs = runsFixture().open()
    const first = done(runs, [
      failed('stays'),
      failed('mended'),
      failed('reverted'),
      failed('gone'),
    ])
    const broken = running(runs)
    runs.change(broken, { status: 'failed' })
    const { id } = done(runs, [
      failed('stays'),
      failed('fresh'),
      { sourceId: 'mended', stage: 'export', state: 'updated' },
      { sourceId: 'reverted', stage: 'export', state: 'unchanged' },
      { sourceId: 'other', stage: 'export', state: 'unchanged' },
      created('new'),
      { sourceId: 'old', stage: 'export', state: 'removed' },
    ])
    expect(runs.report(id).difference).toEqual({
      run: first.id,
      created: 1,
      updated: 1,
      removed: 1,
      newlyFailing: { count: 1, ids: ['fresh'] },
      newlyFixed: { count: 2, ids: ['mended', 'reverted'] },
    })
    expect(runs.report(first.id).difference).toBeUndefined()
  })

  it('holds a retry against the run whose failures it tries again', () => {
    const runs = runsFixture().open()
    const first = done(runs, [failed('a'), failed('b')])
    done(runs, [])
    const id = running(runs, { retryOf: first.id })
    runs.sink(id).item(created('a'))
    expect(runs.report(id).difference).toMatchObject({ run: first.id, newlyFixed: { ids: ['a'] } })
  })
})

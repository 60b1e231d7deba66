/** Random sources with faults over many runs: what a source still has is never deleted, what was acknowledged is stored. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import type { Message } from '../../../src/pipe/message.ts'
import { harvestFixture, pipeOf, record, type HarvestFixture } from './harvest-fixture.ts'

const names = Array.from({ length: 14 }, (_, n) => `r${n}`)

/** One run of one pipe: how the source changes before it, and what goes wrong in it. */
const step = fc.record({
  pipe: fc.constantFrom('a', 'b'),
  changes: fc.array(
    fc.tuple(fc.constantFrom(...names), fc.constantFrom('add', 'edit', 'drop'), fc.nat(3)),
    { maxLength: 8 },
  ),
  /** Which records cannot be read this time. */
  refused: fc.array(fc.constantFrom(...names), { maxLength: 2 }),
  nameless: fc.boolean(),
  /** Where the source breaks off: records that are told before. */
  cut: fc.option(fc.nat(14)),
  end: fc.constantFrom('complete', 'complete', 'complete', 'incomplete', 'throws'),
  /** Every so manieth request to the repository fails for good, or once. */
  fault: fc.constantFrom('none', 'none', 'busy', 'broken', 'answer lost', 'killed'),
  at: fc.nat(6),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function applied(source: Map<string, string>, { changes }: Step): void {
  for (const [id, what, version] of changes) {
    if (what === 'drop') source.delete(id)
    else source.set(id, `${id} version ${version}`)
  }
}

function* told(source: ReadonlyMap<string, string>, step: Step): Generator<Message> {
  let left = step.cut ?? Infinity
  for (const [id, title] of source) {
    if (left-- <= 0) break
    const problem = new Failure('item-malformed', 'x')
    yield step.refused.includes(id)
      ? { kind: 'refused', sourceId: id, stage: 'import', problem }
      : record(id, title)
    yield { kind: 'page' }
  }
  if (step.nameless)
    yield { kind: 'refused', stage: 'import', problem: new Failure('item-no-identifier', 'x') }
  if (step.end === 'throws') throw new Failure('source-timeout', 'x')
  const isWhole = step.end === 'complete' && step.cut === null
  yield {
    kind: 'end',
    completeness: isWhole
      ? { kind: 'complete', fingerprint: 'f' }
      : { kind: 'incomplete', problem: new Failure('total-mismatch', 'x') },
  }
}

function faulty(fixture: HarvestFixture, { fault, at }: Step): void {
  let writes = 0
  fixture.intercept = async (request) => {
    if (request.method !== 'PUT' && request.method !== 'DELETE') return undefined
    writes += 1
    if (writes <= at || fault === 'none') return undefined
    if (fault === 'broken') return new Response('{}', { status: 500 }) as never
    if (writes > at + 1) return undefined
    if (fault === 'busy') return new Response('{}', { status: 503 }) as never
    if (fault === 'killed') void fixture.launcher().stop()
    else {
      await fixture.hub.app.fetch(request.clone())
      throw new TypeError('the connection broke')
    }
    return undefined
  }
}

/** After the faults some good runs of each: then the catalogue is what the sources have. */
async function settled(
  fixture: HarvestFixture,
  sources: Readonly<Record<'a' | 'b', ReadonlyMap<string, string>>>,
): Promise<void> {
  for (const pipe of ['a', 'b', 'a', 'b', 'a', 'b'] as const) {
    fixture.pipes.set(pipe, pipeOf(pipe, {}, { guardPercent: 100 }))
    const records = [...sources[pipe]].map(([id, title]) => record(id, title))
    const spare = record(`spare of ${pipe}`)
    fixture.offers(
      () => [
        ...records,
        spare,
        { kind: 'end', completeness: { kind: 'complete', fingerprint: 'f' } },
      ],
      pipe,
    )
    expect((await fixture.run(pipe)).status).toBe('finished')
  }
}

it('a record that the source still has is never deleted, and what is acknowledged is stored', async () => {
  const runOf = async (steps: readonly Step[]) => {
    const fixture = await harvestFixture()
    for (const pipe of ['a', 'b'])
      fixture.pipes.set(pipe, pipeOf(pipe, {}, { guardPercent: 60, guardMinimum: 3 }))
    const sources = { a: new Map<string, string>(), b: new Map<string, string>() }
    /** Ids that a pipe has brought in, and their source has had ever since. */
    const safe = { a: new Set<string>(), b: new Set<string>() }
    for (const one of steps) {
      const { pipe } = one
      const source = sources[pipe as 'a']
      const kept = safe[pipe as 'a']
      applied(source, one)
      for (const id of kept) if (!source.has(id)) kept.delete(id)
      fixture.offers(() => told(source, one), pipe)
      faulty(fixture, one)
      const { id } = fixture.begin(pipe)
      let run = await fixture.ended(id)
      fixture.intercept = undefined
      if (run.status === 'interrupted' || one.fault === 'killed') {
        await fixture.restart()
        run = await fixture.ended(id)
      }
      expect(['finished', 'failed', 'interrupted']).toContain(run.status)
      const stored = new Set(await fixture.ids())
      const items = fixture.items(run)
      const written = items.filter(({ state }) => state === 'created' || state === 'updated')
      for (const { originalId = '' } of written) {
        expect(stored, `${originalId} was acknowledged`).toContain(originalId)
        kept.add(originalId)
      }
      const removed = items.filter(({ state }) => state === 'removed')
      expect(removed.filter(({ sourceId }) => source.has(sourceId ?? ''))).toEqual([])
      for (const name of [...safe.a, ...safe.b]) expect(stored, `${name} was lost`).toContain(name)
    }
    await settled(fixture, sources)
    const stored = await fixture.ids()
    expect(stored).toEqual(
      [
        ...new Set([...sources.a.keys(), ...sources.b.keys(), 'spare of a', 'spare of b']),
      ].toSorted(),
    )
  }
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), runOf), {
    numRuns: 12,
  })
}, 180_000)

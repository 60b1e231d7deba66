/** Effects that are put together do to an index what they would have done one by one. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { boundedEngine, startEngine } from '../../src/store/embedded/engine.ts'
import { openQuads } from '../../src/store/embedded/quads.ts'
import { mergeEffects, applyEffect, type Effect } from '../../src/store/embedded/effects.ts'

startEngine(boundedEngine(2 ** 30))

const graph = fc.constantFrom('urn:g:1', 'urn:g:2')
const lines = fc
  .uniqueArray(fc.constantFrom(1, 2, 3, 4), { maxLength: 3 })
  .map((numbers) => numbers.map((n) => `<urn:s> <urn:p> <urn:o:${n}> .\n`).join(''))
const effect: fc.Arbitrary<Effect> = fc.oneof(
  fc.record({ graph, kind: fc.constant('load' as const), text: lines }),
  fc.record({
    graph,
    kind: fc.constant('change' as const),
    removed: fc.oneof(fc.constant(''), lines),
    added: lines,
  }),
  fc.record({ graph, kind: fc.constant('drop' as const) }),
)

function outcome(effects: readonly Effect[]): string[] {
  const quads = openQuads()
  for (const one of effects) applyEffect(quads, one)
  return ['urn:g:1', 'urn:g:2'].map((name) => quads.dump(name).split('\n').sort().join('\n'))
}

it('whatever they are and however they follow each other', () => {
  fc.assert(
    fc.property(fc.array(effect, { maxLength: 8 }), (effects) => {
      expect(outcome(mergeEffects(effects))).toEqual(outcome(effects))
    }),
    { numRuns: 300 },
  )
})

it('links that many writes add to one graph are one load', () => {
  const add = (n: number): Effect => ({
    graph: 'urn:catalogue',
    kind: 'change',
    removed: '',
    added: `<urn:catalogue> <urn:p> <urn:o:${n}> .\n`,
  })
  const load: Effect = { graph: 'urn:g', kind: 'load', text: '<urn:s> <urn:p> <urn:o> .\n' }
  expect(mergeEffects([add(1), load, add(2), add(3)])).toHaveLength(2)
})

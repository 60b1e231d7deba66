/** Effects of a group do to an index what each would have done alone. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { boundedEngine, startEngine } from '../../src/store/embedded/engine.ts'
import { openQuads } from '../../src/store/embedded/quads.ts'
import { applyEffects, type Effect } from '../../src/store/embedded/effects.ts'

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

function graphsAfter(groups: readonly (readonly Effect[])[]): string[] {
  const quads = openQuads()
  for (const effects of groups) applyEffects(quads, effects)
  return ['urn:g:1', 'urn:g:2'].map((name) => quads.dump(name).split('\n').sort().join('\n'))
}

it('whatever they are and however they follow each other', () => {
  fc.assert(
    fc.property(fc.array(effect, { maxLength: 20 }), (effects) => {
      expect(graphsAfter([effects])).toEqual(graphsAfter(effects.map((one) => [one])))
    }),
    { numRuns: 300 },
  )
})

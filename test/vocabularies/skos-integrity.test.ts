/** The integrity conditions of SKOS, on vocabularies that break them. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toLines } from '../../src/rdf/lines.ts'
import { parse } from '../../src/rdf/parse.ts'
import { checkIntegrity, summaryOf } from '../../src/vocabularies/skos-integrity.ts'

const prefixes =
  '@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <https://example.org/> .\n'

async function findingsOf(turtle: string, chunk = 1_000_000) {
  const text = toLines(
    await parse(prefixes + turtle, 'turtle', { baseIri: 'https://example.org/' }),
  )
  const lines = text.match(/[^\n]*\n/g) ?? []
  const chunks = Array.from({ length: Math.ceil(lines.length / chunk) }, (_, at) =>
    lines.slice(at * chunk, (at + 1) * chunk).join(''),
  )
  return checkIntegrity(() => chunks)
}

const told = async (turtle: string) => summaryOf(await findingsOf(turtle))

describe('a vocabulary in order', () => {
  it('has no findings', async () => {
    const turtle = `
      :s a skos:ConceptScheme ; skos:prefLabel "S"@en, "S"@de .
      :a a skos:Concept ; skos:prefLabel "A"@en, "A"@en-GB ; skos:altLabel "AA"@en ; skos:narrower :b ; skos:related :c .
      :b a skos:Concept ; skos:broader :a ; skos:exactMatch <urn:b> ; skos:broadMatch <urn:a> .
      :c a skos:Concept ; skos:related :a, :b .
      :g a skos:Collection ; skos:member :a .`
    expect(await findingsOf(turtle)).toEqual([])
  })
})

describe('each condition', () => {
  it.each([
    ['S9', ':a a skos:Concept, skos:ConceptScheme .', 1],
    [
      'S13',
      ':a skos:prefLabel "A"@en ; skos:altLabel "A"@en, "B"@en ; skos:hiddenLabel "B"@en .',
      2,
    ],
    ['S14', ':a skos:prefLabel "A"@en, "B"@EN, "A", "B", "C"@fr .', 2],
    ['S27', ':a skos:broader :b . :b skos:broader :c . :a skos:related :c .', 1],
    ['S27', ':a skos:narrower :b . :b skos:related :a . :a skos:related :b .', 1],
    ['S27', ':c skos:related :a . :a skos:broaderTransitive :c .', 1],
    [
      'S37',
      ':a a skos:Collection, skos:Concept . :b a skos:OrderedCollection, skos:ConceptScheme .',
      2,
    ],
    [
      'S46',
      ':a skos:exactMatch :x, :y, :z ; skos:broadMatch :x ; skos:relatedMatch :y ; skos:narrowMatch :z .',
      3,
    ],
  ])('%s is found in %s', async (condition, turtle, count) => {
    expect(await told(turtle)).toBe(`${condition} ${count}`)
  })

  it('is told with the first of those that break it', async () => {
    const turtle = Array.from({ length: 12 }, (_, n) => `:c${n} skos:prefLabel "A", "B" .`).join(
      '\n',
    )
    const [finding] = await findingsOf(turtle)
    expect(finding?.count).toBe(12)
    expect(finding?.examples).toHaveLength(5)
    expect(finding?.examples[0]).toEqual({
      resource: 'https://example.org/c0',
      detail: '2 preferred labels without language',
    })
  })
})

describe('the hierarchy', () => {
  it('may go in circles, and back to itself', async () => {
    expect(await told(':a skos:broader :b . :b skos:broader :a, :b . :a skos:related :x .')).toBe(
      '',
    )
    expect(await told(':a skos:broader :b . :b skos:broader :a . :a skos:related :b .')).toBe(
      'S27 1',
    )
  })

  it('is the same whatever chunks the lines come in', async () => {
    const name = fc.integer({ min: 0, max: 6 }).map((n) => `:c${n}`)
    const link = fc.tuple(name, fc.constantFrom('broader', 'narrower', 'related'), name)
    await fc.assert(
      fc.asyncProperty(
        fc.array(link, { maxLength: 20 }),
        fc.integer({ min: 1, max: 5 }),
        async (links, chunk) => {
          const turtle = links.map(([a, p, b]) => `${a} skos:${p} ${b} .`).join('\n')
          const whole = await findingsOf(turtle)
          expect(await findingsOf(turtle, chunk)).toEqual(whole)
          const pairs = new Set<string>()
          const above = new Map<string, Set<string>>()
          for (const [a, p, b] of links) {
            const [low, high] = p === 'narrower' ? [b, a] : [a, b]
            if (p !== 'related') above.set(low, (above.get(low) ?? new Set()).add(high))
          }
          const isAbove = (low: string, high: string) => {
            const seen = new Set<string>()
            const open = [low]
            for (let one = open.pop(); one !== undefined; one = open.pop()) {
              for (const next of above.get(one) ?? []) {
                if (next === high) return true
                if (seen.has(next)) continue
                seen.add(next)
                open.push(next)
              }
            }
            return false
          }
          for (const [a, p, b] of links) {
            if (p === 'related' && (isAbove(a, b) || isAbove(b, a))) pairs.add([a, b].sort().join())
          }
          expect(whole[0]?.count ?? 0).toBe(pairs.size)
        },
      ),
      { numRuns: 60 },
    )
  })
})

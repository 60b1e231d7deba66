/** Clients that put N-Quads or TriG first look for statements in the default graph. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from '../../src/rdf/parse.ts'
import { base, prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
let distribution = ''
beforeAll(async () => {
  repo = await repository()
  await repo.putCatalogue('c', `${prefixes}<> a dcat:Catalog ; dct:title "All"@en .`)
  const body = `${prefixes}<> a dcat:Dataset ; dct:title "One"@en ; dcat:distribution [ a dcat:Distribution ; dct:title "File" ] .`
  await repo.putDataset('c', 'd', body)
  const list = await repo.ask('/datasets/d/distributions?valueType=identifiers')
  distribution = ((await list.json()) as string[])[0]!
})
afterAll(() => repo.close())

// As Comunica and rdf-dereference rank them.
const ranked =
  'application/n-quads,application/trig;q=0.95,application/ld+json;q=0.9,text/turtle;q=0.6'
const quadsOf = async (path: string, accept: string, format: 'nquads' | 'trig') => {
  const answer = await repo.ask(path, { headers: { Accept: accept } })
  return parse(await answer.text(), format, { baseIri: base })
}
const paths = (): readonly string[] => [
  '/datasets/d',
  '/catalogues/c',
  `/distributions/${distribution}`,
  '/catalogues/c/datasets?valueType=metadata',
  '/datasets?valueType=metadata',
]

describe('a negotiated answer', () => {
  it('is in the default graph in N-Quads and TriG', async () => {
    for (const path of paths())
      for (const [accept, format] of [
        [ranked, 'nquads'],
        ['application/trig', 'trig'],
      ] as const) {
        const quads = await quadsOf(path, accept, format)
        expect([path, new Set(quads.map(({ graph }) => graph.value))]).toEqual([
          path,
          new Set(['']),
        ])
        expect(quads.some(({ predicate }) => predicate.value.endsWith('/title'))).toBe(true)
      }
  })
})

describe('a file that is asked for by its extension, and a dump', () => {
  it('has the graph of each record', async () => {
    for (const path of ['/datasets/d.nq', '/catalogues/c/dump.nq']) {
      const answer = await repo.ask(path)
      expect(await answer.text()).toContain(`<${base}set/data/d> .`)
    }
    const dump = await repo.ask('/catalogues/c/dump', { headers: { Accept: ranked } })
    expect(await dump.text()).toContain(`<${base}set/data/d> .`)
  })
})

/** Sent in bulk or one by one: the same datasets become the same graphs, under the same ids, with the same statuses. */

import type { Quad } from '@rdfjs/types'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { canonicalise } from '../../../src/rdf/canonical.ts'
import { quoteLiteral, toLines } from '../../../src/rdf/lines.ts'
import { formats, type Format } from '../../../src/rdf/media-types.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { serialise } from '../../../src/rdf/serialise.ts'
import { blankNode } from '../../../src/rdf/terms.ts'
import { base, prefixes, repository } from '../../support/repository.ts'
import { bulkOf, type Verdict } from './builders.ts'

type Repository = Awaited<ReturnType<typeof repository>>
let [many, single]: Repository[] = []
beforeAll(async () => {
  ;[many, single] = await Promise.all([repository(), repository()])
})
afterAll(() => Promise.all([many?.close(), single?.close()]))

/** A dataset as numbers: what it shares with others, and how its parts are named. */
type Drawn = {
  readonly id: number
  readonly title: string
  readonly publisher: number
  readonly files: readonly { readonly blank: boolean; readonly title: string }[]
  readonly related: number
}

const word = fc.constantFrom('water', 'Wasser', 'eau "x"', 'a\\nb', 'é~', 'X Y', 'x.y', 'x y')
const drawn: fc.Arbitrary<Drawn> = fc.record({
  id: fc.nat(12),
  title: word,
  publisher: fc.nat(3),
  files: fc.array(fc.record({ blank: fc.boolean(), title: word }), { maxLength: 3 }),
  related: fc.nat(12),
})
const drawnMany = fc.uniqueArray(drawn, { minLength: 1, maxLength: 8, selector: ({ id }) => id })

/** Publishers 0 and 1 have IRIs, the others are blank and share an address. */
const publisher = (n: number) => (n < 2 ? `<https://example.org/p${n}>` : `_:p${n}`)
const publishers = (
  n: number,
) => `${publisher(n)} a foaf:Agent ; foaf:name "P${n}" ; foaf:page _:page .
_:page dct:title "Page of all" .`
const names = [
  'A B',
  'a.b',
  'a~b',
  'https://example.org/x?1',
  'Gewässer',
  '1',
  '01',
  'x'.repeat(300),
]
let run = 0
const identifier = ({ id }: Drawn) =>
  `${names[id % names.length]} ${run}${id < names.length ? '' : id}`

const described = (dataset: Drawn): string => {
  const node = `<https://example.org/ds/${dataset.id}>`
  const files = dataset.files.map(({ blank, title }, at) => {
    const file = blank ? `_:f${dataset.id}x${at}` : `<https://example.org/f/${dataset.id}/${at}>`
    return `${node} dcat:distribution ${file} . ${file} a dcat:Distribution ; dct:title ${quoteLiteral(title)} .`
  })
  return `${node} a dcat:Dataset ; dct:identifier "${identifier(dataset)}" ; dct:title ${quoteLiteral(dataset.title)}@en ;
  dct:publisher ${publisher(dataset.publisher)} ; dct:relation <https://example.org/other/${dataset.related}> .
${files.join('\n')}\n${publishers(dataset.publisher)}\n`
}

const quadsOf = (text: string) => parse(prefixes + text, 'turtle', { baseIri: base })

/** All in one body: merged, or each in its own graph. */
async function bulkBody(datasets: readonly Drawn[], format: Format): Promise<string> {
  if (!formats[format].quads || format === 'jsonld')
    return serialise(toLines(await quadsOf(datasets.map(described).join(''))), format)
  const graphs = datasets.map(async (dataset) => {
    const lines = toLines(await quadsOf(described(dataset)))
    return serialise(lines, format, { graph: `urn:graph:${dataset.id}` })
  })
  return (await Promise.all(graphs)).join('')
}

/** The canonical form of what is stored; distributions have random IRIs, so they count as nameless. */
async function stored(repo: Repository, id: string): Promise<string> {
  const answer = await repo.ask(`/datasets/${id}.nt`)
  const quads = await parse(await answer.text(), 'ntriples', { baseIri: base })
  const nameless = (term: Quad['object']) =>
    term.value.startsWith(`${base}set/distribution/`)
      ? blankNode(`d${term.value.slice(-36).replaceAll('-', '')}`)
      : term
  const made = quads.map((q) => ({
    ...q,
    subject: nameless(q.subject),
    object: nameless(q.object),
  }))
  return (await canonicalise(made as Quad[])).hash
}

const flat = fc.constantFrom<Format>(
  'turtle',
  'ntriples',
  'jsonld',
  'rdfxml',
  'n3',
  'trig',
  'nquads',
)

async function inBulk(
  catalogue: string,
  datasets: readonly Drawn[],
  format: Format,
): Promise<readonly Verdict[]> {
  const body = await bulkBody(datasets, format)
  const answer = await bulkOf(many!).put(catalogue, body, { type: formats[format].mediaType })
  return (await answer.json()) as Verdict[]
}

it('whatever they share, in whatever format, at the first and at every later time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(drawnMany, { minLength: 1, maxLength: 3 }),
      flat,
      async (rounds, format) => {
        const catalogue = `c${(run += 1)}`
        await Promise.all([many!.putCatalogue(catalogue), single!.putCatalogue(catalogue)])
        for (const datasets of rounds) {
          const verdicts = await inBulk(catalogue, datasets, format)
          expect(verdicts).toHaveLength(datasets.length)
          for (const { originalId, id, status } of verdicts) {
            const dataset = datasets.find((one) => identifier(one) === originalId)!
            const body = prefixes + described(dataset)
            const one = await single!.putDataset(catalogue, originalId!, body)
            const place = one.headers.get('Location') ?? one.headers.get('Content-Location')
            expect([status, `${base}set/data/${id}`]).toEqual([one.status, place])
            expect(await stored(many!, id!)).toBe(await stored(single!, id!))
          }
        }
      },
    ),
    // The two repositories part at the first failure: shrinking would compare what is not alike.
    { numRuns: 15, endOnFailure: true },
  )
})

/** Limits of what one record may hold: each refusal tells which one and how high it is. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository({
    limits: { literalBytes: 1024, iriBytes: 100, blankNodes: 4, canonicalWork: 3 },
  })
  await repo.putCatalogue('c')
  await repo.putDataset('c', 'there', dataset('dct:title "x"'))
})
afterAll(() => repo.close())

const dataset = (says: string) => `${prefixes}<> a dcat:Dataset ; ${says} .`
const people = (count: number) =>
  `dct:creator ${Array.from({ length: count }, (_, n) => `[ foaf:name "${n}" ]`).join(' , ')}`
const circle = '_:a dct:relation _:b . _:b dct:relation _:a'
const iri = (length: number) => `https://example.org/${'x'.repeat(length - 20)}`

const over: readonly (readonly [string, string, string])[] = [
  ['literalBytes', '1024', `dct:title "${'ä'.repeat(513)}"`],
  ['iriBytes', '100', `dct:source <${iri(101)}>`],
  ['blankNodes', '4', people(5)],
  [
    'canonicalWork',
    '3',
    `dct:relation _:a , _:c . ${circle} . _:c dct:relation _:d . _:d dct:relation _:c`,
  ],
]

describe.each(over)('%s', (name, value, says) => {
  const refusal = {
    status: 422,
    detail: expect.stringMatching(
      new RegExp(`\\b${value}\\b.*\\(limit "${name}" of PLATFORM_LIMITS\\)`),
    ),
  }

  it.each([
    ['a dataset', '/catalogues/c/datasets/origin?originalId=new', 'dcat:Dataset'],
    ['a catalogue', '/catalogues/new', 'dcat:Catalog'],
  ])('holds for %s', async (_, path, type) => {
    const body = dataset(says).replace('dcat:Dataset', type)
    const answer = await repo.ask(path, { method: 'PUT', type: 'text/turtle', body })
    expect(await answer.json()).toMatchObject(refusal)
  })

  it('holds for a distribution', async () => {
    const body = dataset(says).replace('dcat:Dataset', 'dcat:Distribution')
    const asked = { method: 'POST', type: 'text/turtle', body }
    const answer = await repo.ask('/datasets/there/distributions', asked)
    expect(await answer.json()).toMatchObject(refusal)
  })
})

describe('up to the limits', () => {
  it.each([
    `dct:title "${'ä'.repeat(512)}"`,
    `dct:source <${iri(100)}>`,
    people(4),
    `dct:relation _:a . ${circle}`,
  ])('everything is taken (%#)', async (says) => {
    expect((await repo.putDataset('c', says.slice(0, 20), dataset(says))).status).toBe(201)
  })
})

it.each(['literalBytes', 'iriBytes'])(
  '%s holds in N-Triples, many datasets at once and vocabularies too',
  async (name) => {
    const says = name === 'iriBytes' ? `<${iri(101)}>` : `"${'x'.repeat(1025)}"`
    const type = 'application/n-triples'
    const line = (
      cls: string,
    ) => `<urn:x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${cls}> .
<urn:x> <http://purl.org/dc/terms/source> ${says} .\n`
    const asked = [
      ['/catalogues/c/datasets/bulk', 'http://www.w3.org/ns/dcat#Dataset'],
      ['/vocabularies/v', 'http://www.w3.org/2004/02/skos/core#ConceptScheme'],
    ] as const
    for (const [path, cls] of asked) {
      const answer = await repo.ask(path, { method: 'PUT', type, body: line(cls) })
      expect(await answer.text()).toContain(`(limit \\"${name}\\" of PLATFORM_LIMITS)`)
    }
  },
)

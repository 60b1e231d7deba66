/** Real catalogues: every valid sample goes in with the import and comes out the same in every format; broken ones say where. */

import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Quad } from '@rdfjs/types'
import { isomorphic } from 'rdf-isomorphic'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { destinations, chunks } from '../../src/harvest/importing/cutting/chunks.ts'
import { Spool } from '../../src/harvest/importing/cutting/spool.ts'
import { importDump } from '../../src/harvest/importing/dump.ts'
import { openDocument } from '../../src/rdf/open-document.ts'
import { platformId } from '../../src/rdf/ids.ts'
import { type Format, formats } from '../../src/rdf/media-types.ts'
import { names as namesOf } from '../../src/rdf/names.ts'
import { decode, parse } from '../../src/rdf/parse.ts'
import { parseStream } from '../../src/rdf/reading/parse-stream.ts'
import { quad } from '../../src/rdf/terms.ts'
import { statementsOf, fromLines } from '../../src/rdf/lines.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { withoutAssignedNames } from '../support/without-assigned-names.ts'

const folder = new URL('../../../shared/data/samples/', import.meta.url).pathname
const valid = [
  'semic/example-ms_catalogue_hvd.ttl',
  'semic/example-ms_catalogue_hvd.jsonld',
  'semic/example-ms_dataset_2_distributions.ttl',
  'semic/example-ms_dataset_2_distributions.jsonld',
  'dcat-ap-de/RefImp_TTL_ADVANCED.ttl',
  'dcat-ap-de/RefImp_RDF_ADVANCED.rdf',
  'dcat-ap-de/RefImp_JSONLD_ADVANCED.jsonld',
  'worked/dataset.ttl',
  'broken/byte-order-mark.ttl',
  'broken/relative-iris.ttl',
  'broken/bad-iris.rdf',
  'broken/bad-language-tag.jsonld',
  'broken/untidy.ttl',
]
const names = namesOf('http://localhost:8080/')
const never = new AbortController().signal

const open = (file: string) =>
  openDocument({ location: folder + file, baseIri: 'https://portal.example/doc' }, never)

/** What the import sends: each dataset cut out of the document. */
async function sentBy(file: string): Promise<{ originalId: string; quads: Quad[] }[]> {
  const spool = new Spool()
  const source = await open(file)
  const batches = parseStream(createReadStream(folder + file), source.format, {
    baseIri: source.baseIri,
    repair: () => undefined,
  })
  for await (const batch of statementsOf(batches)) spool.add(batch)
  spool.finish()
  const cut = [...chunks(spool, destinations(spool, 'c'))]
  spool.close()
  return cut.flatMap((parcel) =>
    'body' in parcel ? [{ originalId: parcel.originalId, quads: fromLines(parcel.body) }] : [],
  )
}

const triples = (quads: readonly Quad[]) => quads.map((q) => quad(q.subject, q.predicate, q.object))

describe.skipIf(!existsSync(folder))('a sample catalogue', () => {
  let directory: string
  let platform: Gateway
  let api: ReturnType<typeof client>
  beforeAll(async () => {
    directory = await temporaryDirectory()
    platform = await gateway(directory)
    api = client(platform)
  })
  afterAll(async () => {
    await platform.stop()
    await remove(directory)
  })

  it.each(valid)('%s goes in and comes out isomorphic in every format', async (file) => {
    const catalogue = platformId(file)
    const options = { service: api.repo, key: platform.key, catalogue }
    const summary = await importDump(await open(file), options, never)
    expect(summary.failures).toEqual([])
    const sent = await sentBy(file)
    expect(summary.created).toBe(sent.length)
    expect(sent.length).toBeGreaterThan(0)
    for (const { originalId, quads } of sent) {
      const address = `${api.repo}/catalogues/${catalogue}/datasets/origin?originalId=${encodeURIComponent(originalId)}`
      for (const [format, { mediaType }] of [
        ...Object.entries(formats),
        ['jsonld', { mediaType: 'application/json' }] as const,
      ]) {
        const answer = await fetch(address, { headers: { Accept: mediaType } })
        expect([format, answer.status]).toEqual([format, 200])
        const back = await parse(await answer.text(), format as Format, { baseIri: 'urn:x' })
        expect([
          format,
          isomorphic(...withoutAssignedNames(triples(quads), triples(back), names)),
        ]).toEqual([format, true])
      }
    }
  })

  const broken: readonly (readonly [string, number, number | undefined])[] = [
    ['text-before-turtle.ttl', 400, 1],
    ['undeclared-prefix.ttl', 400, 4],
    ['slash-in-local-name.ttl', 400, 6],
    ['truncated.ttl', 400, 5],
    ['not-utf8.ttl', 400, 4],
    ['external-entity.rdf', 400, 2],
    ['remote-context.jsonld', 400, undefined],
    ['bad-iris.rdf', 400, undefined],
    ['bad-language-tag.jsonld', 400, undefined],
    ['no-dataset.ttl', 422, undefined],
  ]
  it.each(broken)(
    'broken/%s as a body gives %i, with its line where a line is at fault',
    async (file, status, line) => {
      await api.put('/catalogues/broken', '<> a <http://www.w3.org/ns/dcat#Catalog> .')
      const suffix = file.split('.').at(-1)
      const type =
        Object.values(formats).find((format) => format.suffix === suffix)?.mediaType ?? ''
      const answer = await fetch(
        `${api.repo}/catalogues/broken/datasets/origin?originalId=${file}`,
        {
          method: 'PUT',
          body: await readFile(`${folder}broken/${file}`),
          headers: { 'X-API-Key': platform.key, 'Content-Type': type },
        },
      )
      const problem = (await answer.json()) as { status: number; errors?: { line?: number }[] }
      expect([answer.status, problem.status]).toEqual([status, status])
      expect(problem.errors?.[0]?.line).toBe(line ?? problem.errors?.[0]?.line)
      expect(await api.json(`${api.repo}/catalogues/broken/datasets`)).toEqual([])
    },
  )

  it('no sample was forgotten', () => {
    const all = ['semic', 'dcat-ap-de', 'broken'].flatMap((name) =>
      readdirSync(folder + name).map((file) => `${name}/${file}`),
    )
    const known = new Set([...valid, ...broken.map(([file]) => `broken/${file}`)])
    const rest = all.filter((file) => !known.has(file) && !file.endsWith('.json')).sort()
    expect(rest).toEqual([
      'dcat-ap-de/UAG_Beispieldatensatz_v1.ttl',
      'semic/example-bee-population-dataset-series-combined.jsonld',
      'semic/example-bee-population-dataset-series-combined.ttl',
    ])
  })

  it.each([
    'dcat-ap-de/UAG_Beispieldatensatz_v1.ttl',
    'semic/example-bee-population-dataset-series-combined.ttl',
  ])('%s cannot be read, and the import says where before it sends anything', async (file) => {
    const options = { service: api.repo, key: platform.key, catalogue: 'nothing' }
    const failed = importDump(await open(file), options, never)
    await expect(failed).rejects.toMatchObject({
      kind: 'malformed-rdf',
      errors: [{ line: expect.any(Number) }],
    })
    expect((await fetch(`${api.repo}/catalogues/nothing`)).status).toBe(404)
  })

  it('the text of a body that is no UTF-8 is never guessed', async () => {
    const bytes = await readFile(`${folder}broken/not-utf8.ttl`)
    expect(() => decode(bytes)).toThrow('not UTF-8')
  })
})

/** Bodies that nobody should send: each gets its problem with the right status, in bounded time, and changes nothing. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formats, type Format } from '../../src/rdf/media-types.ts'
import { parse } from '../../src/rdf/parse.ts'
import { toLines } from '../../src/rdf/lines.ts'
import { serialise } from '../../src/rdf/serialise.ts'
import {
  bulk,
  dataset,
  good,
  hostileClient,
  single,
  type HostileClient,
  type Sent,
} from '../support/hostile-requests.ts'
import { base, prefixes } from '../support/repository.ts'

let victim: string
let house: HostileClient
beforeAll(async () => {
  house = await hostileClient()
  victim = await (await house.repo.ask('/datasets/victim.nt')).text()
})
afterAll(() => house.close())

const written = async (format: Format) =>
  serialise(toLines(await parse(good, 'turtle', { baseIri: base })), format)

describe.each(Object.keys(formats) as Format[])('%s', (format) => {
  const type = formats[format].mediaType

  it.each([single, bulk])('that ends in the middle is malformed (%s)', async (path) => {
    const text = (await written(format)).trimEnd()
    const half = text.slice(0, text.length - 7)
    expect(await house.refused(half, { type, path })).toEqual([400, 'malformed-rdf'])
  })

  it.each([single, bulk])('that is something else is malformed (%s)', async (path) => {
    const other = format === 'jsonld' ? good : '{ "@id": "urn:x", "@type": "urn:y" }'
    expect(await house.refused(other, { type, path })).toEqual([400, 'malformed-rdf'])
  })

  it('that is no UTF-8 is malformed, with its line', async () => {
    const bytes = Buffer.concat([
      Buffer.from(await written(format)),
      Buffer.from([0x0a, 0xff, 0xfe]),
    ])
    const { status, problem } = await house.put(bytes, { type })
    expect([status, typeof problem.errors?.[0]?.line]).toEqual([400, 'number'])
  })

  it.each(['', ' \n\t'])('that is empty is told so (%j)', async (body) => {
    expect(await house.refused(body, { type })).toEqual([400, 'empty-body'])
  })
})

const deep = (open: string, close: string, depth: number) =>
  open.repeat(depth) + close.repeat(depth)
const entities = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, n) => `<!ENTITY b${n} "${`&${n === 0 ? 'a' : `b${n - 1}`};`.repeat(10)}">`).join('')}]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="urn:x"><x xmlns="urn:">&b8;</x></rdf:Description></rdf:RDF>`

describe('what is well-formed but does not belong here', () => {
  const cases: readonly (readonly [string, string, Sent, readonly [number, string]])[] = [
    ['a catalogue in place of a dataset', '<> a dcat:Catalog .', {}, [422, 'missing-class']],
    [
      'a dataset in place of a catalogue',
      dataset,
      { path: '/catalogues/other' },
      [422, 'missing-class'],
    ],
    [
      'a dataset in place of a vocabulary',
      dataset,
      { path: '/vocabularies/v' },
      [422, 'missing-class'],
    ],
    ['a distribution alone', '<a:d> a dcat:Distribution .', {}, [422, 'missing-class']],
    [
      'two datasets',
      '<a:1> a dcat:Dataset . <a:2> a dcat:Dataset .',
      {},
      [422, 'ambiguous-subject'],
    ],
    [
      'an IRI of 20 kB',
      `<> a dcat:Dataset ; dct:source <urn:${'x'.repeat(20_000)}> .`,
      {},
      [422, 'invalid-content'],
    ],
    [
      'a literal of 2 MB',
      `<> a dcat:Dataset ; dct:title "${'x'.repeat(2 ** 21)}" .`,
      {},
      [422, 'invalid-content'],
    ],
    ['a bad language tag', '<> a dcat:Dataset ; dct:title "x"@en_GB .', {}, [400, 'malformed-rdf']],
    [
      'an IRI with a space',
      '<> a dcat:Dataset ; dct:source <urn:a b> .',
      {},
      [400, 'malformed-rdf'],
    ],
    [
      'an IRI that ends a query',
      '<> a dcat:Dataset ; dct:source <urn:a\\u003E> .',
      {},
      [400, 'malformed-rdf'],
    ],
    ['blank nodes tied too closely', `<> a dcat:Dataset . ${tangle(40)}`, {}, [422, 'too-complex']],
    [
      'a hundred thousand blank nodes',
      `<> a dcat:Dataset . ${'[a a:b].'.repeat(100_000)}`,
      {},
      [413, 'too-large'],
    ],
    [
      'blank nodes nested deeply',
      `<> a dcat:Dataset ; a:b ${deep('[a:b ', ']', 30_000).replace(' ]', ' a:c]')} .`,
      {},
      [413, 'too-large'],
    ],
    [
      'a list nested deeply',
      `<> a dcat:Dataset ; a:b ${deep('(', ')', 100_000)} .`,
      {},
      [413, 'too-large'],
    ],
  ]
  it.each(cases)('%s', async (_, body, sent, expected) => {
    const turtle = `@prefix a: <a:> . ${prefixes}${body}`
    expect(await house.refused(turtle, sent)).toEqual(expected)
  })

  const others: readonly (readonly [string, string, Format, readonly [number, string]])[] = [
    ['a relative IRI in N-Triples', '<x> <urn:p> <urn:o> .\n', 'ntriples', [400, 'malformed-rdf']],
    [
      'a quad in N-Triples',
      '<urn:s> <urn:p> <urn:o> <urn:g> .\n',
      'ntriples',
      [400, 'malformed-rdf'],
    ],
    [
      'a remote context',
      '{"@context":"https://example.org/c","@id":"urn:x"}',
      'jsonld',
      [400, 'remote-context'],
    ],
    [
      'JSON nested deeply',
      `{"@type":"http://www.w3.org/ns/dcat#Dataset","urn:p":${deep('{"urn:p":', '}', 50_000).replace('}', '1}')}}`,
      'jsonld',
      [400, 'malformed-rdf'],
    ],
    [
      'arrays nested deeply',
      `{"urn:p":${deep('[', ']', 200_000)}}`,
      'jsonld',
      [400, 'malformed-rdf'],
    ],
    ['a billion laughs', entities, 'rdfxml', [400, 'malformed-rdf']],
    [
      'XML nested deeply',
      deep('<a xmlns="urn:">', '</a>', 30_000),
      'rdfxml',
      [400, 'malformed-rdf'],
    ],
    ['a formula', '{ <urn:a> <urn:b> <urn:c> } a <urn:d> .', 'n3', [400, 'malformed-rdf']],
  ]
  it.each(others)('%s', async (_, body, format, expected) => {
    const { mediaType: type } = formats[format]
    expect(await house.refused(body, { type })).toEqual(expected)
    expect(await house.refused(body, { type, path: bulk })).toEqual(expected)
  })
})

/** Every node points to every other: nothing tells them apart but the work of trying. */
function tangle(size: number): string {
  const all = Array.from({ length: size }, (_, n) => n)
  return all
    .map((a) => all.map((b) => (a === b ? '' : `_:n${a} a:p _:n${b} .`)).join(' '))
    .join('\n')
}

describe('somebody else’s resources', () => {
  const theirs = `<${base}set/data/victim> dct:title "Taken over" .
<${base}set/record/victim> a dcat:CatalogRecord ; foaf:primaryTopic <${base}set/data/victim> ; dct:identifier "mine now" .
<${base}id/catalogue/c> a dcat:Catalog ; dct:title "Taken over" ; dcat:dataset <https://example.org/z> .
<${base}.well-known/genid/0123456789abcdef/x> dct:title "Taken over" .
<urn:cartulary:system> dct:title "Taken over" .`
  const mine =
    '<https://example.org/thief> a dcat:Dataset ; dct:identifier "thief" ; dct:title "Thief" .'

  it.each([
    [
      'in one PUT',
      '/catalogues/c/datasets/origin?originalId=thief',
      'text/turtle',
      `${mine}\n${theirs}`,
    ],
    ['in bulk', bulk, 'text/turtle', `${mine}\n${theirs}`],
    [
      'in their graphs',
      '/catalogues/c/datasets/origin?originalId=thief',
      'application/trig',
      `${mine} <${base}set/data/victim> { ${theirs} } <urn:cartulary:system> { ${theirs} }`,
    ],
    [
      'in their graphs in bulk',
      bulk,
      'application/trig',
      `<urn:g> { ${mine} } <${base}set/data/victim> { ${theirs} } <urn:cartulary:system> { ${theirs} }`,
    ],
  ])('stay as they are when a body speaks of them, %s', async (_, path, type, body) => {
    const catalogue = await (await house.repo.ask('/catalogues/c.nt')).text()
    const { status } = await house.put(prefixes + body, { path, type })
    expect([200, 201, 204, 304]).toContain(status)
    expect(await (await house.repo.ask('/datasets/victim.nt')).text()).toBe(victim)
    expect(await (await house.repo.ask('/catalogues/c.nt')).text()).toBe(catalogue)
    const stolen = await (await house.repo.ask('/datasets/thief.nt')).text()
    for (const name of ['victim', 'genid', 'id/catalogue'])
      expect(
        stolen
          .split('\n')
          .filter((line) => line.startsWith('<') && line.split(' ')[0]!.includes(name)),
      ).toEqual([])
    expect(
      await house.repo.store.ask(
        'ASK { GRAPH ?g { ?s ?p "Taken over" } FILTER(?g != <http://localhost:8080/set/data/thief>) }',
      ),
    ).toBe(false)
    await house.repo.ask('/catalogues/c/datasets/origin?originalId=thief', { method: 'DELETE' })
  })
})

/** Bad input over a real socket: each gets its problem with the right status, in bounded time, and changes nothing. */

import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultLimits } from '../../src/http/limits.ts'
import { serve, type Served } from '../../src/http/serve.ts'
import { formats, type Format } from '../../src/rdf/media-types.ts'
import { parse } from '../../src/rdf/parse.ts'
import { serialise } from '../../src/rdf/serialise.ts'
import { base, prefixes, repository } from '../support/repository.ts'

const key = 'a-key-for-everything'
const limits = { ...defaultLimits, bodyBytes: 4 * 2 ** 20, triples: 20_000, bodyIdleMs: 1000 }
let repo: Awaited<ReturnType<typeof repository>>
let served: Served
let victim: string

beforeAll(async () => {
  repo = await repository({ limits })
  await repo.putCatalogue('c')
  await repo.putDataset('c', 'victim', `${prefixes}<> a dcat:Dataset ; dct:title "Mine" .`)
  victim = await (await repo.ask('/datasets/victim.nt')).text()
  served = await serve(repo.app, { port: 0, limits })
})
afterAll(async () => {
  await served.close()
  await repo.close()
})

const quads = async () => (await repo.store.health()).quads
const single = '/catalogues/c/datasets/origin?originalId=new'
const bulk = '/catalogues/c/datasets/bulk'

type Sent = { readonly path?: string; readonly type?: string; readonly coding?: string }
async function put(
  body: string | Uint8Array<ArrayBuffer>,
  { path = single, type = 'text/turtle', coding }: Sent = {},
) {
  const answer = await fetch(served.url + path, {
    method: 'PUT',
    body,
    headers: {
      'X-API-Key': key,
      'Content-Type': type,
      ...(coding === undefined ? {} : { 'Content-Encoding': coding }),
    },
  })
  const text = await answer.text()
  const isProblem = answer.headers.get('Content-Type')?.startsWith('application/problem+json')
  const problem = (isProblem ? JSON.parse(text) : {}) as {
    type?: string
    errors?: { line?: number }[]
  }
  return { status: answer.status, slug: problem.type?.split(':').at(-1), problem }
}

/** Sends and checks that nothing came of it. */
async function refused(body: string | Uint8Array<ArrayBuffer>, sent: Sent = {}) {
  const before = await quads()
  const { status, slug } = await put(body, sent)
  expect(await quads()).toBe(before)
  return [status, slug]
}

const good = `${prefixes}<https://example.org/x> a dcat:Dataset ; dct:title "A title"@en , "Noch einer"@de ;
  dcat:distribution [ a dcat:Distribution ; dct:title "File" ] ; dct:publisher <https://example.org/p> .
<https://example.org/p> a foaf:Agent ; foaf:name "P" .`
const written = async (format: Format) =>
  serialise(await parse(good, 'turtle', { baseIri: base }), format)

describe.each(Object.keys(formats) as Format[])('%s', (format) => {
  const type = formats[format].mediaType

  it.each([single, bulk])('that ends in the middle is malformed (%s)', async (path) => {
    const text = (await written(format)).trimEnd()
    const half = text.slice(0, text.length - 7)
    expect(await refused(half, { type, path })).toEqual([400, 'malformed-rdf'])
  })

  it.each([single, bulk])('that is something else is malformed (%s)', async (path) => {
    const other = format === 'jsonld' ? good : '{ "@id": "urn:x", "@type": "urn:y" }'
    expect(await refused(other, { type, path })).toEqual([400, 'malformed-rdf'])
  })

  it('that is no UTF-8 is malformed, with its line', async () => {
    const bytes = Buffer.concat([
      Buffer.from(await written(format)),
      Buffer.from([0x0a, 0xff, 0xfe]),
    ])
    const { status, problem } = await put(bytes, { type })
    expect([status, typeof problem.errors?.[0]?.line]).toEqual([400, 'number'])
  })

  it.each(['', ' \n\t'])('that is empty is told so (%j)', async (body) => {
    expect(await refused(body, { type })).toEqual([400, 'empty-body'])
  })
})

const dataset = '<> a dcat:Dataset ; dct:title "x" .'
const deep = (open: string, close: string, depth: number) =>
  open.repeat(depth) + close.repeat(depth)
const entities = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, n) => `<!ENTITY b${n} "${`&${n === 0 ? 'a' : `b${n - 1}`};`.repeat(10)}">`).join('')}]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="urn:x"><x xmlns="urn:">&b8;</x></rdf:Description></rdf:RDF>`

describe('what is well-formed but does not belong here', () => {
  const cases: readonly (readonly [string, string, Sent, number, string])[] = [
    ['a catalogue in place of a dataset', '<> a dcat:Catalog .', {}, 422, 'missing-class'],
    [
      'a dataset in place of a catalogue',
      dataset,
      { path: '/catalogues/other' },
      422,
      'missing-class',
    ],
    [
      'a dataset in place of a vocabulary',
      dataset,
      { path: '/vocabularies/v' },
      422,
      'missing-class',
    ],
    ['a distribution alone', '<a:d> a dcat:Distribution .', {}, 422, 'missing-class'],
    ['two datasets', '<a:1> a dcat:Dataset . <a:2> a dcat:Dataset .', {}, 422, 'ambiguous-subject'],
    [
      'an IRI of 20 kB',
      `<> a dcat:Dataset ; dct:source <urn:${'x'.repeat(20_000)}> .`,
      {},
      422,
      'invalid-content',
    ],
    [
      'a literal of 2 MB',
      `<> a dcat:Dataset ; dct:title "${'x'.repeat(2 ** 21)}" .`,
      {},
      422,
      'invalid-content',
    ],
    ['a bad language tag', '<> a dcat:Dataset ; dct:title "x"@en_GB .', {}, 400, 'malformed-rdf'],
    ['an IRI with a space', '<> a dcat:Dataset ; dct:source <urn:a b> .', {}, 400, 'malformed-rdf'],
    [
      'an IRI that ends a query',
      '<> a dcat:Dataset ; dct:source <urn:a\\u003E> .',
      {},
      400,
      'malformed-rdf',
    ],
    ['blank nodes tied too closely', `<> a dcat:Dataset . ${tangle(40)}`, {}, 422, 'too-complex'],
    [
      'a hundred thousand blank nodes',
      `<> a dcat:Dataset . ${'[a a:b].'.repeat(100_000)}`,
      {},
      413,
      'too-large',
    ],
    [
      'blank nodes nested deeply',
      `<> a dcat:Dataset ; a:b ${deep('[a:b ', ']', 30_000).replace(' ]', ' a:c]')} .`,
      {},
      413,
      'too-large',
    ],
    [
      'a list nested deeply',
      `<> a dcat:Dataset ; a:b ${deep('(', ')', 100_000)} .`,
      {},
      413,
      'too-large',
    ],
  ]
  it.each(cases)('%s', async (_, body, sent, status, slug) => {
    const turtle = `@prefix a: <a:> . ${prefixes}${body}`
    expect(await refused(turtle, sent)).toEqual([status, slug])
  })

  const others: readonly (readonly [string, string, Format, number, string])[] = [
    ['a relative IRI in N-Triples', '<x> <urn:p> <urn:o> .\n', 'ntriples', 400, 'malformed-rdf'],
    [
      'a quad in N-Triples',
      '<urn:s> <urn:p> <urn:o> <urn:g> .\n',
      'ntriples',
      400,
      'malformed-rdf',
    ],
    [
      'a remote context',
      '{"@context":"https://example.org/c","@id":"urn:x"}',
      'jsonld',
      400,
      'remote-context',
    ],
    [
      'JSON nested deeply',
      `{"@type":"http://www.w3.org/ns/dcat#Dataset","urn:p":${deep('{"urn:p":', '}', 50_000).replace('}', '1}')}}`,
      'jsonld',
      400,
      'malformed-rdf',
    ],
    [
      'arrays nested deeply',
      `{"urn:p":${deep('[', ']', 200_000)}}`,
      'jsonld',
      400,
      'malformed-rdf',
    ],
    ['a billion laughs', entities, 'rdfxml', 400, 'malformed-rdf'],
    ['XML nested deeply', deep('<a xmlns="urn:">', '</a>', 30_000), 'rdfxml', 400, 'malformed-rdf'],
    ['a formula', '{ <urn:a> <urn:b> <urn:c> } a <urn:d> .', 'n3', 400, 'malformed-rdf'],
  ]
  it.each(others)('%s', async (_, body, format, status, slug) => {
    const { mediaType: type } = formats[format]
    expect(await refused(body, { type })).toEqual([status, slug])
    expect(await refused(body, { type, path: bulk })).toEqual([status, slug])
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
    const catalogue = await (await repo.ask('/catalogues/c.nt')).text()
    const { status } = await put(prefixes + body, { path, type })
    expect([200, 201, 204, 304]).toContain(status)
    expect(await (await repo.ask('/datasets/victim.nt')).text()).toBe(victim)
    expect(await (await repo.ask('/catalogues/c.nt')).text()).toBe(catalogue)
    const stolen = await (await repo.ask('/datasets/thief.nt')).text()
    for (const name of ['victim', 'genid', 'id/catalogue'])
      expect(
        stolen
          .split('\n')
          .filter((line) => line.startsWith('<') && line.split(' ')[0]!.includes(name)),
      ).toEqual([])
    expect(
      await repo.store.ask(
        'ASK { GRAPH ?g { ?s ?p "Taken over" } FILTER(?g != <http://localhost:8080/set/data/thief>) }',
      ),
    ).toBe(false)
    await repo.ask('/catalogues/c/datasets/origin?originalId=thief', { method: 'DELETE' })
  })
})

describe('ids', () => {
  const strange = [
    '"',
    "'",
    '\\',
    '> <urn:x',
    '${x}',
    '%00',
    '..',
    '../../etc/passwd',
    '}',
    '#',
    '?',
    '\u202e',
    '😀',
    "'; DROP ALL; #",
  ]
  it.each(strange)(
    'that try to be something else (%j) are ids or refused, and are found again',
    async (id) => {
      const path = `/catalogues/c/datasets/origin?originalId=${encodeURIComponent(`s${id}`)}`
      const { status } = await put(prefixes + dataset, { path })
      expect(status).toBe(201)
      expect((await fetch(served.url + path)).status).toBe(200)
      expect((await put(prefixes + dataset, { path })).status).toBe(304)
    },
  )

  it.each(['\u0000', 'a\nb', '\u0085', '', 'x'.repeat(2001), '%', '...%'])(
    '%j is none',
    async (id) => {
      const path = `/catalogues/c/datasets/origin?originalId=${encodeURIComponent(id)}`
      const expected = id === '...%' ? [201, undefined] : [400, 'invalid-parameter']
      const { status, slug } = await put(prefixes + dataset, { path })
      expect([status, slug]).toEqual(expected)
    },
  )

  it.each(['%00', '..%2F..', '%22', 'a%0Ab', 'x'.repeat(256), 'a.b'])(
    '%s in a path is none',
    async (id) => {
      for (const path of [
        `/datasets/${id}`,
        `/catalogues/${id}`,
        `/catalogues/${id}/datasets/bulk`,
      ]) {
        const [status] = await refused(prefixes + dataset, { path })
        expect([400, 404]).toContain(status)
      }
    },
  )

  it('of 20 kB do not get through the door', async () => {
    const [status] = await refused(dataset, { path: `${single}${'x'.repeat(20_000)}` })
    expect(status).toBe(414)
  })
})

describe('what is said about the body', () => {
  it.each([
    ['nothing that we know', 'text/plain', 415, 'unsupported-media-type'],
    ['another character set', 'text/turtle;charset=iso-8859-1', 415, 'unsupported-media-type'],
    ['XML', 'application/rdf+xml', 400, 'malformed-rdf'],
    ['JSON', 'application/ld+json', 400, 'malformed-rdf'],
    ['lines', 'application/n-triples', 400, 'malformed-rdf'],
  ])('Turtle under the name of %s', async (_, type, status, slug) => {
    expect(await refused(good, { type })).toEqual([status, slug])
    expect(await refused(good, { type, path: bulk })).toEqual([status, slug])
  })

  it.each([
    ['a bomb', gzipSync(Buffer.alloc(64 * 2 ** 20)), 'gzip', 413, 'too-large'],
    [
      'within the size but too dense',
      gzipSync(Buffer.alloc(3 * 2 ** 20, ' ')),
      'gzip',
      413,
      'too-large',
    ],
    ['no gzip at all', Buffer.from(good), 'gzip', 400, 'invalid-parameter'],
    ['half of a gzip', gzipSync(good).subarray(0, 60), 'gzip', 400, 'invalid-parameter'],
    ['a coding that nobody knows', Buffer.from(good), 'rot13', 415, 'unsupported-media-type'],
  ])('%s is refused', async (_, body, coding, status, slug) => {
    for (const path of [single, bulk])
      expect(await refused(body, { coding, path })).toEqual([status, slug])
  })
})

/** Talks to the socket itself; answers what came back until the other side closed, and how much could be sent. */
function raw(head: string, pieces: Iterable<string>): Promise<{ text: string; sent: number }> {
  const { port } = served
  return new Promise((resolve) => {
    let [text, sent] = ['', 0]
    const socket = connect(port, '127.0.0.1')
    const iterator = pieces[Symbol.iterator]()
    const write = () => {
      for (let next = iterator.next(); !next.done; next = iterator.next()) {
        sent += next.value.length
        if (!socket.write(next.value)) return socket.once('drain', write)
      }
      return socket
    }
    socket.on('data', (part) => (text += part.toString()))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve({ text, sent }))
    socket.write(
      `PUT ${single} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: text/turtle\r\n${head}\r\n\r\n`,
    )
    write()
  })
}

function* forever(piece: string): Generator<string> {
  for (let n = 0; n < 20_000; n += 1) yield piece
}

describe('the length of the body', () => {
  it('announced beyond the limit is refused before it comes', async () => {
    const { text } = await raw(`Content-Length: ${10 * 2 ** 30}\r\nConnection: close`, [])
    expect(text).toMatch(/^HTTP\/1.1 413 /)
  })

  it('not announced is counted while it comes, and no more is read than the limit', async () => {
    const before = await quads()
    const chunk = `10000\r\n${'# '.repeat(2 ** 15)}\r\n`
    const { text, sent } = await raw(
      'Transfer-Encoding: chunked\r\nConnection: close',
      forever(chunk),
    )
    expect(text).toMatch(/^HTTP\/1.1 413 /)
    // What lies in the buffers of the two sockets was sent and never read.
    expect(sent).toBeLessThan(limits.bodyBytes + 32 * 2 ** 20)
    expect(await quads()).toBe(before)
  })

  it('that is less than was announced is waited for only so long, and nothing is written', async () => {
    const before = await quads()
    const { text } = await raw('Content-Length: 100000\r\nConnection: close', [good])
    expect(text).toMatch(/^HTTP\/1.1 408 /)
    expect(await quads()).toBe(before)
  })

  it('that is more than was announced is cut there, and the rest is no request', async () => {
    const before = await quads()
    const { text } = await raw(`Content-Length: ${good.length - 9}`, [good])
    expect(text).toMatch(/^HTTP\/1.1 400 /)
    expect(await quads()).toBe(before)
  })
})

/** Vocabularies of any size through the repository's own routes, over a real store. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canonicalise } from '../../src/rdf/canonical.ts'
import { parse } from '../../src/rdf/parse.ts'
import { linesOf } from '../store/graphs.ts'
import { base, prefixes, repository } from '../support/repository.ts'

const scheme = 'https://example.org/voc'
const concept = (n: number) => `<${scheme}/${String(n).padStart(7, '0')}>`
const skos = 'http://www.w3.org/2004/02/skos/core#'

/** A vocabulary as N-Triples: `size` concepts of four triples, and the scheme. */
function* vocabulary(size: number, label = 'Concept'): Generator<string> {
  yield `<${scheme}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${skos}ConceptScheme> .\n`
  for (let n = size - 1; n >= 0; n -= 1) {
    yield (
      `${concept(n)} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${skos}Concept> .\n` +
        `${concept(n)} <${skos}inScheme> <${scheme}> .\n` +
        `${concept(n)} <${skos}prefLabel> "${label} ${n}"@en .\n` +
        `${concept(n)} <${skos}prefLabel> "Begriff ${n}"@de .\n`
    )
  }
}

/** A body that is made while it is read; `most` = how much of it lay unread at the same time. */
function streamOf(lines: Iterable<string>) {
  const encoder = new TextEncoder()
  const rest = lines[Symbol.iterator]()
  const state = { given: 0 }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        let text = ''
        while (text.length < 64 * 1024) {
          const next = rest.next()
          if (next.done === true) {
            if (text !== '') controller.enqueue(encoder.encode(text))
            return controller.close()
          }
          text += next.value
        }
        state.given += text.length
        controller.enqueue(encoder.encode(text))
      },
    },
    { highWaterMark: 0 },
  )
  return { body, state }
}

describe('a large vocabulary', () => {
  let repo: Awaited<ReturnType<typeof repository>>
  beforeAll(async () => {
    repo = await repository({ limits: { vocabularyBytes: 2 ** 32 } })
  })
  afterAll(() => repo.close())

  const put = (id: string, lines: Iterable<string>, type = 'application/n-triples') => {
    const { body, state } = streamOf(lines)
    const headers = { 'X-API-Key': 'a-key-for-everything', 'Content-Type': type }
    const init = { method: 'PUT', headers, body, duplex: 'half' as const }
    return { answer: Promise.resolve(repo.app.request(`/vocabularies/${id}`, init)), state }
  }
  const size = Number(process.env['VOCABULARY_CONCEPTS'] ?? 8000)

  it(
    'is taken in, answered and replaced as a stream; memory does not grow with it',
    { timeout: 1_200_000 },
    async () => {
      const created = await put('large', vocabulary(size)).answer
      expect([created.status, await created.text()]).toEqual([201, ''])
      const [row] = await repo.store.select(
        `SELECT (COUNT(*) AS ?n) { GRAPH <${scheme}> { ?s ?p ?o } }`,
      )
      expect(row?.['n']?.value).toBe(String(4 * size + 1))
      expect((await put('large', vocabulary(size)).answer).status).toBe(304)
      const chunks: number[] = []
      for await (const chunk of repo.store.readLines(scheme)) chunks.push(chunk.length)
      // Whatever the size, no piece is larger than this.
      expect(Math.max(...chunks)).toBeLessThan(3 * 1024 * 1024)
      expect(chunks.length).toBeGreaterThan(size / 4000)
      expect((await put('large', vocabulary(size - 3, 'Other')).answer).status).toBe(204)
      const retired = await repo.store.select(
        `SELECT ?c { GRAPH <urn:cartulary:system> { <${base}id/vocabulary/large> <urn:cartulary:control#retired> ?c } } ORDER BY ?c`,
      )
      expect(retired.map((one) => `<${one['c']?.value}>`)).toEqual(
        [size - 3, size - 2, size - 1].map(concept),
      )
    },
  )
})

describe('a body without an end', () => {
  it('is read no further than its limit', async () => {
    const repo = await repository({ limits: { vocabularyBytes: 2 ** 20 } })
    const { body, state } = streamOf(vocabulary(1_000_000))
    const headers = { 'X-API-Key': 'a-key-for-everything', 'Content-Type': 'application/n-triples' }
    const init = { method: 'PUT', headers, body, duplex: 'half' as const }
    const answer = await repo.app.request('/vocabularies/endless', init)
    expect(answer.status).toBe(413)
    expect(state.given).toBeLessThan(2 ** 20 + 3 * 64 * 1024)
    expect((await repo.ask('/vocabularies/endless')).status).toBe(404)
    await repo.close()
  })
})

describe('a vocabulary', () => {
  let repo: Awaited<ReturnType<typeof repository>>
  beforeAll(async () => {
    repo = await repository()
  })
  afterAll(() => repo.close())

  const put = (id: string, body: string, type = 'text/turtle') =>
    repo.ask(`/vocabularies/${id}`, { method: 'PUT', type, body })
  const turtle = (more: string, iri = scheme) =>
    `${prefixes}<${iri}> a skos:ConceptScheme . ${more}`
  const system = async (id: string, property: string) => {
    const rows = await repo.store.select(
      `SELECT ?o { GRAPH <urn:cartulary:system> { <${base}id/vocabulary/${id}> <urn:cartulary:control#${property}> ?o } } ORDER BY ?o`,
    )
    return rows.map(({ o }) => o?.value)
  }

  it('keeps everything that was given, blank nodes too, under the hash of its canonical form', async () => {
    const body = turtle(
      `<${scheme}/a> a skos:Concept ; skos:note [ skos:definition [ <urn:p> "deep" ] , "x" ] ; <urn:q> _:b .
       _:b <urn:r> _:c . _:c <urn:r> _:b . <urn:other> <urn:says> "something"@de-DE, "01"^^<http://www.w3.org/2001/XMLSchema#integer> .`,
    )
    const answer = await put('blank', body)
    const quads = await parse(body, 'turtle', { baseIri: `${base}id/vocabulary/blank` })
    expect(answer.headers.get('ETag')).toBe(`"${(await canonicalise(quads)).hash}"`)
    for (const suffix of ['nt', 'ttl', 'jsonld', 'rdf', 'trig'] as const) {
      const read = await repo.ask(`/vocabularies/blank.${suffix}`)
      const format = {
        nt: 'ntriples',
        ttl: 'turtle',
        jsonld: 'jsonld',
        rdf: 'rdfxml',
        trig: 'trig',
      } as const
      const back = await parse(await read.text(), format[suffix], { baseIri: 'urn:x:' })
      expect([suffix, (await canonicalise(back)).hash]).toEqual([
        suffix,
        (await canonicalise(quads)).hash,
      ])
    }
    expect((await put('blank', body)).status).toBe(304)
    await repo.ask('/vocabularies/blank', { method: 'DELETE' })
  })

  it('may have tens of thousands of blank nodes', { timeout: 120_000 }, async () => {
    const many = Array.from(
      { length: 25_500 },
      (_, n) => `<${scheme}/${n}> skos:note [ skos:example "${n}" ] .`,
    ).join('\n')
    expect((await put('notes', turtle(many))).status).toBe(201)
    expect((await put('notes', turtle(many))).status).toBe(304)
    const text = await (await repo.ask('/vocabularies/notes.nt')).text()
    expect(linesOf(text)).toHaveLength(51_001)
    expect(new Set(text.match(/_:\w+ </g)).size).toBe(25_500)
    await repo.ask('/vocabularies/notes', { method: 'DELETE' })
  })

  it('may not describe other resources of the platform', async () => {
    const answer = await put('bad', turtle(`<${base}set/data/x> <urn:p> "mine" .`))
    expect(await answer.json()).toMatchObject({
      status: 422,
      type: 'urn:cartulary:problem:invalid-content',
      detail: `a vocabulary may not describe ${base}set/data/x, which is a resource of the platform`,
    })
    expect((await put('bad', turtle(`<urn:x> <urn:p> <${base}set/data/x> .`))).status).toBe(201)
    await repo.ask('/vocabularies/bad', { method: 'DELETE' })
  })

  it('marks the records that use it when it comes, changes and goes', async () => {
    const concepts = (...names: string[]) =>
      turtle(
        names
          .map((name) => `<${scheme}/${name}> a skos:Concept ; skos:inScheme <${scheme}> .`)
          .join(' '),
      )
    repo.cascaded.length = 0
    await put('marked', concepts('a', 'b', 'c'))
    expect([await system('marked', 'cascade'), await system('marked', 'pending')]).toEqual([
      [expect.any(String)],
      [expect.any(String)],
    ])
    expect(repo.cascaded).toEqual(['cascade'])
    expect(await system('marked', 'retired')).toEqual([])
    await put('marked', concepts('a', 'c'))
    expect(await system('marked', 'retired')).toEqual([`${scheme}/b`])
    await repo.ask('/vocabularies/marked', { method: 'DELETE' })
    expect(await system('marked', 'retired')).toEqual(
      ['a', 'b', 'c'].map((name) => `${scheme}/${name}`),
    )
    expect(repo.cascaded).toEqual(['cascade', 'cascade', 'cascade'])
    expect(await repo.store.read(scheme)).toBeUndefined()
    expect([await system('marked', 'scheme'), await system('marked', 'hash')]).toEqual([[], []])
  })

  it('may move to another scheme; the old one is free then', async () => {
    expect((await put('moving', turtle('', 'urn:test:one'))).status).toBe(201)
    expect((await put('moving', turtle('', 'urn:test:two'))).status).toBe(204)
    expect(await repo.store.read('urn:test:one')).toBeUndefined()
    expect((await put('second', turtle('', 'urn:test:one'))).status).toBe(201)
    expect((await put('second', turtle('', 'urn:test:two'))).status).toBe(409)
    for (const id of ['moving', 'second'])
      await repo.ask(`/vocabularies/${id}`, { method: 'DELETE' })
  })

  it('is kept with broken conditions of SKOS, which are counted', async () => {
    const body = turtle(
      `<${scheme}/a> a skos:Concept, skos:ConceptScheme ; skos:prefLabel "A"@en, "B"@en ; skos:inScheme <${scheme}> .`,
    )
    expect((await put('broken', body)).status).toBe(201)
    expect(await system('broken', 'integrity')).toEqual(['S9 1, S14 1'])
    expect((await put('broken', turtle(''))).status).toBe(204)
    expect(await system('broken', 'integrity')).toEqual([])
    await repo.ask('/vocabularies/broken', { method: 'DELETE' })
  })

  it('changes nothing when its body ends in a mistake, or is too large', async () => {
    await put('whole', turtle(`<${scheme}/a> a skos:Concept .`))
    const broken = [...vocabulary(3000)].join('') + '<urn:no <end'
    expect((await put('whole', broken, 'application/n-triples')).status).toBe(400)
    expect(await (await put('whole', ' \n ')).json()).toMatchObject({
      type: 'urn:cartulary:problem:empty-body',
    })
    expect(linesOf(await repo.store.read(scheme))).toHaveLength(2)
    await repo.ask('/vocabularies/whole', { method: 'DELETE' })
  })
})

describe('a vocabulary that is too large to be held', () => {
  it(
    'is sent whole in every format, with the same blank nodes in all of its parts',
    { timeout: 120_000 },
    async () => {
      const repo = await repository()
      const note = (n: number) =>
        `${concept(n)} <${skos}note> _:n${n} .\n_:n${n} <${skos}example> "${n} ${'x'.repeat(8000)}" .\n`
      const lines = [...vocabulary(2500), ...Array.from({ length: 2500 }, (_, n) => note(n))]
      const answer = await repo.ask('/vocabularies/long', {
        method: 'PUT',
        type: 'application/n-triples',
        body: lines.join(''),
      })
      expect(answer.status).toBe(201)
      const head = await repo.ask('/vocabularies/long', { method: 'HEAD' })
      expect([head.status, head.headers.get('Content-Type')]).toEqual([200, 'application/ld+json'])
      for (const [suffix, format] of [
        ['nt', 'ntriples'],
        ['ttl', 'turtle'],
        ['jsonld', 'jsonld'],
        ['rdf', 'rdfxml'],
      ] as const) {
        const read = await repo.ask(`/vocabularies/long.${suffix}`)
        expect(read.headers.get('ETag')).toBe(answer.headers.get('ETag'))
        expect(read.headers.get('Link')).toContain('rel="canonical"')
        const quads = await parse(await read.text(), format, { baseIri: 'urn:x:' })
        expect(quads).toHaveLength(2500 * 6 + 1)
        const nodes = new Map(
          quads.flatMap((one) =>
            one.object.termType === 'BlankNode' ? [[one.object.value, one.subject.value]] : [],
          ),
        )
        const examples = quads.filter((one) => one.subject.termType === 'BlankNode')
        const fits = examples.every(
          (one) =>
            Number(nodes.get(one.subject.value)?.slice(-7)) ===
            Number.parseInt(one.object.value, 10),
        )
        expect([nodes.size, examples.length, fits]).toEqual([2500, 2500, true])
      }
      const fresh = await repo.ask('/vocabularies/long', {
        headers: { 'If-None-Match': answer.headers.get('ETag') ?? '' },
      })
      expect(fresh.status).toBe(304)
      await repo.close()
    },
  )
})

/** `transforming-sparql`: what queries may be, what they know, and what they leave of a record. */

import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { constructTransformer, recordQuery } from '../../../src/harvest/transform/construct.ts'
import { parseSparql } from '../../../src/store/sparql-syntax.ts'
import {
  dataset,
  end,
  jsonRecord,
  problemsOf,
  record,
  type TransformerRunOptions,
  runTransformer,
  triplesOf,
} from './run-transformer.ts'

const run = (config: Parameters<typeof runTransformer>[1], setting: TransformerRunOptions = {}) =>
  runTransformer(constructTransformer, config, setting)

const dct = 'PREFIX dct: <http://purl.org/dc/terms/>\n'
const one = [record(1), end]
const sorted = (text: string | undefined) => (text ?? '').split('\n').filter(Boolean).sort()

describe('a query', () => {
  it('by CONSTRUCT replaces the record', async () => {
    const query = `${dct}CONSTRUCT { ?s dct:alternative ?t } WHERE { ?s dct:title ?t }`
    const { texts, messages } = await run({ query })
    expect(texts).toEqual(
      [1, 2].map(
        (n) => `<${dataset(n)}> <http://purl.org/dc/terms/alternative> "Trees ${n}"@en .\n`,
      ),
    )
    expect(messages.at(-1)).toEqual(end)
  })

  it('by CONSTRUCT adds to the record with keep, blank nodes being the same', async () => {
    const query =
      'CONSTRUCT { ?c <https://p.example/of> ?s } WHERE { ?s <http://www.w3.org/ns/dcat#contactPoint> ?c }'
    const { texts } = await run({ query, keep: true }, { input: one })
    const lines = sorted(texts[0])
    expect(lines).toHaveLength(5)
    const blank = /^(_:\S+) <https:\/\/p\.example\/of>/m.exec(texts[0] ?? '')?.[1]
    expect(texts[0]).toContain(`<http://www.w3.org/ns/dcat#contactPoint> ${blank} .`)
  })

  it('as an update changes the record', async () => {
    const query = `${dct}DELETE { ?s dct:title ?t } INSERT { ?s dct:title "Bäume"@de } WHERE { ?s dct:title ?t };
      INSERT DATA { <${dataset(1)}> dct:issued "2026" . GRAPH <urn:scratch> { <urn:a> <urn:b> <urn:c> } }`
    const { texts } = await run({ query }, { input: one })
    expect(texts[0]).toContain('"Bäume"@de')
    expect(texts[0]).not.toContain('Trees')
    expect(texts[0]).not.toContain('urn:a')
    expect(sorted(texts[0])).toHaveLength(5)
  })

  it('after another works on what that one has left', async () => {
    const queries = [
      `${dct}CONSTRUCT { ?s dct:alternative ?t } WHERE { ?s dct:title ?t }`,
      `${dct}CONSTRUCT { ?s dct:title ?t } WHERE { ?s dct:alternative ?t }`,
    ]
    const { texts } = await run({ queries }, { input: one })
    expect(texts).toEqual([`<${dataset(1)}> <http://purl.org/dc/terms/title> "Trees 1"@en .\n`])
  })

  it('may stand in a file in sparql/ beside the pipe', async () => {
    const query = { file: 'no-people.rq' }
    expect(
      problemsOf(constructTransformer, { query }, { place: { directory: '/nowhere' } }),
    ).toEqual(['query: there is no readable file sparql/no-people.rq beside the pipe'])
    expect(problemsOf(constructTransformer, { query: { file: '../../etc/passwd' } })).toEqual([
      'query: must be the name of a file in sparql/',
    ])
  })

  it('knows identifier, catalogue and address as terms', async () => {
    const query = `${dct}CONSTRUCT { ?s dct:identifier $identifier ; dct:isPartOf $catalogue ; dct:source $address }
      WHERE { ?s dct:title $title }`
    const hostile = record(1, {
      sourceId: 'x" . } ; DROP ALL # \\u0022 \n>',
      sourceUrl: 'https://a.example/?q=1',
    })
    const { texts } = await run({ query }, { input: [hostile, end], place: { catalogue: 'city' } })
    expect(sorted(texts[0])).toEqual([
      `<${dataset(1)}> <http://purl.org/dc/terms/identifier> "x\\" . } ; DROP ALL # \\\\u0022 \\n>" .`,
      `<${dataset(1)}> <http://purl.org/dc/terms/isPartOf> "city" .`,
      `<${dataset(1)}> <http://purl.org/dc/terms/source> <https://a.example/?q=1> .`,
    ])
  })

  it('that asks for what is not known of a record fails for that record', async () => {
    const query = 'CONSTRUCT { ?s ?p $address } WHERE { ?s ?p ?o }'
    const { sourceUrl: _, ...nowhere } = record(1)
    const { problems, texts } = await run({ query }, { input: [nowhere, record(2), end] })
    expect(problems).toEqual([
      'transform-failed: the query uses $address, which this record does not have',
    ])
    expect(texts).toHaveLength(1)
  })

  it('[T4] has the same tree whatever the values are', () => {
    const text = 'CONSTRUCT { ?s ?p $identifier } WHERE { ?s ?p ?o FILTER(?o != $identifier) }'
    const { textFor } = recordQuery(text)
    const shape = (identifier: string) => {
      const tree = JSON.stringify(parseSparql(textFor({ identifier })))
      return tree.split(JSON.stringify(identifier)).length
    }
    const value = fc.string({ unit: 'binary', minLength: 12 }).filter((text) => text.isWellFormed())
    const nasty = fc.constantFrom(
      '"',
      "'",
      '\\u0022',
      '\n',
      '}',
      '#',
      '>',
      '$identifier',
      ' . ; DROP ALL #',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(nasty, value), { minLength: 1 }), (parts) => {
        expect(shape(`id-of-record ${parts.join('')}`)).toBe(3)
      }),
    )
  })
})

describe('a record', () => {
  it('of which nothing is left fails as transform-empty', async () => {
    const query = 'CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(false) }'
    const { problems, failure } = await run(
      { query },
      { input: [1, 2, 3, 4].map((n) => record(n)) },
    )
    expect(problems).toEqual(Array(4).fill('transform-empty: the query left nothing of the record'))
    expect(failure).toBeUndefined()
  })

  it('that is no RDF fails with what to do about it', async () => {
    const query = 'CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }'
    const { problems } = await run({ query }, { input: [jsonRecord(1, {}), end] })
    expect(problems[0]).toContain('set "output": "dcat-ap" in the config of the importer')
  })

  it('may come in any RDF format', async () => {
    const query = 'CONSTRUCT WHERE { ?s ?p ?o }'
    const text = '@prefix dct: <http://purl.org/dc/terms/> . <d> dct:title "T" .'
    const turtle = record(1, { mediaType: 'text/turtle', text })
    const broken = record(2, { mediaType: 'text/turtle', text: '<d> <' })
    const { texts, problems } = await run({ query }, { input: [turtle, broken, end] })
    expect(texts).toEqual(['<https://city.example/d> <http://purl.org/dc/terms/title> "T" .\n'])
    expect(problems).toEqual([
      expect.stringContaining('transform-failed: the record cannot be read'),
    ])
  })

  it('keeps its message but for the text', async () => {
    const given = record(1, { originalId: 'o', sourceHash: 'h', aliases: ['a'] })
    const { messages } = await run(
      { query: 'CONSTRUCT WHERE { ?s ?p ?o }' },
      { input: [given, end] },
    )
    expect(messages[0]).toEqual({ ...given, text: expect.any(String) })
    expect(sorted(messages[0]?.kind === 'record' ? messages[0].text : '')).toHaveLength(
      sorted(triplesOf(1)).length,
    )
  })
})

describe('limits', () => {
  const many = (count: number) => {
    const lines = Array.from({ length: count }, (_, n) => `<urn:s${n}> <urn:p> <urn:o${n}> .\n`)
    return record(1, { text: lines.join('') })
  }

  it('a query that runs away is ended, and the next record is fine', async () => {
    const query = `INSERT { ?a <urn:q> ?n } WHERE {
      { SELECT ?a (COUNT(*) AS ?n) { ?a ?x ?y . ?b ?z ?w . ?c ?u ?v . ?d ?q ?r . ?e ?f ?g } GROUP BY ?a } }`
    const { problems, texts } = await run(
      { query },
      { input: [many(300), record(2), end], limits: { scriptMs: 1_500 } },
    )
    expect(problems).toEqual(['transform-timeout: the record took more than 1500 ms'])
    expect(texts).toHaveLength(1)
  }, 60_000)

  it('a query that leaves too many triples fails for that record', async () => {
    const query = 'CONSTRUCT { ?a ?p ?o } WHERE { ?a <urn:p> ?x . ?b ?p ?o }'
    const { problems } = await run(
      { query },
      { input: [many(40), end], limits: { triples: 1_000 } },
    )
    expect(problems).toEqual(['transform-failed: the query left more than 1000 triples'])
  })

  it('ends with the signal', async () => {
    const stop = new AbortController()
    const query =
      'CONSTRUCT { ?a ?b ?c } WHERE { ?a ?x ?y . ?b ?z ?w . ?c ?u ?v . ?d ?q ?r . ?e ?f ?g }'
    const running = run(
      { query },
      {
        signal: stop.signal,
        input: [end, many(300)],
        meanwhile: () => setTimeout(() => stop.abort(new Error('cancelled')), 50),
      },
    )
    await expect(running).rejects.toThrow('cancelled')
  })
})

describe('a config', () => {
  it.each([
    [{}, 'query: must be a query or its file'],
    [{ query: 'CONSTRUCT {' }, /^query: The text is not valid SPARQL 1\.1: syntax error in line 1/],
    [{ query: 'SELECT * { ?s ?p ?o }' }, 'query: must be a CONSTRUCT query or an update'],
    [{ query: 'ASK { ?s ?p ?o }' }, 'query: must be a CONSTRUCT query or an update'],
    [
      { query: 'CONSTRUCT WHERE { ?s ?p ?o . SERVICE <http://169.254.169.254/> { ?s ?p ?o } }' },
      /^query: /,
    ],
    [
      {
        query:
          'CONSTRUCT { ?s ?p ?o } WHERE { { SELECT * { SERVICE SILENT <http://127.0.0.1/> { ?s ?p ?o } } } }',
      },
      'query: must not ask others: SERVICE is refused',
    ],
    [
      { queries: ['CLEAR ALL', 'LOAD SILENT <http://127.0.0.1/> INTO GRAPH <urn:g>'] },
      'queries.1: must not fetch anything: LOAD is refused',
    ],
    [
      { query: 'DELETE WHERE { ?s ?p ?o } ; LOAD <file:///etc/passwd>' },
      'query: must not fetch anything: LOAD is refused',
    ],
    [
      { query: 'CONSTRUCT { ?s ?p ?o } FROM <http://127.0.0.1/> WHERE { ?s ?p ?o }' },
      'query: must not name graphs: FROM is refused',
    ],
    [
      { query: 'CONSTRUCT { ?s ?p ?o } WHERE { { SELECT $identifier { ?s ?p ?o } } }' },
      'query: has $identifier, $catalogue or $address where only a variable may be',
    ],
    [{ query: 'CONSTRUCT WHERE { ?s ?p ?o }', keep: 'yes' }, /^keep: /],
    [{ query: '('.repeat(50_000) }, /^query: /],
  ])('%j is refused with its key [T1]', (config, problem) => {
    const problems = problemsOf(constructTransformer, config)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(problem)
  })

  it('is described by a JSON Schema', () => {
    const { names, schema } = constructTransformer({} as never)
    expect(names).toEqual(['transforming-sparql', 'transforming-construct'])
    expect(schema()).toMatchObject({ type: 'object', properties: { keep: { type: 'boolean' } } })
  })
})

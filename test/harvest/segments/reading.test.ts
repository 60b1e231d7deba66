/** Documents of others as they come: in any charset, under any type, and what is said when one cannot be read. */

import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { dataJsonImporter } from '../../../src/harvest/importers/datajson.ts'
import { importerSegment } from '../../../src/harvest/importers/importer.ts'
import { rdfImporter } from '../../../src/harvest/importers/rdf.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import { portal, type Portal } from '../../support/portals/portal.ts'
import { importOf } from './import-run.ts'

const open: Portal[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

type Sent = { readonly body: string | Uint8Array<ArrayBuffer>; readonly type?: string }

/** A run over a site that has one document at every address. */
// oxlint-disable-next-line eslint/max-params -- tests read well so
async function reading(
  importer: 'rdf' | 'datajson',
  sent: Sent,
  config: JsonObject = {},
  owns = false,
) {
  const headers = sent.type === undefined ? {} : { 'Content-Type': sent.type }
  const site = await portal(() => new Response(Buffer.from(sent.body), { headers }))
  open.push(site)
  const address = `${site.url}/catalogue.${importer === 'rdf' ? 'txt' : 'json'}`
  const run = { config: { address, ...config }, owns }
  const imported =
    importer === 'rdf'
      ? await importOf({ ...run, kind: (deps) => importerSegment(rdfImporter, deps) })
      : await importOf({ ...run, kind: (deps) => importerSegment(dataJsonImporter, deps) })
  return { ...imported, address }
}

const title = 'Café Straße'
const records = ['a', 'b'].map((id) => ({ identifier: id, title: `${title} ${id}` }))
const dcat = 'http://www.w3.org/ns/dcat#'
const dct = 'http://purl.org/dc/terms/'
const iri = (id: string) => `https://s.example/${id}`
const texts: Readonly<Record<string, readonly [type: string, text: string]>> = {
  'data.json': ['application/json', JSON.stringify({ dataset: records })],
  Turtle: [
    'text/turtle',
    `@prefix dcat: <${dcat}> . @prefix dct: <${dct}> .\n${records
      .map(
        ({ identifier, title: text }) =>
          `<${iri(identifier)}> a dcat:Dataset ; dct:title "${text}" .`,
      )
      .join('\n')}`,
  ],
  'N-Triples': [
    'application/n-triples',
    records
      .map(
        ({ identifier, title: text }) =>
          `<${iri(identifier)}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${dcat}Dataset> .\n` +
          `<${iri(identifier)}> <${dct}title> "${text}" .\n`,
      )
      .join(''),
  ],
  'JSON-LD': [
    'application/ld+json',
    JSON.stringify(
      records.map(({ identifier, title: text }) => ({
        '@id': iri(identifier),
        '@type': `${dcat}Dataset`,
        [`${dct}title`]: text,
      })),
    ),
  ],
  'RDF/XML': [
    'application/rdf+xml',
    `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dcat="${dcat}" xmlns:dct="${dct}">` +
      records
        .map(
          ({ identifier, title: text }) =>
            `<dcat:Dataset rdf:about="${iri(identifier)}"><dct:title>${text}</dct:title></dcat:Dataset>`,
        )
        .join('') +
      '</rdf:RDF>',
  ],
}
const importerOf = (name: string) => (name === 'data.json' ? 'datajson' : 'rdf')
const titlesOf = ({ records: found }: { records: readonly { text: string }[] }) =>
  found.map(({ text }) => /terms\/title> "([^"]*)"/.exec(text)?.[1] ?? '').toSorted()
const titles = records.map(({ title: text }) => text)

describe.each(Object.entries(texts))('a document in %s', (name, [type, text]) => {
  const read = (body: Uint8Array<ArrayBuffer>, charset?: string) =>
    reading(importerOf(name), {
      body,
      type: charset === undefined ? type : `${type}; charset=${charset}`,
    })

  it.each([undefined, 'iso-8859-1', 'us-ascii', '"UTF-8"', 'utf-16', 'klingon'])(
    'in UTF-8 is read as it is, whatever its charset: %s',
    async (charset) => {
      const found = await read(Buffer.from(text), charset)
      expect(titlesOf(found)).toEqual(titles)
      expect([found.end?.kind, found.findings]).toEqual(['complete', []])
    },
  )

  it.each([
    [undefined, 'which nothing declares'],
    ['utf-8', 'which nothing declares'],
    ['ISO-8859-1', 'as its Content-Type says'],
  ])(
    'in Windows-1252 with the charset %s is read, and the run says so once',
    async (charset, why) => {
      const found = await read(Buffer.from(text, 'latin1'), charset)
      expect(titlesOf(found)).toEqual(titles)
      expect(found.findings).toEqual([
        expect.stringMatching(`^invalid-text ${found.address}: .* windows-1252, ${why}`),
      ])
      expect(found.records.flatMap(({ findings }) => findings)).toEqual([])
    },
  )

  it.each(['utf16le', 'utf16be'])('in UTF-16 with a byte order mark is read: %s', async (order) => {
    const body = Buffer.from(`\uFEFF${text}`, 'utf16le')
    const found = await read(order === 'utf16le' ? body : body.swap16())
    expect(titlesOf(found)).toEqual(titles)
    expect(found.findings).toEqual([])
  })
})

const encodings: Readonly<Record<string, (text: string) => Uint8Array<ArrayBuffer>>> = {
  'utf-8': (text) => Buffer.from(text),
  'utf-8 with a mark': (text) => Buffer.from(`\uFEFF${text}`),
  'iso-8859-1': (text) => Buffer.from(text, 'latin1'),
  'utf-16': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
}

it('a document under any charset brings what it says, or a finding or a problem says what is missing', async () => {
  const drawn = fc.record({
    format: fc.constantFrom(...Object.keys(texts)),
    encoding: fc.constantFrom(...Object.keys(encodings)),
    declared: fc.constantFrom(
      '',
      'utf-8',
      'us-ascii',
      'iso-8859-1',
      'windows-1251',
      'utf-16',
      'x-own',
    ),
    letters: fc.string({
      unit: fc.constantFrom('a', 'é', ' ', 'ß', 'Ü', 'ñ', '¿', 'ø', 'Å', '½'),
      minLength: 1,
      maxLength: 12,
    }),
  })
  await fc.assert(
    fc.asyncProperty(drawn, async ({ format, encoding, declared, letters }) => {
      const [type, text] = texts[format]!
      const body = encodings[encoding]!(text.replaceAll('Straße', letters))
      // Bytes that are right in both are nobody's fault.
      fc.pre(encoding !== 'iso-8859-1' || !isUtf8(body))
      const charset = declared === '' ? '' : `; charset=${declared}`
      const run = await reading(importerOf(format), { body, type: type + charset })
      const isSaid = run.findings.length > 0 || run.end?.kind !== 'complete'
      const sent = titles.map((one) => one.replace('Straße', letters).trim())
      const arrived = titlesOf(run).map((one) => one.trim())
      expect(isSaid ? sent : arrived).toEqual(sent)
    }),
    { numRuns: 60 },
  )
})

describe('JSON that is none', () => {
  const document = (member: string, end = '') =>
    `{\n "dataset": [\n  { "identifier": "a", "title": "A" },\n  { "identifier": "b"${member} }${end}\n ]\n}`
  const faults: readonly (readonly [name: string, text: string, place: string, detail: string])[] =
    [
      ['a trailing comma', document('', ','), '5:2', 'expected a value, found ] after a comma'],
      [
        'a trailing comma in an object',
        document(','),
        '4:24',
        'expected a key in double quotes, found }',
      ],
      ['NaN', document(', "size": NaN'), '4:32', 'found NaN, which is no JSON: write null'],
      [
        '-Infinity',
        document(', "size": -Infinity'),
        '4:32',
        'found -Infinity, which is no JSON: write null',
      ],
      ['None', document(', "size": None'), '4:32', 'found None, which is no JSON: write null'],
      ['single quotes', document(", 'size': 1"), '4:24', "found ': texts stand in double quotes"],
      ['a comment', document(' // b'), '4:23', 'found /: JSON has no comments'],
      [
        'a missing comma',
        document(' "size": 1'),
        '4:23',
        'expected "," or the end of the list or object, found "',
      ],
      ['a missing colon', document(', "size" 1'), '4:31', 'expected ":" after a key, found 1'],
      [
        'a number with a leading zero',
        document(', "size": 01'),
        '4:32',
        'expected a value, found 0',
      ],
      [
        'a line break in a text',
        document(', "title": "a\nb"'),
        '4:35',
        'a line break in a text: write \\n',
      ],
      [
        'a backslash',
        document(', "title": "C:\\data"'),
        '4:36',
        'a backslash that begins no escape of JSON',
      ],
      [
        'something behind the end',
        `${document('')} x`,
        '6:3',
        'expected the end of the text, found x',
      ],
    ]

  it.each(faults)('names address, line and column: %s', async (...[, text, place, detail]) => {
    const { failure, problem, address } = await reading('datajson', { body: text })
    expect(problem).toBe('source-malformed')
    expect(failure?.detail).toContain(address)
    expect(failure?.detail).toContain(detail)
    const [{ line, column } = {}] = failure?.errors ?? []
    expect(`${line}:${column}`).toBe(place)
  })

  it.each(faults)('is told likewise of JSON-LD: %s', async (...[, text, place, detail]) => {
    const { failure, address } = await reading('rdf', { body: text, type: 'application/ld+json' })
    expect(failure?.detail).toContain(address)
    expect(failure?.detail).toContain(detail)
    const [{ line, column } = {}] = failure?.errors ?? []
    expect(`${line}:${column}`).toBe(place)
  })

  it.each(['[{"identifier": "a', '{"dataset": [{"identifier": "a"}', '{"dataset": tr'])(
    'ends too early: %s',
    async (text) => {
      const { problem, failure, address } = await reading('datajson', { body: text })
      expect(problem).toBe('source-truncated')
      expect(failure?.detail).toContain(address)
      expect(failure?.errors[0]?.line).toBe(1)
    },
  )

  it.each(['null', '"text"', '7', 'hello'])('at the top is named: %s', async (text) => {
    const { failure, address } = await reading('datajson', { body: text })
    expect(failure?.detail).toContain(`${address} did not answer with a JSON document`)
    expect(failure?.detail).toMatch(new RegExp(text))
  })
})

describe('a node that is no JSON-LD', () => {
  const good = { '@id': iri('a'), '@type': 'dcat:Dataset', 'dct:title': 'Fine' }
  const context = { dcat, dct }
  const node = (about: JsonObject) => ({ '@type': 'dcat:Dataset', 'dct:title': 'Odd', ...about })
  const nested = { ...good, 'dct:publisher': { '@id': 7, 'foaf:name': 'Office' } }
  it.each<[string, JsonObject, string]>([
    ['null for @id', { '@graph': [good, node({ '@id': null })] }, '/@graph/1'],
    ['a number for @id', { '@graph': [node({ '@id': 7 }), good] }, '/@graph/0'],
    ['an object for @id', { '@graph': [good, node({ '@id': { a: 1 } })] }, '/@graph/1'],
    ['a number for @type', { '@graph': [good, { '@id': iri('b'), '@type': 7 }] }, '/@graph/1'],
    [
      'a number for @language',
      { '@graph': [good, node({ 'dct:title': { '@value': 'x', '@language': 5 } })] },
      '/@graph/1/dct:title',
    ],
    ['a publisher below a dataset', { '@graph': [nested] }, '/@graph/0/dct:publisher'],
    [
      'a dataset below a catalogue',
      { '@type': 'dcat:Catalog', 'dcat:dataset': [good, node({ '@id': null })] },
      '/dcat:dataset/1',
    ],
  ])('costs that node alone: %s', async (_, document, pointer) => {
    const body = JSON.stringify({ '@context': context, ...document })
    const found = await reading('rdf', { body, type: 'application/ld+json' })
    expect(found.records.map(({ sourceId }) => sourceId)).toEqual([iri('a')])
    expect(found.findings).toEqual([expect.stringContaining(`dropped-statement node ${pointer}: `)])
  })
})

describe('a source without any dataset', () => {
  const prefixes = `@prefix dct: <${dct}> . @prefix s: <https://s.example/> .`
  it.each([
    [
      'in another namespace',
      `@prefix dcat: <https://www.w3.org/ns/dcat#> . ${prefixes} s:1 a dcat:Dataset ; dct:title "x" .`,
      'types seen: https://www.w3.org/ns/dcat#Dataset; namespaces seen: http://www.w3.org/1999/02/22-rdf-syntax-ns#, http://purl.org/dc/terms/.',
    ],
    [
      'in a namespace with a slash',
      `@prefix dcat: <http://www.w3.org/ns/dcat/> . ${prefixes} s:1 a dcat:Dataset .`,
      'types seen: http://www.w3.org/ns/dcat/Dataset;',
    ],
    [
      'in schema.org alone',
      `@prefix schema: <https://schema.org/> . ${prefixes} s:1 a schema:Dataset ; schema:name "x" .`,
      'types seen: https://schema.org/Dataset; namespaces seen: http://www.w3.org/1999/02/22-rdf-syntax-ns#, https://schema.org/.',
    ],
    [
      'without types',
      `${prefixes} s:1 dct:title "x" .`,
      'types seen: none; namespaces seen: http://purl.org/dc/terms/.',
    ],
    ['that says nothing', prefixes, 'it holds no statement.'],
  ])('is no complete import, and says what was seen: %s', async (_, body, seen) => {
    const found = await reading('rdf', { body, type: 'text/turtle' })
    expect([found.end?.kind, found.problem]).toEqual(['incomplete', 'source-empty'])
    const [finding = ''] = found.findings
    expect(finding).toContain(`no-dataset ${found.address}: no dataset found; `)
    expect(finding).toContain(seen)
  })

  it.each([
    ['rdf', '[]', 'application/ld+json'],
    ['datajson', '[]', 'application/json'],
    ['datajson', '{"conformsTo":"x","dataset":null}', 'application/json'],
  ] as const)('for %s: %s', async (importer, body, type) => {
    const found = await reading(importer, { body, type })
    expect([found.end?.kind, found.problem]).toEqual(['incomplete', 'source-empty'])
    expect(found.findings).toEqual([expect.stringContaining('no dataset found')])
  })

  it.each([
    ['rdf', `@prefix dcat: <${dcat}> . <https://s.example/> a dcat:Catalog .`, 'text/turtle'],
    ['datajson', '{"@type":"dcat:Catalog","dataset":[]}', 'application/json'],
  ] as const)('that is a catalogue in %s is empty, and no fault', async (importer, body, type) => {
    const found = await reading(importer, { body, type }, {}, false)
    expect([found.end?.kind, found.findings]).toEqual(['complete', []])
    expect((await reading(importer, { body, type }, {}, true)).end?.kind).toBe('incomplete')
  })
})

describe('a wrong type', () => {
  const cases = Object.entries(texts).flatMap(([name, [own, text]]) =>
    [
      'text/html; charset=utf-8',
      'text/csv',
      'application/octet-stream',
      'text/turtle',
      'application/json',
      undefined,
    ].map((type) => [name, type, text, own] as const),
  )
  it.each(cases)('does not keep %s under %s from being read', async (name, type, body, own) => {
    const found = await reading(importerOf(name), { body, ...(type && { type }) })
    expect(found.records).toHaveLength(2)
    expect(found.end?.kind).toBe('complete')
    const isRight = own === type || (name === 'JSON-LD' && type === 'application/json')
    const isLines = name === 'N-Triples' && type === 'text/turtle'
    const shown = type?.replace(/;.*/, '') ?? 'missing'
    const told = `wrong-media-type ${found.address}: The Content-Type is ${shown}; the body is read as`
    const heads = found.findings.map((finding) => finding.replace(/ as [^ ]*$/, ' as'))
    expect(heads).toEqual(isRight || isLines ? [] : [told])
  })

  it.each([
    '<!DOCTYPE html><html><body>Login</body></html>',
    '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
    '<div> <p> <b>Login</b> </div>',
    'Login',
  ])('of a web page is right, and the message names inputFormat: %s', async (body) => {
    for (const importer of ['rdf', 'datajson'] as const) {
      const { problem, failure, address } = await reading(importer, { body, type: 'text/html' })
      expect(problem).toBe('source-html')
      expect(failure?.detail).toContain(address)
      expect(failure?.detail).toContain('inputFormat')
    }
  })
})

const dataset = (body: string) =>
  `@prefix dcat: <${dcat}> . @prefix dct: <${dct}> . <${iri('1')}> a dcat:Dataset ; dct:title "x" ; ${body} .`

describe('parts of a dataset in other named graphs', () => {
  it('are part of its record, whichever graph describes them', async () => {
    const body = `@prefix dcat: <${dcat}> . @prefix dct: <${dct}> . @prefix e: <https://s.example/> .
      e:g1 { e:a a dcat:Dataset ; dct:title "A" ; dcat:distribution e:f1, e:f2 . }
      e:g2 { e:f1 a dcat:Distribution ; dcat:accessURL e:u1 . e:b a dcat:Dataset ; dct:title "B" . }
      e:f2 { e:f2 a dcat:Distribution ; dcat:accessURL e:u2 . }
      e:g3 { e:f2 dct:title "in a graph about something else" . }`
    const { records } = await reading('rdf', { body, type: 'application/trig' })
    const [a, b] = records.map(({ text }) => text)
    for (const url of ['u1', 'u2']) expect(a).toContain(`accessURL> <https://s.example/${url}>`)
    expect(a).not.toContain('something else')
    expect(b?.split('\n')).toHaveLength(3)
  })
})

describe('two addresses in one', () => {
  const [one, two] = ['https://s.example/p/1', 'https://s.example/p/2']
  const separators = [' ', ', ', ',', ';', '; ', '\n  ', '|', ' | ', '%20']
  it.each(separators)('are two links in Turtle, told as what they were: %j', async (between) => {
    const body = dataset(`dcat:landingPage <${one}${between}${two}>`)
    const [record] = (await reading('rdf', { body, type: 'text/turtle' })).records
    expect(record?.text.match(/landingPage> <[^>]*>/g)).toEqual([
      `landingPage> <${one}>`,
      `landingPage> <${two}>`,
    ])
    expect(record?.findings.map(({ slug, value }) => `${slug} ${value}`)).toEqual([
      `repaired-iri ${one}${between}${two}`,
      `repaired-iri ${one}${between}${two}`,
    ])
  })

  it.each(separators)('are two links in a data.json: %j', async (between) => {
    const both = `${one}${between}${two}`
    const entry = {
      identifier: 'a',
      title: 'A',
      landingPage: both,
      distribution: [{ accessURL: both, conformsTo: both }],
    }
    const [record] = (await reading('datajson', { body: JSON.stringify({ dataset: [entry] }) }))
      .records
    for (const property of ['landingPage', 'accessURL', 'conformsTo'])
      expect(record?.text.match(new RegExp(`${property}> <[^>]*>`, 'g'))).toEqual([
        `${property}> <${one}>`,
        `${property}> <${two}>`,
      ])
    expect(
      record?.findings
        .filter(({ slug }) => slug === 'repaired-iri')
        .map(({ value }) => value?.trim()),
    ).toContain(both)
  })

  it('with a comma between stay one name of a dataset', async () => {
    const name = 'https://s.example/d,https://s.example/e'
    const body = `@prefix dcat: <${dcat}> . <${iri('c')}> a dcat:Catalog ; dcat:dataset <${name}> . <${name}> a dcat:Dataset .`
    const { records: found } = await reading('rdf', { body, type: 'text/turtle' })
    expect(found.map(({ sourceId }) => sourceId)).toEqual([name])
  })
})

describe('a language tag', () => {
  it.each([
    ['en_GB', 'en-GB'],
    ['fre', 'fr'],
    ['fra', 'fr'],
    ['ger', 'de'],
    ['deu-CH', 'de-CH'],
    ['eng', 'en'],
  ])('%s is %s, told under a name of its own', async (tag, short) => {
    const [record] = (
      await reading('rdf', { body: dataset(`dct:description "y"@${tag}`), type: 'text/turtle' })
    ).records
    expect(record?.text).toContain(`"y"@${short} .`)
    expect(record?.findings).toEqual([
      { slug: 'repaired-language', detail: `${tag} became ${short}`, value: tag },
    ])
  })

  it.each(['gsw', 'mul', 'ast', 'cnr', 'de-CH', 'x-own'])('%s stays as it is', async (tag) => {
    const [record] = (
      await reading('rdf', { body: dataset(`dct:description "y"@${tag}`), type: 'text/turtle' })
    ).records
    expect(record?.text).toContain(`"y"@${tag} .`)
    expect(record?.findings).toEqual([])
  })

  it('of three letters in JSON is the short one, too', async () => {
    const entry = { identifier: 'a', title: { ger: 'Wald', eng: 'Wood' } }
    const [record] = (await reading('datajson', { body: JSON.stringify({ dataset: [entry] }) }))
      .records
    expect(record?.text).toContain('"Wald"@de')
    expect(record?.findings).toContainEqual({
      slug: 'repaired-language',
      detail: 'dct:title: ger (became de)',
      property: 'dct:title',
      value: 'ger',
      reason: 'became de',
    })
  })
})

describe('a text that is too long', () => {
  it('in a data.json costs the statement, not the record', async () => {
    const long = 'word '.repeat(300_000)
    const entries = [
      { identifier: 'a', title: 'Long', description: long },
      { identifier: 'b', title: 'Short' },
    ]
    const found = await reading('datajson', { body: JSON.stringify({ dataset: entries }) })
    expect(found.records.map(({ sourceId }) => sourceId)).toEqual(['a', 'b'])
    expect(found.records[0]?.text).toContain('"Long"')
    expect(found.records[0]?.findings).toContainEqual(
      expect.objectContaining({
        slug: 'dropped-statement',
        property: 'dct:description',
        value: long.slice(0, 300),
      }),
    )
  })
})

describe('the value of a finding', () => {
  it('is what the source sent', async () => {
    const entry = {
      identifier: 'a',
      title: 'A',
      modified: 'R/P1D',
      landingPage: 'https://s.example/q?x={a}|b',
      distribution: [{ title: 'no url' }],
    }
    const [record] = (await reading('datajson', { body: JSON.stringify({ dataset: [entry] }) }))
      .records
    const told = record?.findings.map(({ slug, value, reason }) => [slug, value, reason])
    expect(told).toContainEqual(['invalid-date', 'R/P1D', 'a frequency'])
    expect(told).toContainEqual([
      'repaired-iri',
      'https://s.example/q?x={a}|b',
      'became https://s.example/q?x=%7Ba%7D%7Cb',
    ])
    expect(told).toContainEqual(['unmapped-value', 'no url', 'it has no address'])
  })
})

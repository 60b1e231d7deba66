import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toLines } from '../../../src/rdf/lines.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { jsonFault } from '../../../src/text/json-fault.ts'

const lines = async (document: unknown) =>
  toLines(await parse(JSON.stringify(document), 'jsonld', { baseIri: 'http://e/x' }))
const object = async (value: unknown, context: object = {}) => {
  const p = { '@id': 'http://e/p' }
  const document = { '@context': { p, ...context }, '@id': 'a', p: value }
  return (await lines(document)).replaceAll('<http://e/a> <http://e/p> ', '').trim()
}
const xsd = (name: string) => `^^<http://www.w3.org/2001/XMLSchema#${name}> .`

describe('values', () => {
  test.each([
    ['x', '"x" .'],
    [1, `"1"${xsd('integer')}`],
    [1.5, `"1.5E0"${xsd('double')}`],
    [true, `"true"${xsd('boolean')}`],
    [
      { '@value': '1.0e6', '@type': 'http://www.w3.org/2001/XMLSchema#double' },
      `"1.0e6"${xsd('double')}`,
    ],
    [
      { '@value': 1, '@type': 'http://www.w3.org/2001/XMLSchema#double' },
      `"1.0E0"${xsd('double')}`,
    ],
    [
      { '@value': { b: [1, 'x'], a: null }, '@type': '@json' },
      '"{\\"a\\":null,\\"b\\":[1,\\"x\\"]}"',
    ],
    [{ '@id': 'tel:+49-40' }, '<tel:+49-40> .'],
    [{ '@list': [] }, '<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> .'],
  ])('%j is %s', async (value, text) => {
    expect(await object(value)).toContain(text)
  })

  test('texts that begin like an IRI keep their spaces', async () => {
    expect(await object('note: one\ntwo\u00a0three')).toBe('"note: one\\ntwo\u00a0three" .')
    const spaced = object({ '@id': 'tel:+49 40' })
    await expect(spaced).rejects.toMatchObject({ kind: 'malformed-rdf' })
  })

  test('lists, reversed properties, included nodes and graphs become triples', async () => {
    const found = await lines({
      '@id': 'http://e/a',
      '@reverse': { 'http://e/r': { '@id': 'http://e/b' } },
      '@included': [{ '@id': 'http://e/c', 'http://e/p': 'in' }],
      '@graph': [{ '@id': 'http://e/d', 'http://e/p': { '@list': ['1', '2'] } }],
    })
    expect(found).toContain('<http://e/b> <http://e/r> <http://e/a> .')
    expect(found).toContain('<http://e/c> <http://e/p> "in" .')
    expect(found.match(/#first>/g)).toHaveLength(2)
  })

  test('a label may hold anything and still is one label', async () => {
    const found = await lines({ '@id': '_:a b> .\n<x', 'http://e/p': { '@id': '_:a b> .\n<x' } })
    expect(found).toMatch(/^(_:\S+) <http:\/\/e\/p> \1 \.\n$/)
  })
})

describe('language tags keep their spelling', () => {
  test.each([
    [{ '@value': 'x', '@language': 'de-DE' }, {}],
    [
      { text: 'x', lang: 'de-DE' },
      { text: '@value', lang: { '@id': '@language' } },
    ],
    [{ 'de-DE': ['x'] }, { p: { '@id': 'http://e/p', '@container': '@language' } }],
    ['x', { '@language': 'de-DE' }],
    ['x', { p: { '@id': 'http://e/p', '@language': 'de-DE' } }],
  ])('in %j', async (value, context) => {
    expect(await object(value, context)).toBe('"x"@de-DE .')
  })

  test('also beside words that only look like them', async () => {
    const found = await object([{ '@value': 'x', '@language': 'de' }, 'DE', { '@id': 'DE' }])
    expect(found).toContain('"x"@de .')
  })

  test('also when one text stands there in two spellings, the outer one last', async () => {
    const tagged = (tag: string) => ({ '@value': 'x', '@language': tag })
    const found = await lines({
      '@id': 'http://e/a',
      'http://e/p': {
        '@id': 'http://e/b',
        'http://e/inner': [{ '@id': 'http://e/c', 'http://e/q': tagged('EN') }],
      },
      'http://e/z': tagged('en'),
    })
    expect(found).toContain('<http://e/c> <http://e/q> "x"@EN .')
    expect(found).toContain('<http://e/a> <http://e/z> "x"@en .')
  })

  test('and a tag that looks like our way to keep it', async () => {
    const tag = 'de-AT-x-capitals-18'
    expect(await object({ '@value': 'x', '@language': tag }, {})).toBe(`"x"@${tag} .`)
  })
})

describe('[T12] bounds', () => {
  test('keys that reach prototypes are dropped', async () => {
    const text =
      '{"@id": "http://e/a", "__proto__": {"http://e/p": "x"}, "constructor": "y", "http://e/q": "z"}'
    expect(toLines(await parse(text, 'jsonld', { baseIri: 'http://e/' }))).toBe(
      '<http://e/a> <http://e/q> "z" .\n',
    )
  })

  test.each([
    ['depth', { a: JSON.parse('['.repeat(64) + ']'.repeat(64)) as unknown }],
    ['contexts', { '@context': Array.from({ length: 17 }, () => ({})) }],
    [
      'terms',
      {
        '@context': Object.fromEntries(
          Array.from({ length: 1_001 }, (_, i) => [`t${i}`, 'http://e/']),
        ),
      },
    ],
  ])('on %s', async (_, document) => {
    await expect(lines(document)).rejects.toMatchObject({ kind: 'malformed-rdf' })
  })

  test.each([
    { '@context': 'http://127.0.0.1:9/c' },
    { '@context': { '@import': 'http://127.0.0.1:9/c' } },
    { 'http://e/p': { '@context': ['http://127.0.0.1:9/c'], 'http://e/q': 1 } },
  ])('[T2] on contexts: %j is not fetched', async (document) => {
    await expect(lines(document)).rejects.toMatchObject({
      kind: 'remote-context',
      detail: expect.stringContaining('http://127.0.0.1:9/c') as string,
    })
  })
})

describe('what expansion lets pass', () => {
  test('a value of several datatypes is refused: one would be lost', async () => {
    await expect(
      lines({ 'http://e/p': { '@value': 'x', '@type': ['http://e/a', 'http://e/b'] } }),
    ).rejects.toMatchObject({
      kind: 'malformed-rdf',
      detail: expect.stringContaining('must be one string') as string,
    })
  })

  test('a reference that looks like a keyword says nothing', async () => {
    const found = await lines({
      '@id': 'http://e/s',
      'http://e/p': { '@id': '@ignoreMe' },
      'http://e/q': { '@id': 'http://e/o' },
    })
    expect(found).toBe('<http://e/s> <http://e/q> <http://e/o> .\n')
  })
})

test('the place of a fault is never behind it: what stands before can be completed to JSON', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, cut) => {
      expect(jsonFault(json)).toBeUndefined()
      const at = cut % (json.length + 1)
      const broken = `${json.slice(0, at)}\u0001${json.slice(at)}`
      expect(jsonFault(broken)?.offset).toBeLessThanOrEqual(at)
    }),
  )
})

test('a node that is no JSON-LD is named by its pointer to those who want no repair', async () => {
  const text = JSON.stringify([{ '@id': 'http://e/a' }, { '@id': null, 'http://e/p': 'x' }])
  await expect(parse(text, 'jsonld', { baseIri: 'http://e/' })).rejects.toMatchObject({
    kind: 'malformed-rdf',
    detail: expect.stringMatching(/^\/1: .*"@id" value must be a string/) as string,
  })
})

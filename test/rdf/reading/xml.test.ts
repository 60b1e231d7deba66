import { describe, expect, test } from 'vitest'
import { toLines } from '../../../src/rdf/lines.ts'
import { parse, type ParseOptions } from '../../../src/rdf/parse.ts'

const rdf = 'xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
const options: ParseOptions = { baseIri: 'http://e/x' }
const lines = async (text: string, more: Partial<ParseOptions> = {}) =>
  toLines(await parse(text, 'rdfxml', { ...options, ...more }))
const property = (content: string) =>
  `<r:Description ${rdf} xmlns="http://e/" r:about="a"><p>${content}</p></r:Description>`
const refusal = (detail: string) => ({
  kind: 'malformed-rdf',
  detail: expect.stringContaining(detail) as string,
})

describe('text', () => {
  test.each([
    ['a<![CDATA[ & ]]>b', 'a & b'],
    ['a<!-- not said -->b', 'ab'],
    [' a\tb ', ' a\\tb '],
    ['&#xD;&#x1F600;', '\\r😀'],
    ['', ''],
  ])('%j is the literal "%s"', async (content, value) => {
    expect(await lines(property(content))).toBe(`<http://e/a> <http://e/p> "${value}" .\n`)
  })

  test('a literal of XML keeps its markup', async () => {
    const source = property('').replace('<p>', '<p r:parseType="Literal">a &amp; <b>c</b>')
    expect(await lines(source)).toContain('"a &amp; <b>c</b>"^^<')
  })
})

test('a document may leave out rdf:RDF', async () => {
  const source = `<T ${rdf} xmlns="http://e/" r:about="a"/>`
  expect(await lines(source)).toBe(
    '<http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/T> .\n',
  )
})

test('language tags are inherited and keep their spelling', async () => {
  const source = `<r:RDF ${rdf} xmlns="http://e/" xmlns:n="http://e/" xml:lang="de-AT"><T r:about="a" n:p="1">
    <q xml:lang="EN"><T r:about="b" n:p="2"/></q><q>3</q><q xml:lang="">4</q></T></r:RDF>`
  const found = await lines(source)
  for (const text of ['"1"@de-AT', '"2"@EN', '"3"@de-AT', '"4" .']) expect(found).toContain(text)
})

describe('[T2] document types', () => {
  const entity = (declaration: string, use: string) =>
    `<!DOCTYPE r:RDF [${declaration}]>\n${property(use)}`

  test.each([
    entity('<!ENTITY a "x">', '&a;'),
    entity('<!ENTITY a SYSTEM "file:///etc/hostname">', '&a;'),
    entity('<!ENTITY % a "x"> %a;', ''),
    `<!DOCTYPE r:RDF SYSTEM "http://127.0.0.1:9/x.dtd">${property('')}`,
    `<!DOCTYPE r:RDF PUBLIC "-//x" "http://127.0.0.1:9/x.dtd">${property('')}`,
  ])('are refused in a body when they declare or point outside: %s', async (source) => {
    await expect(lines(source)).rejects.toMatchObject(refusal('not accepted'))
  })

  test('that say nothing are accepted', async () => {
    expect(await lines(`<!DOCTYPE r:RDF>${property('1')}`)).toContain('"1"')
  })

  test('with internal entities are read when allowed, an external DTD is ignored', async () => {
    const more = { entities: 'internal' } as const
    const source = entity('<!ENTITY ns "http://e/n#"> <!ENTITY b \'&#65;\'>', '&ns;&b;&b;')
    expect(await lines(source, more)).toContain('"http://e/n#AA"')
    const outside = `<!DOCTYPE r:RDF SYSTEM "http://127.0.0.1:9/x.dtd">${property('1')}`
    expect(await lines(outside, more)).toContain('"1"')
  })

  test.each([
    [entity('<!ENTITY a SYSTEM "file:///etc/hostname">', '&a;'), 'external'],
    [entity('<!ENTITY % a "x">', ''), 'external'],
    [entity(`<!ENTITY a "${'x'.repeat(1_025)}">`, ''), '1024'],
    [entity('<!ENTITY a "x">'.repeat(257), ''), '256'],
    [entity(`<!ENTITY a "${'x'.repeat(1_000)}">`, '&a;'.repeat(2_000)), 'ten times'],
    [entity(`<!ENTITY a "x"> ${' '.repeat(65_536)}`, ''), '64 KiB'],
  ])('and their entities have bounds', async (source, detail) => {
    const outcome = lines(source, { entities: 'internal' })
    await expect(outcome).rejects.toMatchObject(refusal(detail))
  })
})

describe('[T12] bounds', () => {
  test.each([
    [`<r:RDF ${rdf} xmlns="http://e/">${'<T><p>'.repeat(60)}`, '100 nested'],
    [
      `<T xmlns="http://e/" ${Array.from({ length: 300 }, (_, i) => `a${i}="1"`).join(' ')}/>`,
      '256',
    ],
    [`<${'T'.repeat(1_025)}/>`, '1 KiB'],
    [property('x'.repeat(10 * 1_048_576 + 1)), '10 MiB'],
  ])('on depth, attributes, names and text', async (source, detail) => {
    await expect(lines(source)).rejects.toMatchObject(refusal(detail))
  })
})

test('rdf:nodeID joins nodes of one document', async () => {
  const source = `<r:RDF ${rdf} xmlns="http://e/"><T r:about="a"><p r:nodeID="n"/></T>
    <r:Description r:nodeID="n"><q>1</q></r:Description></r:RDF>`
  const quads = await parse(source, 'rdfxml', options)
  const link = quads.find(({ predicate }) => predicate.value === 'http://e/p')
  const text = quads.find(({ predicate }) => predicate.value === 'http://e/q')
  expect(link?.object.equals(text?.subject)).toBe(true)
})

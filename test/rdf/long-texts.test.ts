/** A long text is read with turns for others in between, and gives what it would give at once. */

import type { Quad } from '@rdfjs/types'
import { beforeAll, describe, expect, it } from 'vitest'
import { canonicalise } from '../../src/rdf/canonical.ts'
import { toLines } from '../../src/rdf/lines.ts'
import { parse } from '../../src/rdf/parse.ts'
import { readN3 } from '../../src/rdf/reading/n3-reader.ts'
import { formats, type Format } from '../../src/rdf/media-types.ts'
import { serialise } from '../../src/rdf/serialise.ts'
import { splitPart } from '../../src/rdf/writing/document.ts'

const baseIri = 'https://data.example/d'
const statement = (n: number) =>
  `<#${n}> dct:title """Title "${n}" – ä\n🙂"""@en ; dct:format [ dct:title "CSV" ; dct:issued "2020-01-0${(n % 9) + 1}"^^xsd:date ] .\n`
const head =
  '@prefix dct: <http://purl.org/dc/terms/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n'
const long = head + Array.from({ length: 6000 }, (_, n) => statement(n)).join('')

/** How often others were heard while the work went on. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  const state = { turns: 0, isOver: false }
  const other = () => {
    state.turns += 1
    if (!state.isOver) setImmediate(other)
  }
  setImmediate(other)
  await work().finally(() => (state.isOver = true))
  return state.turns
}

describe('a long text', () => {
  let quads: readonly Quad[]
  let hash: string
  beforeAll(async () => {
    quads = await parse(long, 'turtle', { baseIri })
    hash = (await canonicalise(quads)).hash
  })

  it('gives the graph that it gives when it is read at once', async () => {
    const whole = readN3(long, 'turtle', { baseIri })
    expect(quads).toHaveLength(whole.length)
    expect((await canonicalise(whole)).hash).toBe(hash)
    expect(toLines(quads).split('\n')).toHaveLength(toLines(whole).split('\n').length)
  })

  it('is read and canonicalised with turns for others', async () => {
    const reading = () => parse(long, 'turtle', { baseIri })
    expect(await turnsDuring(reading)).toBeGreaterThan(10)
    expect(await turnsDuring(() => canonicalise(quads))).toBeGreaterThan(2)
  })

  it.each((Object.keys(formats) as Format[]).filter((one) => !/^n(?:triples|quads)$/.test(one)))(
    'is written as %s with turns for others, and says what it said',
    async (format) => {
      let text = ''
      const writing = async () => {
        text = await serialise(toLines(quads), format)
      }
      expect(await turnsDuring(writing)).toBeGreaterThan(10)
      const again = await parse(text, format, { baseIri })
      expect((await canonicalise(again)).hash).toBe(hash)
    },
  )

  it('is refused in RDF/XML for a property far down that has no element name', async () => {
    const lines = `${toLines(quads)}<urn:z> <urn:0> "x" .\n`
    await expect(serialise(lines, 'rdfxml')).rejects.toMatchObject({ kind: 'not-acceptable' })
  })

  it('is cut between subjects, and inside of one only when too much is said about it', () => {
    const about = (subject: string, count: number) =>
      Array.from(
        { length: count },
        (_, n) => `<urn:${subject}> <urn:p> "${n} ${'x'.repeat(90)}" .\n`,
      )
    const lines = [about('a', 900), about('b', 9000), about('c', 900)].flat().join('')
    const parts = [...splitPart({ lines })].map((one) => one.lines)
    expect(parts.join('')).toBe(lines)
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(250_000)
    expect(parts.filter((one) => one.includes('<urn:a>'))).toHaveLength(1)
    expect(parts.filter((one) => one.includes('<urn:b>')).length).toBeGreaterThan(3)
    expect(parts.every((one) => one.endsWith(' .\n'))).toBe(true)
  })

  const nodes = Array.from({ length: 3000 }, (_, n) => ({
    '@id': `#${n}`,
    'dct:title': { '@value': `Title ${n}`, '@language': 'en' },
    'dct:format': { 'dct:title': 'CSV' },
    'dct:relation': { '@id': `_:same${n % 7}` },
  }))
  const context = { dct: 'http://purl.org/dc/terms/' }
  const inGraph = JSON.stringify({ '@context': context, '@graph': nodes })
  const inList = JSON.stringify(nodes.map((node) => ({ '@context': context, ...node })))

  it.each([inGraph, inList])(
    'in JSON-LD is read with turns for others, and says what it says as a whole',
    async (text) => {
      let quads = await parse('[]', 'jsonld', { baseIri })
      const reading = async () => {
        quads = await parse(text, 'jsonld', { baseIri })
      }
      expect(await turnsDuring(reading)).toBeGreaterThan(10)
      // A member beside the list: the document is expanded as a whole.
      const whole = JSON.stringify({ '@context': context, '@included': nodes })
      const others = await parse(whole, 'jsonld', { baseIri })
      expect(quads).toHaveLength(nodes.length * 4)
      expect((await canonicalise(quads)).hash).toBe((await canonicalise(others)).hash)
    },
  )

  type Broken = readonly [format: Format, head: string, statement: string, fault: string]
  const xmlHead =
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dct="http://purl.org/dc/terms/">\n'
  const line = '<urn:a> <http://purl.org/dc/terms/title> "Title ä"@en .\n'
  const xmlNode = '<rdf:Description rdf:about="urn:a"><dct:title>ä</dct:title></rdf:Description>\n'
  const broken: readonly Broken[] = [
    ['turtle', head, statement(1), '<#x> dct:title "a" "b" .\n'],
    ['turtle', head, statement(1), '<#x> dct:title "a\n" .\n'],
    ['turtle', head, statement(1), '<#x> dct:title """a .\n'],
    ['turtle', head, statement(1), '<#x> dcat:title "a" .\n'],
    ['turtle', head, statement(1), '<#x> dct:title <a b> .\n'],
    ['turtle', head, statement(1), '<#x> dct:title <http://[> .\n'],
    ['ntriples', '', line, '<urn:a> <urn:b> "c" "d" .\n'],
    ['ntriples', '', line, '<urn:a> <urn:b> <a> .\n'],
    ['nquads', '', line, '<urn:a> <urn:b> "c\\x" .\n'],
    ['rdfxml', xmlHead, xmlNode, '<dct:title>b</dct:titel>\n'],
    ['rdfxml', xmlHead, xmlNode, '<rdf:Description rdf:about="a b&c;"/>\n'],
  ]
  it.each(broken)(
    'in %s that is broken near its end says what a short one says',
    async (...parts) => {
      const [format, start, one, fault] = parts
      const read = (count: number) =>
        parse(`${start}${one.repeat(count)}${fault}`, format, { baseIri }).catch(
          (error: unknown) => error,
        )
      const count = Math.ceil(600_000 / one.length)
      const [far, near] = [await read(count), await read(1)]
      const { errors: [here] = [] } = far as { errors?: { detail: string; line: number }[] }
      const { errors: [there] = [] } = near as { errors?: { detail: string; line: number }[] }
      expect(here?.detail).toBe(there?.detail)
      expect(far).toMatchObject({ kind: 'malformed-rdf' })
      expect(here?.line).toBe((there?.line ?? 0) + (count - 1) * (one.split('\n').length - 1))
    },
  )
})

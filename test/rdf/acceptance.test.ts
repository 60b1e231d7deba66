/** One rule for what may come in, whatever the format: the same statement is taken in all of them or in none, and what is taken can be sent back. */

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../src/errors.ts'
import { statementsOf, toLine, toLines } from '../../src/rdf/lines.ts'
import { formats, type Format } from '../../src/rdf/media-types.ts'
import { parse } from '../../src/rdf/parse.ts'
import { parseStream } from '../../src/rdf/reading/parse-stream.ts'
import { serialise } from '../../src/rdf/serialise.ts'
import { pieces } from './graphs.ts'
import '../support/seed.ts'

const all = Object.keys(formats) as Format[]
const baseIri = 'http://example.org/base/x'
const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'

/** A statement as a client means it; `tag` and `datatype` exclude each other, without both the object is an IRI. */
type Said = {
  readonly subject: string
  readonly predicate: string
  readonly value: string
  readonly tag?: string
  readonly datatype?: string
}

const numeric = (text: string) =>
  Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\U${code.toString(16).toUpperCase().padStart(8, '0')}`
  }).join('')

function triple({ subject, predicate, value, tag, datatype }: Said): string {
  const start = `<${subject}> <${predicate}> `
  if (tag !== undefined) return `${start}"${numeric(value)}"@${tag} .\n`
  if (datatype !== undefined) return `${start}"${numeric(value)}"^^<${datatype}> .\n`
  return `${start}<${value}> .\n`
}

function json({ subject, predicate, value, tag, datatype }: Said): string {
  const object =
    tag === undefined
      ? datatype === undefined
        ? { '@id': value }
        : { '@value': value, '@type': datatype }
      : { '@value': value, '@language': tag }
  return JSON.stringify({ '@id': subject, [predicate]: object })
}

// XML 1.0, 2.2.
const noXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

/** `undefined` for what XML has no words for. */
function xml({ subject, predicate, value, tag, datatype }: Said): string | undefined {
  const [, space = '', name = ''] = /^(.*?)([A-Za-z_][A-Za-z0-9_]*)$/.exec(predicate) ?? []
  if (name === '' || [subject, value, tag ?? '', datatype ?? ''].some((text) => noXml.test(text)))
    return undefined
  const text = (raw: string) =>
    raw.replace(/[&<>"\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
  const attribute =
    tag === undefined
      ? datatype === undefined
        ? ` rdf:resource="${text(value)}"`
        : ` rdf:datatype="${text(datatype)}"`
      : ` xml:lang="${text(tag)}"`
  const inside = tag === undefined && datatype === undefined ? '' : text(value)
  return `<rdf:RDF xmlns:rdf="${rdf}" xmlns:p="${text(space)}"><rdf:Description rdf:about="${text(subject)}"><p:${name}${attribute}>${inside}</p:${name}></rdf:Description></rdf:RDF>`
}

const written = (said: Said, format: Format): string | undefined =>
  format === 'jsonld' ? json(said) : format === 'rdfxml' ? xml(said) : triple(said)

const failed = (error: unknown): undefined => {
  if (error instanceof Failure) return undefined
  throw error
}
const collected = async (batches: AsyncIterable<readonly Quad[]>) => {
  const quads: Quad[] = []
  for await (const batch of batches) quads.push(...batch)
  return quads
}

/** Every way in: whole, in pieces, and as statements without terms. `undefined` = refused. */
const ways: Readonly<
  Record<string, (text: string, format: Format) => Promise<string | undefined>>
> = {
  whole: async (text, format) =>
    parse(text, format, { baseIri }).then((quads) => quads.map(toLine).join('\n'), failed),
  'in pieces': async (text, format) =>
    collected(parseStream(pieces(text, 7), format, { baseIri })).then(
      (quads) => quads.map(toLine).join('\n'),
      failed,
    ),
  'as statements': async (text, format) => {
    const lines: string[] = []
    try {
      for await (const batch of statementsOf(parseStream(pieces(text, 7), format, { baseIri })))
        lines.push(...batch.map(({ line }) => line.trimEnd()))
    } catch (error) {
      return failed(error)
    }
    return lines.join('\n')
  },
}

/** What each format and way makes of a statement. */
async function outcomes(said: Said): Promise<ReadonlyMap<string, string | undefined>> {
  const found = new Map<string, string | undefined>()
  for (const format of all) {
    const text = written(said, format)
    if (text === undefined) continue
    for (const [name, read] of Object.entries(ways))
      found.set(`${format} ${name}`, await read(text, format))
  }
  return found
}

const text = fc.oneof(
  fc.constantFrom(
    '',
    ' x ',
    'a\u0000b',
    '\u0001',
    'a\u000b',
    '\ufffe',
    '\uffff',
    '\u{1ffff}',
    '\u0085\u2028',
  ),
  fc.string({ unit: 'binary', maxLength: 5 }),
)
const iri = fc.constantFrom(
  'http://example.org/a',
  'http://example.org/x/../a',
  'http://example.org/./a?q=%7e#f',
  'HTTP://EXAMPLE.org:80/A',
  'http://example.org',
  'urn:x:y',
  'mailto:a@example.org',
  'tel:+49 40',
  'http://example.org/a b',
  'http://exa mple.org/',
  'http://example.org/a#b#c',
  'http://example.org/%zz',
  'http://example.org/|',
  'http://example.org/\u00e4\u{1f600}',
  'http://example.org/\ue000',
  'http://[::1]/',
  'file:///tmp/../x',
  'a:',
  'dct:title',
)
const predicate = fc.constantFrom(
  'http://example.org/ns#p',
  'http://example.org/1',
  'urn:p',
  'http://purl.org/dc/terms/title',
  `${rdf}type`,
)
const datatype = fc.constantFrom(
  'http://www.w3.org/2001/XMLSchema#string',
  'http://www.w3.org/2001/XMLSchema#integer',
  `${rdf}langString`,
  `${rdf}dirLangString`,
  `${rdf}HTML`,
  `${rdf}JSON`,
  `${rdf}XMLLiteral`,
  'http://example.org/a b',
  'http://example.org/datatype',
)
const tag = fc.constantFrom(
  'en',
  'de-AT',
  'EN',
  'toolongasubtag',
  'en-',
  'e_n',
  'de-1996-x-capitals-18',
  'x',
)
const statement: fc.Arbitrary<Said> = fc.oneof(
  fc.record({ subject: iri, predicate, value: iri }),
  fc.record({ subject: iri, predicate, value: text, tag }),
  fc.record({ subject: iri, predicate, value: text, datatype }),
)

it('a statement is taken in all formats and ways alike, or in none', async () => {
  await fc.assert(
    fc.asyncProperty(statement, async (said) => {
      const found = await outcomes(said)
      const [usual] = found.values()
      expect([...found].filter(([, outcome]) => outcome !== usual)).toEqual([])
    }),
    { numRuns: 400 },
  )
})

/** `undefined` where the format is not offered for a graph: RDF/XML cannot express every one. */
const sent = (quads: readonly Quad[], format: Format): Promise<string | undefined> =>
  serialise(toLines(quads), format).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'not-acceptable') return undefined
    throw error
  })

test.each(all)(
  'what is taken as %s can be sent back in every format that is offered for it',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 4 }), async (statements) => {
        const quads: Quad[] = []
        for (const said of statements) {
          const text = written(said, format)
          if (text !== undefined)
            quads.push(...((await parse(text, format, { baseIri }).catch(failed)) ?? []))
        }
        const unique = [...new Map(quads.map((one) => [toLine(one), one])).values()]
        for (const other of all) {
          const text = await sent(unique, other)
          if (text === undefined) continue
          const back = await parse(text, other, { baseIri })
          expect(back.map(toLine).toSorted()).toEqual(unique.map(toLine).toSorted())
        }
      }),
      { numRuns: 60 },
    )
  },
)

describe('a statement that no RDF 1.1 has', () => {
  it.each([
    ['a literal as subject', '"x" <urn:p> <urn:o> .', /a literal cannot be a subject \(line 1\)/],
    [
      'a literal as predicate',
      '<urn:s> "p" <urn:o> .',
      /only an IRI can be a predicate \(line 1\)/,
    ],
    ['a blank node as predicate', '<urn:s> [] <urn:o> .', /only an IRI can be a predicate/],
    ['a triple as object', '<urn:s> <urn:p> <<( <urn:a> <urn:b> <urn:c> )>> .', /malformed-rdf/],
    ['no language', `<urn:s> <urn:p> "x"^^<${rdf}langString> .`, /malformed-rdf/],
  ])('%s is refused as N3, whole and in pieces', async (_, text, why) => {
    await expect(parse(text, 'n3', { baseIri })).rejects.toThrow(why)
    await expect(collected(parseStream(pieces(text, 5), 'n3', { baseIri }))).rejects.toThrow(why)
  })
})

describe('a source that is repaired', () => {
  it.each(['turtle', 'ntriples', 'jsonld', 'rdfxml'] as const)(
    'may call a text without language a langString in %s: it is plain text then, and that is reported',
    async (format) => {
      const said = { subject: 'urn:s', predicate: 'http://example.org/p', value: 'x' }
      const text = written({ ...said, datatype: `${rdf}langString` }, format) ?? ''
      const repairs: string[] = []
      const repair = ({ kind }: { readonly kind: string }) => void repairs.push(kind)
      const quads = await parse(text, format, { baseIri, repair })
      expect(quads.map(toLine)).toEqual(['<urn:s> <http://example.org/p> "x" .'])
      expect(repairs).toEqual(['language'])
    },
  )
})

/** Where nodes of a class stand: the line in formats of lines, the JSON Pointer in JSON-LD. */

import '../../support/seed.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Format } from '../../../src/rdf/media-types.ts'
import { parse } from '../../../src/rdf/parse.ts'
import type { ParseOptions } from '../../../src/rdf/reading/options.ts'
import { parseStream } from '../../../src/rdf/reading/parse-stream.ts'

const baseIri = 'https://base.example/'
const dataset = 'http://www.w3.org/ns/dcat#Dataset'
const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'

/** Everything that was told, and the options under which it is. */
const listening = () => {
  const told: (number | string)[] = []
  const nodes: string[] = []
  const options: ParseOptions = {
    baseIri,
    placeRequest: {
      classes: new Set([dataset]),
      report: (node, place) => {
        told.push('line' in place ? place.line : place.pointer)
        nodes.push(node)
      },
    },
  }
  return { told, nodes, options }
}

async function* inPieces(text: string, size: number): AsyncIterable<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

describe('the lines of nodes', () => {
  const readers = {
    'N-Triples': [parseStream, 'ntriples'],
    'N-Quads': [parseStream, 'nquads'],
    Turtle: [parseStream, 'turtle'],
  } as const satisfies Record<string, readonly [typeof parseStream, Format]>

  it.each(Object.entries(readers))('of %s are told, however it is written', async (_, by) => {
    const [read, format] = by
    const other = fc.constantFrom(
      `<urn:a> <${type}> <${dataset}> .`,
      '_:x <urn:p> "one" .',
      `_:x <urn:p> <${dataset}> .`,
      // These the scanner does not know: the parser goes on from there.
      '# a comment',
      '',
      '  _:x   <urn:p>   "spaced" .',
    )
    const line = fc.oneof(
      { weight: 3, arbitrary: other },
      { weight: 1, arbitrary: fc.constant(`_:x <${type}> <${dataset}> .`) },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 30 }),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 200 }),
        async (lines, end, size) => {
          const { told, options } = listening()
          const source = inPieces(lines.join(end), size)
          let found = 0
          for await (const batch of read(source, format, options)) found += batch.length
          expect(found).toBe(lines.filter((text) => text.endsWith(' .')).length)
          expect(told).toEqual(
            lines.flatMap((text, at) => (text.includes(` <${type}> `) ? [at + 1] : [])),
          )
        },
      ),
    )
  })
})

describe('the places of nodes in JSON-LD', () => {
  const pointersIn = async (document: unknown) => {
    const { told, options } = listening()
    await parse(JSON.stringify(document), 'jsonld', options)
    return told
  }
  const context = {
    dcat: 'http://www.w3.org/ns/dcat#',
    kind: '@type',
    raw: { '@id': 'urn:raw', '@type': '@json' },
    urn: 'https://elsewhere.example/',
  }

  it.each([
    ['in a graph', { '@graph': [{ '@id': 'urn:a' }, { '@type': 'dcat:Dataset' }] }, ['/@graph/1']],
    ['alone', { '@type': ['dcat:Dataset'], 'dcat:keyword': 'x' }, ['']],
    ['under an alias', { '@graph': [{ kind: 'dcat:Dataset' }] }, ['/@graph/0']],
    [
      'in a catalogue, which may come twice',
      { 'dcat:dataset': [{ '@type': 'dcat:Dataset' }, { '@type': dataset, '@id': '_:b' }] },
      ['/dcat:dataset/0', '/dcat:dataset/1'],
    ],
    [
      'below a name with slashes',
      { 'https://x.example/~p': { '@type': 'dcat:Dataset' } },
      ['/https:~1~1x.example~1~0p'],
    ],
    ['of another class', { '@graph': [{ '@type': 'urn:other#Dataset' }] }, []],
  ])('are told %s', async (_, document, expected) => {
    expect(await pointersIn({ '@context': context, ...document })).toEqual(expected)
  })

  it('change nothing of what is read', async () => {
    const documents = [
      { '@graph': [{ '@type': 'dcat:Dataset', 'dcat:keyword': 'x' }, { '@type': 'dcat:Dataset' }] },
      { raw: { '@type': 'dcat:Dataset', b: 1, a: [{ kind: 'dcat:Dataset' }] } },
      { 'dcat:keyword': { '@value': 'x', '@type': 'dcat:Dataset' } },
      { 'dcat:theme': { '@list': [{ '@type': 'dcat:Dataset' }] } },
    ]
    for (const one of documents) {
      const text = JSON.stringify({ '@context': context, '@id': 'urn:s', ...one })
      const [plain, placed] = await Promise.all([
        parse(text, 'jsonld', { baseIri }),
        parse(text, 'jsonld', listening().options),
      ])
      const shown = (quads: typeof plain) =>
        quads.map(({ subject, predicate, object }) =>
          [subject, predicate, object].map(
            (term) => `${term.termType} ${term.value.replace(/^p\d+_/, '')}`,
          ),
        )
      expect(shown(placed)).toEqual(shown(plain))
    }
  })

  it('are told with the names that the nodes have in the quads', async () => {
    const { nodes, options } = listening()
    const quads = await parse(
      JSON.stringify({ '@context': context, '@graph': [{ '@type': 'dcat:Dataset' }] }),
      'jsonld',
      options,
    )
    expect(nodes).toEqual(quads.map(({ subject }) => `_:${subject.value}`))
  })
})

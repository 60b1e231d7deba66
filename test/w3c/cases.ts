/** The cases of the W3C suites for readers: RDF 1.1 (Turtle, TriG, N-Triples, N-Quads, RDF/XML) and JSON-LD 1.1 `toRdf`. */

import { isomorphic } from 'rdf-isomorphic'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../src/errors.ts'
import { formatOfSuffix, type Format } from '../../src/rdf/media-types.ts'
import { parse } from '../../src/rdf/parse.ts'
import { firstObject, graphOf, textOf, type Graph } from '../../src/rdf/read.ts'
import { toLine } from '../../src/rdf/lines.ts'
import { unpacked } from './archive.ts'

export type Case = {
  /** `{suite}#{name}`, unique. */
  readonly id: string
  readonly format: Format
  readonly text: string
  readonly base: string
  /** Absent: it must not be read. `'any'`: it must be read, whatever comes out. */
  readonly expected?: { readonly text: string; readonly format: Format } | 'any'
}

const mf = (name: string) => `http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#${name}`
const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'

const suites = ['rdf-turtle', 'rdf-trig', 'rdf-n-triples', 'rdf-n-quads', 'rdf-xml'] as const

const formatOf = (path: string): Format => {
  const format = formatOfSuffix(path.slice(path.lastIndexOf('.') + 1))
  if (!format) throw new Error(`${path} has no known format`)
  return format
}

/** 992 cases. */
export async function rdf11(): Promise<readonly Case[]> {
  const files = unpacked('rdf11-syntax')
  const text = (path: string) => new TextDecoder().decode(files.get(path))
  const found: Case[] = []
  for (const suite of suites) {
    const folder = `rdf/rdf11/${suite}/`
    const here = `https://w3c.github.io/rdf-tests/${folder}`
    const graph = graphOf(await parse(text(`${folder}manifest.ttl`), 'turtle', { baseIri: here }))
    const inFolder = (iri: string) => iri.slice('https://w3c.github.io/rdf-tests/'.length)
    for (const test of graph.subjects()) {
      const action = firstObject(graph, test, mf('action'))?.value
      if (action === undefined) continue
      const path = inFolder(action)
      const result = firstObject(graph, test, mf('result'))?.value
      const expected =
        result === undefined
          ? isPositive(graph, test) && ('any' as const)
          : { text: text(inFolder(result)), format: formatOf(result) }
      found.push({
        id: `${suite}#${textOf(graph, test, mf('name'))}`,
        format: formatOf(path),
        text: text(path),
        base: action,
        ...(expected && { expected }),
      })
    }
  }
  return found
}

const isPositive = (graph: Graph, test: string) =>
  !(firstObject(graph, test, rdfType)?.value ?? '').includes('Negative')

type JsonCase = {
  readonly '@id': string
  readonly '@type': readonly string[]
  readonly input: string
  readonly expect?: string
  readonly option?: { readonly base?: string }
}

/** 467 cases. */
export function jsonLd11(): readonly Case[] {
  const files = unpacked('jsonld11-toRdf')
  const text = (path: string) => new TextDecoder().decode(files.get(`tests/${path}`))
  const manifest = JSON.parse(text('toRdf-manifest.jsonld')) as {
    readonly baseIri: string
    readonly sequence: readonly JsonCase[]
  }
  return manifest.sequence.map((one) => {
    const type = one['@type'].join(' ')
    const expected =
      one.expect === undefined
        ? type.includes('PositiveSyntax') && ('any' as const)
        : { text: text(one.expect), format: 'nquads' as const }
    return {
      id: `json-ld${one['@id']}`,
      format: 'jsonld',
      text: text(one.input),
      base: one.option?.base ?? manifest.baseIri + one.input,
      ...(expected && { expected }),
    }
  })
}

const distinct = (quads: readonly Quad[]) => [
  ...new Map(quads.map((one) => [`${toLine(one)} ${one.graph.value}`, one])).values(),
]

/** Whether two documents say the same, whatever their blank nodes are called. */
export const same = (one: readonly Quad[], other: readonly Quad[]): boolean =>
  isomorphic(distinct(one), distinct(other))

export type Reading = (text: string, format: Format, base: string) => Promise<readonly Quad[]>

/** What is wrong with how `read` takes a case; `undefined` when nothing is. */
export async function fault(
  { text, format, base, expected }: Case,
  read: Reading,
): Promise<string | undefined> {
  const right =
    typeof expected === 'object' &&
    (await parse(expected.text, expected.format, { baseIri: base }).catch(() => undefined))
  if (right === undefined) return 'expects what is no RDF 1.1'
  let quads: readonly Quad[]
  try {
    quads = await read(text, format, base)
  } catch (error) {
    if (!(error instanceof Failure)) return `makes the reader fail: ${String(error)}`
    return expected ? `is refused: ${String(error)}` : undefined
  }
  if (!expected) return 'is read, and must not be'
  return !right || same(quads, right) ? undefined : 'means something else'
}

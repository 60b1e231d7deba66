/** Writes documents of any length part by part. */
import { quoteIri, fromLines, splitLines } from '../lines.ts'
import type { Format } from '../media-types.ts'
import { jsonLdHead, jsonLdPart, jsonLdTail } from './json-ld.ts'
import { turtlePart } from './turtle.ts'
import { rdfXmlHead, rdfXmlPart, rdfXmlTail } from './xml.ts'

/** One graph of a document. Parts must not share blank nodes, unless these have the same labels in all parts. */
export type Part = {
  /** Name in TriG and N-Quads; absent for the default graph. Other formats write the union of all parts. */
  readonly graph?: string
  /** N-Triples as written by `toLines`; blank nodes are permitted. */
  readonly lines: string
  /** Whether its blank nodes may occur in other parts under the same labels. */
  readonly isDivided?: boolean
}

type WriterOptions = {
  /** Whether all parts belong to one graph and share blank nodes. */
  readonly isDivided?: boolean
  /** Whether RDF/XML throws `not-acceptable` for statements that it cannot express. */
  readonly isStrict?: boolean
}

/** Writer of a document: `head`, any number of parts, `tail`. */
export type DocumentWriter = {
  readonly head: string
  /** Writes a part; empty for no triples. Without `isStrict`, statements that RDF/XML cannot express become comments. */
  readonly part: (part: Part) => string
  readonly tail: string
}

/** Creates the writer of one document; memory is bounded by the largest part. */
export function documentWriter(
  format: Format,
  { isDivided = false, isStrict = false }: WriterOptions = {},
): DocumentWriter {
  switch (format) {
    case 'ntriples':
      return writerOf(({ lines }) => lines)
    case 'nquads':
      return writerOf(({ lines, graph }) => inGraph(lines, graph))
    case 'turtle':
    case 'n3':
      return turtleWriter(false, isDivided)
    case 'trig':
      return turtleWriter(true, isDivided)
    case 'jsonld':
      return jsonLdWriter(isDivided)
    case 'rdfxml':
      return rdfXmlWriter(isDivided, isStrict)
    default:
      throw new Error(`unknown format ${String(format satisfies never)}`)
  }
}

const writerOf = (part: DocumentWriter['part']): DocumentWriter => ({ head: '', part, tail: '' })

/** Adds the graph name to lines (N-Quads). Literals contain no raw line ends, so ` .` before one ends a triple. */
export function inGraph(lines: string, graph: string | undefined): string {
  const end = graph === undefined ? ' .\n' : ` ${quoteIri(graph)} .\n`
  return lines.replaceAll(' .\n', () => end)
}

function turtleWriter(hasGraphNames: boolean, areDivided: boolean): DocumentWriter {
  const declaredPrefixes = new Set<string>()
  return writerOf(({ lines, graph, isDivided = areDivided }) => {
    if (lines === '') return ''
    const options = { graph: hasGraphNames ? graph : undefined, isDivided }
    return `${turtlePart(fromLines(lines), declaredPrefixes, options)}\n`
  })
}

function jsonLdWriter(areDivided: boolean): DocumentWriter {
  let separator = '\n'
  return {
    head: jsonLdHead,
    part: ({ lines, isDivided = areDivided }) => {
      const nodes = jsonLdPart(fromLines(lines), isDivided)
      if (nodes.length === 0) return ''
      const text = `${separator}${nodes.join(',\n')}`
      separator = ',\n'
      return text
    },
    tail: jsonLdTail,
  }
}

function rdfXmlWriter(areDivided: boolean, isStrict: boolean): DocumentWriter {
  let count = 0
  return {
    head: rdfXmlHead,
    part: ({ lines, isDivided = areDivided }) => {
      count += 1
      return rdfXmlPart(fromLines(lines), {
        labels: isDivided ? undefined : `b${count}_`,
        isStrict,
      })
    },
    tail: rdfXmlTail,
  }
}

/** Splits a long part into short ones, so that the caller can yield to the event loop in between. */
export function* splitPart(part: Part): Generator<Part, void> {
  const [first, ...others] = splitLines(part.lines)
  if (first === undefined || others.length === 0) yield part
  else for (const lines of [first, ...others]) yield { ...part, lines, isDivided: true }
}

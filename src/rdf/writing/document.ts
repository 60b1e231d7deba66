/** Documents that are written part by part, so that their length is bounded by nothing but the reader's patience. */
import { bracketed, fromLines, shortTexts } from '../lines.ts'
import type { Format } from '../media-types.ts'
import { jsonLdHead, jsonLdPart, jsonLdTail } from './json-ld.ts'
import { turtlePart } from './turtle.ts'
import { rdfXmlHead, rdfXmlPart, rdfXmlTail } from './xml.ts'

/** One graph of a document. Blank nodes must not be shared between parts, unless they have the same label in each. */
export type Part = {
  /** Its name in TriG and N-Quads; absent = the default graph. The other formats write the union of all parts. */
  readonly graph?: string
  /** N-Triples in our own spelling, blank nodes allowed. */
  readonly lines: string
  /** Its blank nodes may stand in other parts too, under the same labels. */
  readonly isDivided?: boolean
}

type WriterOptions = {
  /** All parts are those of one graph and share blank nodes. */
  readonly divided?: boolean
  /** RDF/XML throws `Failure('not-acceptable')` for what it cannot express. */
  readonly isStrict?: boolean
}

/** `head`, then any number of parts, then `tail` are one well-formed document. */
export type DocumentWriter = {
  readonly head: string
  /** Empty for a part without triples. What RDF/XML cannot express is left out with a comment (decision 0033). */
  readonly part: (part: Part) => string
  readonly tail: string
}

/** A writer for one document. Its memory is that of the largest part. */
export function documentWriter(
  format: Format,
  { divided = false, isStrict = false }: WriterOptions = {},
): DocumentWriter {
  switch (format) {
    case 'ntriples':
      return plain(({ lines }) => lines)
    case 'nquads':
      return plain(({ lines, graph }) => inGraph(lines, graph))
    case 'turtle':
    case 'n3':
      return turtleWriter(false, divided)
    case 'trig':
      return turtleWriter(true, divided)
    case 'jsonld':
      return jsonLdWriter(divided)
    case 'rdfxml':
      return rdfXmlWriter(divided, isStrict)
    default:
      throw new Error(`unknown format ${String(format satisfies never)}`)
  }
}

const plain = (part: DocumentWriter['part']): DocumentWriter => ({ head: '', part, tail: '' })

/** Lines as N-Quads; a literal holds no raw line end, so ` .` before one ends a triple. */
export function inGraph(lines: string, graph: string | undefined): string {
  const end = graph === undefined ? ' .\n' : ` ${bracketed(graph)} .\n`
  return lines.replaceAll(' .\n', () => end)
}

function turtleWriter(named: boolean, divided: boolean): DocumentWriter {
  const declared = new Set<string>()
  return plain(({ lines, graph, isDivided = divided }) => {
    if (lines === '') return ''
    const options = { graph: named ? graph : undefined, divided: isDivided }
    return `${turtlePart(fromLines(lines), declared, options)}\n`
  })
}

function jsonLdWriter(divided: boolean): DocumentWriter {
  let separator = '\n'
  return {
    head: jsonLdHead,
    part: ({ lines, isDivided = divided }) => {
      const nodes = jsonLdPart(fromLines(lines), isDivided)
      if (nodes.length === 0) return ''
      const text = `${separator}${nodes.join(',\n')}`
      separator = ',\n'
      return text
    },
    tail: jsonLdTail,
  }
}

function rdfXmlWriter(divided: boolean, isStrict: boolean): DocumentWriter {
  let count = 0
  return {
    head: rdfXmlHead,
    part: ({ lines, isDivided = divided }) => {
      count += 1
      return rdfXmlPart(fromLines(lines), {
        labels: isDivided ? undefined : `b${count}_`,
        isStrict,
      })
    },
    tail: rdfXmlTail,
  }
}

/** A part that takes long to write as several short ones, so that others can have a turn between them; a short one as it is. */
export function* shortParts(part: Part): Generator<Part, void> {
  const [first, ...others] = shortTexts(part.lines)
  if (first === undefined || others.length === 0) yield part
  else for (const lines of [first, ...others]) yield { ...part, lines, isDivided: true }
}

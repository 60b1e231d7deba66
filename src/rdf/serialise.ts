/** Serialises a graph in any format; parsing the result gives the same graph with identical literals. */
import type { Quad } from '@rdfjs/types'
import { nextTurn } from '../workers/event-loop.ts'
import { fromLines, sortedLines } from './lines.ts'
import type { Format } from './media-types.ts'
import { documentWriter, inGraph, type Part, splitPart } from './writing/document.ts'
import { jsonLd } from './writing/json-ld.ts'
import { turtlePart } from './writing/turtle.ts'
import { rdfXml } from './writing/xml.ts'

/**
 * Serialises a graph given as distinct lines (`toLines`); line-based formats need no parsing. `graph` is its name in TriG and
 * N-Quads. Throws `not-acceptable` if RDF/XML cannot express the graph (predicates without a local name, control characters).
 */
export async function serialise(
  lines: string,
  format: Format,
  { graph }: { readonly graph?: string } = {},
): Promise<string> {
  if (format === 'ntriples') return sortedLines(lines)
  if (format === 'nquads') return inGraph(sortedLines(lines), graph)
  const [part, ...others] = splitPart({ lines, graph })
  return part && others.length > 0
    ? partByPart([part, ...others], format)
    : serialiseWhole(fromLines(lines), format, graph)
}

/**
 * Serialises in parts and yields to the event loop before each. All blank nodes are labelled, because a node may occur in
 * several parts.
 */
async function partByPart(parts: readonly Part[], format: Format): Promise<string> {
  const { head, part, tail } = documentWriter(format, { isStrict: true })
  const texts = [head]
  for (const next of parts) {
    await nextTurn()
    texts.push(part(next))
  }
  return texts.concat(tail).join('')
}

function serialiseWhole(
  quads: readonly Quad[],
  format: Exclude<Format, 'ntriples' | 'nquads'>,
  graph: string | undefined,
): string {
  switch (format) {
    case 'turtle':
    case 'n3':
      return turtlePart(quads, new Set())
    case 'trig':
      return turtlePart(quads, new Set(), { graph })
    case 'jsonld':
      return jsonLd(quads)
    case 'rdfxml':
      return rdfXml(quads)
    default:
      throw new Error(`unknown format ${String(format satisfies never)}`)
  }
}

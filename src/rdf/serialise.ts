/** A graph out as text of any format; what goes out parses back to the same graph, byte for byte in its literals. */
import type { Quad } from '@rdfjs/types'
import { nextTurn } from '../workers/event-loop.ts'
import { endedLines, fromLines } from './lines.ts'
import type { Format } from './media-types.ts'
import { documentWriter, inGraph, type Part, shortParts } from './writing/document.ts'
import { jsonLd } from './writing/json-ld.ts'
import { turtlePart } from './writing/turtle.ts'
import { rdfXml } from './writing/xml.ts'

/**
 * Writes a graph that is there as lines of our own spelling, without doubles; where the format has lines too, nothing is parsed.
 * `graph` is its name in TriG and N-Quads. RDF/XML cannot hold every graph (predicates without a local name, control
 * characters): `Failure('not-acceptable')` then.
 */
export async function serialise(
  lines: string,
  format: Format,
  { graph }: { readonly graph?: string } = {},
): Promise<string> {
  if (format === 'ntriples') return sortedLines(lines)
  if (format === 'nquads') return inGraph(sortedLines(lines), graph)
  const [part, ...others] = shortParts({ lines, ...(graph !== undefined && { graph }) })
  return part && others.length > 0
    ? partByPart([part, ...others], format)
    : atOnce(fromLines(lines), format, graph)
}

/** Others have a turn before each part. Blank nodes have labels, and a node may stand in several parts. */
async function partByPart(parts: readonly Part[], format: Format): Promise<string> {
  const { head, part, tail } = documentWriter(format, { isStrict: true })
  const texts = [head]
  for (const one of parts) {
    await nextTurn()
    texts.push(part(one))
  }
  return texts.concat(tail).join('')
}

function atOnce(
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

/** Blank nodes that have come back stand elsewhere in the order than the IRIs that they were. */
function sortedLines(lines: string): string {
  const all = lines.split('\n')
  all.pop()
  return endedLines(all.sort())
}

/** The documents that the records of a file become, and what is left out of them. */

import type { Quad } from '@rdfjs/types'
import type { Profile } from '../../profile/fields.ts'
import { names } from '../../rdf/names.ts'
import { graphOf } from '../../rdf/read.ts'
import { conceptCache } from '../concepts.ts'
import { loadBundled } from '../../vocabularies/authorities.ts'
import { documentBuilder, type Built, type DocumentBuilder } from '../document.ts'
import { schemeIn } from '../../vocabularies/concept.ts'
import { classesOf, recordsIn, type Found, type Records } from './records.ts'

/** The file holds nothing that the profile would index. */
export class NoRecord extends Error {}

/** A record without version and hash, which only the store knows. */
const unstored = { version: 0, hash: '' }

function built(found: Found, records: Records, builder: DocumentBuilder): Built {
  const { kind, id, iri } = found
  const input = { id, iri, graph: records.graph, ...unstored }
  if (kind === 'catalogue') return builder.catalogue(input)
  const catalogue = records.catalogueOf(iri)
  if (kind === 'dataset') return builder.dataset({ ...input, catalogue })
  return builder.resource(kind, kind.inCatalogue ? { ...input, catalogue } : input)
}

/** The documents of all records, or of all concepts where there is no record. Throws `NoRecord`. */
export async function documentsOf(
  quads: readonly Quad[],
  from: { readonly profile: Profile; readonly base: string; readonly vocabularies: string },
): Promise<readonly Built[]> {
  const { profile, base } = from
  const iris = names(base)
  const concepts = conceptCache(await loadBundled(from.vocabularies))
  const builder = documentBuilder({ profile, concepts, names: iris })
  const records = recordsIn(quads, profile, iris)
  if (records.found.length > 0) return records.found.map((one) => built(one, records, builder))
  const graph = graphOf(quads)
  const scheme = schemeIn(graph)
  const vocabulary = 'vocabulary'
  const all =
    scheme === undefined ? [] : builder.concepts({ vocabulary, scheme, graph, ...unstored })
  if (all.length > 0) return all
  const classes = classesOf(quads)
  throw new NoRecord(
    classes.length > 0
      ? `no record of the profile ${profile.id}; the file describes ${classes.join(', ')}`
      : 'no record: nothing in the file has a class',
  )
}

/** Documents as text: the JSON of each record, and a table of what is left out. */
export function documentsText(all: readonly Built[]): string {
  return all
    .map(({ document, reports }) => {
      const title = `# ${document.index} ${document.id}`
      const rows = reports.map(({ field, problem, value }) => `#   ${field}  ${problem}  ${value}`)
      const left = rows.length > 0 ? ['# left out:', ...rows] : ['# nothing is left out']
      return [title, JSON.stringify(document.record, null, 2), ...left, ''].join('\n')
    })
    .join('\n')
}

/** The same as one JSON array. */
export const documentsJson = (all: readonly Built[]): string =>
  `${JSON.stringify(
    all.map(({ document: { index, id, record }, reports }) => ({
      index,
      id,
      record,
      leftOut: reports,
    })),
    null,
    2,
  )}\n`

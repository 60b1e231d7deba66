/** The documents that the records of a file become, and what is left out of them. */

import type { NamedNode, Quad, Term } from '@rdfjs/types'
import type { Profile, ResourceType } from '../../profile/profile.ts'
import { platformId } from '../../rdf/ids.ts'
import { names, type Names } from '../../rdf/names.ts'
import { dcat, dct, rdf } from '../../rdf/namespaces.ts'
import { type Graph, graphOf, instances, keyOf } from '../../rdf/read.ts'
import { namedNode, quad } from '../../rdf/terms.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import { loadBundled } from '../../vocabularies/authorities.ts'
import { schemeIn } from '../../vocabularies/concept.ts'
import type { Built } from '../building/document.ts'
import { documentBuilder, type DocumentBuilder } from '../building/document.ts'
import { conceptCache } from '../concept-cache.ts'

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
  const types = quads.filter(({ predicate }) => predicate.equals(rdf('type')))
  const classes = [...new Set(types.map(({ object }) => object.value))]
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

// Finds the records in a document and gives them the names that they would have on the platform.

type Found = {
  readonly kind: 'dataset' | 'catalogue' | ResourceType
  readonly id: string
  /** IRI on the platform. */
  readonly iri: string
}

type Records = {
  readonly graph: Graph
  readonly found: readonly Found[]
  /** The catalogue that names a dataset, else the first one of the document, else an empty one. */
  readonly catalogueOf: (iri: string) => { readonly id: string; readonly graph: Graph }
}

/** As the importer calls it: a dataset by its identifier, else its IRI; everything else by the end of its IRI. */
function idOf(graph: Graph, key: string, kind: Found['kind'], names: Names): string {
  const known = typeof kind === 'string' ? names.idOf(kind, key) : undefined
  const isText = (term: Term) => term.termType === 'Literal' && term.value.trim() !== ''
  const [identifier = key] = graph
    .objects(key, dct('identifier'))
    .filter(isText)
    .map(({ value }) => value)
    .sort(compareCodePoints)
  const last = key.replace(/\/+$/, '').split(/[/#:]/).at(-1) ?? ''
  return known ?? (platformId(kind === 'dataset' ? identifier : last) || 'record')
}

const nameOf = (kind: Found['kind'], id: string, names: Names): string =>
  typeof kind === 'string' ? names[kind](id) : names.resource(kind.id, id)

/** The records of a document: of custom types, datasets, catalogues; the first class that fits counts. */
function recordsIn(quads: readonly Quad[], profile: Profile, names: Names): Records {
  const source = graphOf(quads)
  const classes: readonly (readonly [Found['kind'], NamedNode | string])[] = [
    ...profile.resources.map((type) => [type, type.typeUri] as const),
    ['dataset', dcat('Dataset')],
    ['dataset', dcat('DatasetSeries')],
    ['catalogue', dcat('Catalog')],
  ]
  const records = new Map<string, Found>()
  const taken = new Set<string>()
  for (const [kind, one] of classes)
    for (const key of instances(source, one)) {
      if (records.has(key)) continue
      const wanted = idOf(source, key, kind, names)
      // A second record with an id gets `~~1`, as on the platform.
      let id = wanted
      for (let n = 1; taken.has(nameOf(kind, id, names)); n += 1) id = `${wanted}~~${n}`
      const iri = nameOf(kind, id, names)
      taken.add(iri)
      records.set(key, { kind, id, iri })
    }
  const named = <T extends Term>(term: T) => {
    const record = term.termType === 'Literal' ? undefined : records.get(keyOf(term))
    return record ? namedNode(record.iri) : term
  }
  const graph = graphOf(
    quads.map(({ subject, predicate, object }) => quad(named(subject), predicate, named(object))),
  )
  const found = [...records.values()]
  const catalogues = found.filter(({ kind }) => kind === 'catalogue')
  return {
    graph,
    found,
    catalogueOf: (iri) => {
      const links = (catalogue: Found) =>
        graph.objects(catalogue.iri, dcat('dataset')).some(({ value }) => value === iri)
      const chosen = catalogues.find(links) ?? catalogues[0]
      return chosen ? { id: chosen.id, graph } : { id: 'catalogue', graph: graphOf([]) }
    },
  }
}

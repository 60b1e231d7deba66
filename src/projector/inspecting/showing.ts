/** The documents that the records of a file become, and what is left out of them. */

import type { Quad, Term } from '@rdfjs/types'
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

const afterLast = (key: string) => key.replace(/\/+$/, '').split(/[/#:]/).at(-1) ?? ''

/** As the importer calls it: a dataset by its identifier, else its IRI; everything else by the end of its IRI. */
function idOf(graph: Graph, key: string, kind: Found['kind'], names: Names): string {
  const known = kind === 'dataset' || kind === 'catalogue' ? names.idOf(kind, key) : undefined
  const origin = kind === 'dataset' ? (textsOf(graph, key)[0] ?? key) : afterLast(key)
  return known ?? (platformId(origin) || 'record')
}

/** A second record with an id gets `~~1`, as on the platform. */
function freeId(id: string, taken: ReadonlySet<string>, nameOf: (id: string) => string): string {
  if (!taken.has(nameOf(id))) return id
  for (let n = 1; ; n += 1) if (!taken.has(nameOf(`${id}~~${n}`))) return `${id}~~${n}`
}

const textsOf = (graph: Graph, key: string) =>
  graph
    .objects(key, dct('identifier'))
    .filter((term) => term.termType === 'Literal' && term.value.trim() !== '')
    .map(({ value }) => value)
    .sort(compareCodePoints)

const datasetClasses = [dcat('Dataset'), dcat('DatasetSeries')]

function rootsOf(graph: Graph, profile: Profile) {
  const keys = (kind: Found['kind'], classes: readonly Parameters<typeof instances>[1][]) =>
    [...new Set(classes.flatMap((one) => instances(graph, one)))].map((key) => ({ kind, key }))
  return [
    ...profile.resources.flatMap((type) => keys(type, [type.typeUri])),
    ...keys('dataset', datasetClasses),
    ...keys('catalogue', [dcat('Catalog')]),
  ]
}

const nameOf = (kind: Found['kind'], id: string, names: Names): string =>
  typeof kind === 'string' ? names[kind](id) : names.resource(kind.id, id)

/** The quads with records called as on the platform. */
function renamed(quads: readonly Quad[], iris: ReadonlyMap<string, string>): readonly Quad[] {
  const named = (key: string) => {
    const iri = iris.get(key)
    return iri === undefined ? undefined : namedNode(iri)
  }
  const isNode = (term: Term) => term.termType !== 'Literal'
  return quads.map(({ subject, predicate, object }) =>
    quad(
      named(keyOf(subject)) ?? subject,
      predicate,
      (isNode(object) ? named(keyOf(object)) : undefined) ?? object,
    ),
  )
}

/** The records of a document: of custom types, datasets, catalogues; the first class that fits counts. */
function recordsIn(quads: readonly Quad[], profile: Profile, names: Names): Records {
  const source = graphOf(quads)
  const iris = new Map<string, string>()
  const found: Found[] = []
  for (const { kind, key } of rootsOf(source, profile)) {
    if (iris.has(key)) continue
    const wanted = idOf(source, key, kind, names)
    const id = freeId(wanted, new Set(iris.values()), (id) => nameOf(kind, id, names))
    const iri = nameOf(kind, id, names)
    iris.set(key, iri)
    found.push({ kind, id, iri })
  }
  const graph = graphOf(renamed(quads, iris))
  const catalogues = found.filter(({ kind }) => kind === 'catalogue')
  const empty = { id: 'catalogue', graph: graphOf([]) }
  const catalogueOf = (iri: string) => {
    const linked = catalogues.find((catalogue) =>
      graph.objects(catalogue.iri, dcat('dataset')).some(({ value }) => value === iri),
    )
    const chosen = linked ?? catalogues[0]
    return chosen ? { id: chosen.id, graph } : empty
  }
  return { graph, found, catalogueOf }
}

/** Classes of the things that a document speaks of, for the message that none of them is a record. */
const classesOf = (quads: readonly Quad[]): readonly string[] => [
  ...new Set(
    quads
      .filter(({ predicate }) => predicate.equals(rdf('type')))
      .map(({ object }) => object.value),
  ),
]

/** Builds documents from the records of a file, without a store, and lists the values that do not fit their fields. */

import type { Quad, Term } from '@rdfjs/types'
import { ScriptFailure } from '../config/script.ts'
import type { Profile, ResourceType } from '../profile/profile.ts'
import { platformId } from '../rdf/ids.ts'
import { names, type Names } from '../rdf/names.ts'
import { dcat, dct, rdf } from '../rdf/namespaces.ts'
import { NodeKinds } from '../rdf/node-kinds.ts'
import { type Graph, graphOf, instances, keyOf } from '../rdf/read.ts'
import { namedNode, quad } from '../rdf/terms.ts'
import { compareCodePoints } from '../text/code-points.ts'
import { loadVocabularyFiles } from '../vocabularies/authorities.ts'
import { schemeIn } from '../vocabularies/concept.ts'
import { type BuiltDocument, documentBuilder } from './building/document.ts'
import { ConceptCache } from './concept-cache.ts'

type Source = { readonly profile: Profile; readonly base: string; readonly vocabularies: string }

/** Builds the documents of all records, or of all concepts where there is no record. Throws `ScriptFailure` without any. */
export async function previewDocuments(
  quads: readonly Quad[],
  { profile, base, vocabularies }: Source,
): Promise<readonly BuiltDocument[]> {
  const iris = names(base)
  const concepts = new ConceptCache(await loadVocabularyFiles(vocabularies))
  const builder = documentBuilder({ profile, concepts, names: iris })
  // Only the store knows version and hash.
  const unstored = { version: 0, hash: '' }
  const records = recordsIn(quads, profile, iris)
  if (records.size > 0) {
    const graph = withPlatformIris(quads, records)
    return [...records.values()].map(({ kind, id, iri }) => {
      const input = { id, iri, graph, ...unstored }
      if (kind === 'catalogue') return builder.catalogue(input)
      const catalogue = catalogueOf(iri, graph, [...records.values()])
      if (kind === 'dataset') return builder.dataset({ ...input, catalogue })
      return builder.resource(kind, kind.inCatalogue ? { ...input, catalogue } : input)
    })
  }
  const graph = graphOf(quads)
  const scheme = schemeIn(graph)
  const vocabulary = 'vocabulary'
  const documents =
    scheme === undefined ? [] : builder.concepts({ vocabulary, scheme, graph, ...unstored })
  if (documents.length > 0) return documents
  const types = quads.filter(({ predicate }) => predicate.equals(rdf('type')))
  const classes = [...new Set(types.map(({ object }) => object.value))]
  throw new ScriptFailure(
    classes.length > 0
      ? `no record of the profile ${profile.id}; the file describes ${classes.join(', ')}`
      : 'no record: nothing in the file has a class',
  )
}

/** Formats documents as text: the JSON of each record, and a table of the reports. */
export const documentsText = (documents: readonly BuiltDocument[]): string =>
  documents
    .map(({ document, reports }) => {
      const title = `# ${document.index} ${document.id}`
      const rows = reports.map(({ field, problem, value }) => `#   ${field}  ${problem}  ${value}`)
      const leftOutLines = rows.length > 0 ? ['# left out:', ...rows] : ['# nothing is left out']
      return [title, JSON.stringify(document.record, null, 2), ...leftOutLines, ''].join('\n')
    })
    .join('\n')

/** Formats documents as one JSON array. */
export function documentsJson(built: readonly BuiltDocument[]): string {
  const documents = built.map(({ document: { index, id, record }, reports: leftOut }) => {
    return { index, id, record, leftOut }
  })
  return `${JSON.stringify(documents, null, 2)}\n`
}

/** Record of the file, with the id and IRI that it would have on the platform. */
type FileRecord = {
  readonly kind: 'dataset' | 'catalogue' | ResourceType
  readonly id: string
  readonly iri: string
}

/** Finds the records of a file by their key in it: declared types, datasets, catalogues; the first matching class counts. */
function recordsIn(
  quads: readonly Quad[],
  profile: Profile,
  names: Names,
): ReadonlyMap<string, FileRecord> {
  const graph = graphOf(quads)
  const kinds = new NodeKinds(quads)
  const classes = [
    ...profile.resources.map((type) => [type, type.typeUri] as const),
    ['dataset', dcat('Dataset')] as const,
    ['dataset', dcat('DatasetSeries')] as const,
    ['catalogue', dcat('Catalog')] as const,
  ]
  const records = new Map<string, FileRecord>()
  const usedIris = new Set<string>()
  for (const [kind, classIri] of classes)
    for (const key of instances(graph, classIri)) {
      const nodeKind = kinds.kind(key) ?? kind
      if (records.has(key) || (typeof kind === 'string' && nodeKind !== kind)) continue
      const iriOf = (id: string) =>
        typeof kind === 'string' ? names[kind](id) : names.resource(kind.id, id)
      const baseId = idOf(graph, key, kind, names)
      // A second record with an id gets `~~1`, as on the platform.
      let id = baseId
      for (let n = 1; usedIris.has(iriOf(id)); n += 1) id = `${baseId}~~${n}`
      usedIris.add(iriOf(id))
      records.set(key, { kind, id, iri: iriOf(id) })
    }
  return records
}

/**
 * Returns the id in an IRI of the platform, else the one that an import would choose: for a dataset its identifier, else its IRI;
 * for others the end of the IRI.
 */
function idOf(graph: Graph, key: string, kind: FileRecord['kind'], names: Names): string {
  const existingId = typeof kind === 'string' ? names.idOf(kind, key) : undefined
  if (existingId !== undefined) return existingId
  const [identifier = key] = graph
    .objects(key, dct('identifier'))
    .filter(({ termType, value }) => termType === 'Literal' && value.trim() !== '')
    .map(({ value }) => value)
    .sort(compareCodePoints)
  const lastPart = key.replace(/\/+$/, '').split(/[/#:]/).at(-1) ?? ''
  return platformId(kind === 'dataset' ? identifier : lastPart) || 'record'
}

/** Returns the whole graph, with the records under their IRIs on the platform. */
function withPlatformIris(quads: readonly Quad[], records: ReadonlyMap<string, FileRecord>): Graph {
  const withPlatformIri = <T extends Term>(term: T) => {
    const record = term.termType === 'Literal' ? undefined : records.get(keyOf(term))
    return record ? namedNode(record.iri) : term
  }
  return graphOf(
    quads.map(({ subject, predicate, object }) =>
      quad(withPlatformIri(subject), predicate, withPlatformIri(object)),
    ),
  )
}

/** Returns the catalogue that lists a record with `dcat:dataset`, else the first one of the file, else an empty one. */
function catalogueOf(iri: string, graph: Graph, records: readonly FileRecord[]) {
  const catalogues = records.filter(({ kind }) => kind === 'catalogue')
  const listsDataset = (catalogue: FileRecord) =>
    graph.objects(catalogue.iri, dcat('dataset')).some(({ value }) => value === iri)
  const chosen = catalogues.find(listsDataset) ?? catalogues[0]
  return chosen ? { id: chosen.id, graph } : { id: 'catalogue', graph: graphOf([]) }
}

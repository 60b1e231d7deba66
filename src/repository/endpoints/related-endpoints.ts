/**
 * Endpoint that lists the datasets related to a dataset: its series, members, versions and parts, in both directions. Stored
 * links keep the addresses of the source and are resolved when they are read, so that the order of harvesting does not matter.
 */

import type { NamedNode } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { entityTag, isFresh, tagOfText } from '../../http/conditions.ts'
import { anyone } from '../../http/endpoint.ts'
import { isHiddenCatalogue } from '../../rdf/catalogue-visibility.ts'
import { fromLines } from '../../rdf/lines.ts'
import { negotiate } from '../../rdf/media-types.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { graphOf } from '../../rdf/read.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { GraphStore, Row } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { rowsInBatches, type LocatedDataset } from '../writing/find-datasets.ts'
import { contract, repositoryEndpoint } from './contract.ts'
import { locateDataset } from './requests.ts'

const relatedNamesQuery = loadQuery('related-named')
const relatedDatasetsQuery = loadQuery('related-datasets')
const relatedTitlesQuery = loadQuery('related-titles')

/** Relation of a dataset to the requested one. */
type Relation = 'series' | 'member' | 'previous' | 'next' | 'version' | 'part' | 'whole'

/** IRI of a property → relation of its object to its subject, and of its subject to its object. */
const relationsByProperty = new Map<string, readonly [object: Relation, subject: Relation]>([
  [dcat('inSeries').value, ['series', 'member']],
  [dcat('seriesMember').value, ['member', 'series']],
  [dcat('prev').value, ['previous', 'next']],
  [dcat('next').value, ['next', 'previous']],
  [dcat('dataset').value, ['part', 'whole']],
  [dct('hasPart').value, ['part', 'whole']],
  [dct('isPartOf').value, ['whole', 'part']],
  ...[
    ...['hasVersion', 'isVersionOf', 'hasCurrentVersion', 'previousVersion'].map((name) =>
      dcat(name),
    ),
    ...['hasVersion', 'isVersionOf', 'replaces', 'isReplacedBy'].map((name) => dct(name)),
  ].map(({ value }) => [value, ['version', 'version']] as const),
])
const predicates = [...relationsByProperty.keys()].map(namedNode)
const [source, identifier] = [dct('source'), dct('identifier')]

/** Dataset that is related to the requested one. */
type RelatedDataset = {
  readonly id: string
  readonly relation: Relation
  /** IRI by which the requested dataset links this one; absent when only this one has a link to the requested. */
  readonly address?: string
  readonly title: Readonly<Record<string, string>>
}

/** Most datasets of one answer, the newest; one with several relations occurs once for each. */
const maxRelated = 500
/** Most datasets whose dates are compared for one answer. */
const maxCandidates = 10_000

/** Related datasets outside of hidden catalogues, newest first. Rejects as the store does. */
async function relatedDatasets(
  context: RepositoryContext,
  { id, catalogue }: Pick<LocatedDataset, 'id' | 'catalogue'>,
  signal: AbortSignal,
): Promise<RelatedDataset[]> {
  const { store, names } = context
  const [subject, record] = [namedNode(names.dataset(id)), namedNode(names.record(id))]
  const bindings = { dataset: subject, record, property: predicates, naming: [source, identifier] }
  const ownRows = await store.select(bind(relatedNamesQuery, bindings), signal)
  const targets = ownRows.flatMap(({ target }) => (target?.termType === 'NamedNode' ? target : []))
  const ownNames = ownRows.flatMap(({ name }) =>
    name && URL.canParse(name.value) ? name.value : [],
  )
  const query = bind(relatedDatasetsQuery, {
    target: targets,
    id: targets.map((target) => [literal(target.value), target]),
    own: targets.filter(({ value }) => names.idOf('dataset', value) !== undefined),
    self: [subject, ...ownNames.map(namedNode)],
    property: predicates,
  })
  const rows = await store.select(query, signal)
  const otherIris = new Set(rows.flatMap(({ dataset }) => dataset?.value ?? []))
  otherIris.delete(subject.value)
  // Catalogues are left out: they link their datasets by one of the properties.
  const datasets = [...otherIris].filter((iri) => names.idOf('dataset', iri) !== undefined)
  const candidates = datasets.slice(0, maxCandidates).map(namedNode)
  if (candidates.length === 0) return []
  const visible = await visibleDatasets(context, candidates, signal)
  const catalogueIri = names.catalogue(catalogue)
  const related = new Map<string, RelatedDataset & { readonly date: string }>()
  for (const { dataset, target, property } of rows) {
    const facts = visible.get(dataset?.value ?? '')
    const other = names.idOf('dataset', dataset?.value ?? '')
    if (!facts || other === undefined) continue
    const { title, date } = facts
    const add = (relation: Relation, address?: string) => {
      // Where two records have the same source address, the one of the same catalogue is preferred.
      const key = address === undefined ? `${relation} ${other}` : `${relation} <${address}>`
      if (related.has(key) && facts.catalogue !== catalogueIri) return
      const link = address !== undefined && { address }
      related.set(key, { id: other, relation, title, date, ...link })
    }
    const incoming = property && relationsByProperty.get(property.value)
    if (incoming) add(incoming[1])
    for (const ownRow of target ? ownRows : []) {
      const outgoing = ownRow['property'] && relationsByProperty.get(ownRow['property'].value)
      if (outgoing && ownRow['target']?.value === target?.value) add(outgoing[0], target?.value)
    }
  }
  return newestFirst([...related.values()])
}

/** Dataset outside of hidden catalogues; `date` is the latest begin of its period, else its latest date of issue, else `''`. */
type VisibleDataset = {
  readonly catalogue: string
  readonly title: Readonly<Record<string, string>>
  readonly date: string
}

/** IRIs of the hidden catalogues among those of the rows. */
async function hiddenCatalogues(
  store: Pick<GraphStore, 'readAll'>,
  rows: readonly Row[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const catalogues = [...new Set(rows.flatMap(({ catalogue }) => catalogue?.value ?? []))]
  const contents = await store.readAll(catalogues, { links: false }, signal)
  const isHidden = ([iri, lines]: readonly [string, string]) =>
    isHiddenCatalogue(graphOf(fromLines(lines)), iri)
  return new Set([...contents].filter(isHidden).map(([iri]) => iri))
}

/** Datasets by IRI, without those in hidden catalogues and those without a title. A title without language counts as English. */
async function visibleDatasets(
  context: Pick<RepositoryContext, 'store' | 'names'>,
  datasets: readonly NamedNode[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, VisibleDataset>> {
  const query = (batch: readonly NamedNode[]) => bind(relatedTitlesQuery, { dataset: batch })
  const rows = await rowsInBatches(context, query, datasets, signal)
  const hidden = await hiddenCatalogues(context.store, rows, signal)
  const datasetsByIri = new Map<string, VisibleDataset>()
  for (const { dataset, catalogue, title, start, issued } of rows) {
    if (hidden.has(catalogue?.value ?? '')) continue
    const iri = dataset?.value ?? ''
    const previous = datasetsByIri.get(iri)
    const language = title?.termType === 'Literal' ? title.language : ''
    const date = start?.value ?? issued?.value ?? ''
    datasetsByIri.set(iri, {
      catalogue: catalogue?.value ?? '',
      title: { ...previous?.title, [language || 'en']: title?.value ?? '' },
      date: previous && previous.date > date ? previous.date : date,
    })
  }
  return datasetsByIri
}

/** Sorts by date, newest first, then by title, which often contains a year; each of at most 500 datasets once per relation. */
function newestFirst(
  datasets: readonly (RelatedDataset & { readonly date: string })[],
): RelatedDataset[] {
  const titleOf = ({ title }: RelatedDataset) => Object.values(title)[0] ?? ''
  const compare = new Intl.Collator('en', { numeric: true })
  const sorted = datasets.toSorted(
    (a, b) =>
      compare.compare(b.date, a.date) ||
      compare.compare(titleOf(b), titleOf(a)) ||
      (a.id < b.id ? -1 : 1),
  )
  const related = sorted.map(({ id, relation, address, title }): RelatedDataset => {
    return { id, relation, address, title }
  })
  const byKey = new Map(related.map((dataset) => [`${dataset.relation} ${dataset.id}`, dataset]))
  const ids = new Set<string>()
  return [...byKey.values()].filter(({ id }) => (ids.size < maxRelated ? ids.add(id) : ids.has(id)))
}

const listRelated = repositoryEndpoint({
  method: 'get',
  path: '/datasets/{datasetId}/related',
  operation: 'getDatasetsByDatasetIdRelated',
  summary: 'List the series, members, versions and parts of a dataset that are here',
  description: `Newest first, at most ${maxRelated}. Links between records of a source are resolved.`,
  auth: anyone,
  params: contract.parameters.dataset,
  answers: {
    ...contract.answers.object,
    304: { description: 'Not changed since the state named in If-None-Match' },
  },
  handle: async ({ c, signal }, context) => {
    if (negotiate(c.req.header('Accept'), ['application/json']) === undefined)
      throw new Failure('not-acceptable', 'Accept must allow application/json')
    const related = await relatedDatasets(context, await locateDataset(c, context), signal)
    const answer = { related }
    const tag = tagOfText(JSON.stringify(answer))
    c.header('ETag', entityTag(tag))
    return isFresh(c.req.raw.headers, tag) ? c.body(null, 304) : answer
  },
})

/** Endpoints of related datasets. */
export const relatedEndpoints = [listRelated]

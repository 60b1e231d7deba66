/**
 * Datasets that are related to a dataset: its series, its versions, its parts, and what names it as one. Links keep the addresses of
 * the source; here they are resolved when they are read, so that the order in which records come does not matter.
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
import type { RepositoryContext } from '../context.ts'
import type { LocatedDataset } from '../writing/find-datasets.ts'
import { contract, repositoryEndpoint } from './contract.ts'
import { locateDataset } from './requests.ts'

const named = loadQuery('related-named')
const linked = loadQuery('related-datasets')
const titled = loadQuery('related-titles')

/** How a related dataset stands to the one that is asked about. */
type Relation = 'series' | 'member' | 'previous' | 'next' | 'version' | 'part' | 'whole'

/** What the object of a property is to its subject, and what the subject is to the object. */
const properties = new Map<string, readonly [object: Relation, subject: Relation]>([
  [dcat('inSeries').value, ['series', 'member']],
  [dcat('seriesMember').value, ['member', 'series']],
  [dcat('prev').value, ['previous', 'next']],
  [dcat('next').value, ['next', 'previous']],
  [dcat('dataset').value, ['part', 'whole']],
  [dct('hasPart').value, ['part', 'whole']],
  [dct('isPartOf').value, ['whole', 'part']],
  ...[
    ...['hasVersion', 'isVersionOf', 'hasCurrentVersion', 'previousVersion'].map((one) =>
      dcat(one),
    ),
    ...['hasVersion', 'isVersionOf', 'replaces', 'isReplacedBy'].map((one) => dct(one)),
  ].map(({ value }) => [value, ['version', 'version']] as const),
])
const predicates = [...properties.keys()].map(namedNode)
const [source, identifier] = [dct('source'), dct('identifier')]

type Related = {
  readonly id: string
  readonly relation: Relation
  /** As the dataset names it, where it does. */
  readonly address?: string
  readonly title: Readonly<Record<string, string>>
}

/** Datasets of one answer. */
const most = 500

/** The related datasets that are not hidden, newest first. Fails as the store does. */
async function relatedDatasets(
  { store, names }: RepositoryContext,
  { id, catalogue }: Pick<LocatedDataset, 'id' | 'catalogue'>,
  signal: AbortSignal,
): Promise<Related[]> {
  const [self, record] = [namedNode(names.dataset(id)), namedNode(names.record(id))]
  const given = { dataset: self, record, property: predicates, naming: [source, identifier] }
  const own = await store.select(bind(named, given), signal)
  const targets = own.flatMap(({ target }) => (target?.termType === 'NamedNode' ? target : []))
  const selves = own.flatMap(({ name }) => (name && URL.canParse(name.value) ? name.value : []))
  const query = bind(linked, {
    target: targets,
    id: targets.map((target) => [literal(target.value), target]),
    own: targets.filter(({ value }) => names.idOf('dataset', value) !== undefined),
    self: [self, ...selves.map(namedNode)],
    property: predicates,
  })
  const rows = await store.select(query, signal)
  const others = new Set(rows.flatMap(({ dataset }) => dataset?.value ?? []))
  others.delete(self.value)
  // A catalogue links its datasets by one of the properties.
  const datasets = [...others].filter((iri) => names.idOf('dataset', iri) !== undefined)
  const chosen = datasets.slice(0, most).map(namedNode)
  if (chosen.length === 0) return []
  const shown = await shownDatasets(store, chosen, signal)
  const home = names.catalogue(catalogue)
  const found = new Map<string, Related & { readonly date: string }>()
  for (const { dataset, target, property } of rows) {
    const facts = shown.get(dataset?.value ?? '')
    const other = names.idOf('dataset', dataset?.value ?? '')
    if (!facts || other === undefined) continue
    const { title, date } = facts
    const add = (relation: Relation, address?: string) => {
      // Of two records with the address of one source, that of the same catalogue is meant.
      const key = address === undefined ? `${relation} ${other}` : `${relation} <${address}>`
      if (found.has(key) && facts.catalogue !== home) return
      const more = address !== undefined && { address }
      found.set(key, { id: other, relation, title, date, ...more })
    }
    const incoming = property && properties.get(property.value)
    if (incoming) add(incoming[1])
    for (const one of target ? own : []) {
      const outgoing = one['property'] && properties.get(one['property'].value)
      if (outgoing && one['target']?.value === target?.value) add(outgoing[0], target?.value)
    }
  }
  return newestFirst([...found.values()])
}

type Shown = {
  readonly catalogue: string
  readonly title: Readonly<Record<string, string>>
  readonly date: string
}

/** The IRIs of the hidden catalogues among those of the rows. */
async function hiddenAmong(
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

/** Titles and dates by the IRIs of datasets; those in hidden catalogues are left out. */
async function shownDatasets(
  store: Pick<GraphStore, 'readAll' | 'select'>,
  datasets: readonly NamedNode[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Shown>> {
  const rows = await store.select(bind(titled, { dataset: datasets }), signal)
  const hidden = await hiddenAmong(store, rows, signal)
  const found = new Map<string, Shown>()
  for (const { dataset, catalogue, title, start, issued } of rows) {
    if (hidden.has(catalogue?.value ?? '')) continue
    const iri = dataset?.value ?? ''
    const known = found.get(iri)
    const language = title?.termType === 'Literal' ? title.language : ''
    const date = start?.value ?? issued?.value ?? ''
    found.set(iri, {
      catalogue: catalogue?.value ?? '',
      title: { ...known?.title, [language || 'en']: title?.value ?? '' },
      date: known && known.date > date ? known.date : date,
    })
  }
  return found
}

/** By the begin of their period or their date of issue; those without by their titles, in which a year often stands. */
function newestFirst(all: readonly (Related & { readonly date: string })[]): Related[] {
  const titleOf = ({ title }: Related) => Object.values(title)[0] ?? ''
  const compare = new Intl.Collator('en', { numeric: true })
  const sorted = all.toSorted(
    (a, b) =>
      compare.compare(b.date, a.date) ||
      compare.compare(titleOf(b), titleOf(a)) ||
      (a.id < b.id ? -1 : 1),
  )
  const shown = sorted.map(({ id, relation, address, title }): Related => {
    return { id, relation, address, title }
  })
  const once = new Map(shown.map((one) => [`${one.relation} ${one.id}`, one]))
  return [...once.values()]
}

const listRelated = repositoryEndpoint({
  method: 'get',
  path: '/datasets/{datasetId}/related',
  operation: 'getDatasetsByDatasetIdRelated',
  summary: 'List the series, members, versions and parts of a dataset that are here',
  description: `Newest first, at most ${most}. Links between records of a source are resolved.`,
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

/** The endpoints of related datasets. */
export const relatedEndpoints = [listRelated]

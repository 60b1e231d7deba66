/** Values that other datasets of a catalogue have, so that they need not be typed again: publishers, contacts and licences. */

import { randomUUID } from 'node:crypto'
import type { BlankNode, Quad, Quad_Subject, Term } from '@rdfjs/types'
import type { FormField } from '../../profile/form-model.ts'
import { readLines } from '../../rdf/lines.ts'
import { dcat, dct, foaf, vcard } from '../../rdf/namespaces.ts'
import { closure, graphOf, instances } from '../../rdf/read.ts'
import { blankNode, namedNode, quad } from '../../rdf/terms.ts'
import { textAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { listAt } from '../record.ts'

/** Kind of value that is offered for a field, by the class of what the field describes. */
type Kind = 'publisher' | 'contact'

/** Value of another dataset: a publisher with the number of its datasets, or the contact of the dataset `id`. */
type Offer = { readonly id: string; readonly label: string; readonly count?: number }

/** Values of a catalogue. `licences` are IRIs, the most frequent first. */
export type CatalogueValues = {
  readonly offers: Readonly<Record<Kind, readonly Offer[]>>
  readonly licences: readonly string[]
}

export const noValues: CatalogueValues = { offers: { publisher: [], contact: [] }, licences: [] }

/** Most publishers and contacts that are offered, licences that are cards, and datasets whose contacts are looked at. */
const [mostPublishers, mostContacts, mostLicences, mostRecent] = [6, 2, 3, 20]

/** Kind of the values that are offered for a field; `undefined` for fields without. */
export function offeredKind({ nested }: FormField): Kind | undefined {
  if (nested?.class === foaf('Agent').value) return 'publisher'
  return nested?.class.startsWith(vcard('').value) ? 'contact' : undefined
}

/** Reads the values of the catalogue of a draft; none where the search does not answer in time. */
export async function catalogueValues(
  context: StewardContext,
  { type, catalogue }: { readonly type: string; readonly catalogue: string },
): Promise<CatalogueValues> {
  if (type !== 'datasets' || catalogue === '') return noValues
  const found = await context.optional(
    context.find({
      filters: 'dataset',
      sort: 'modified+desc',
      limit: mostRecent,
      includes: ['id', 'contact_point'],
      facets: { catalog: [catalogue] },
      counted: ['publisher', 'license'],
    }),
  )
  if (!found) return noValues
  const publishers = (found.facets.get('publisher') ?? []).map(({ id, title, count }) => ({
    id,
    label: context.textOf(title)?.text ?? id,
    count,
  }))
  const contacts = new Map<string, Offer>()
  for (const record of found.records) {
    const id = textAt(record, 'id') ?? ''
    const [contact] = listAt(record, 'contact_point')
    const label = textAt(contact, 'name') ?? textAt(contact, 'organization_name')
    if (label !== undefined && !contacts.has(label)) contacts.set(label, { id, label })
  }
  return {
    offers: {
      publisher: publishers.slice(0, mostPublishers),
      contact: [...contacts.values()].slice(0, mostContacts),
    },
    licences: (found.facets.get('license') ?? []).slice(0, mostLicences).map(({ id }) => id),
  }
}

/** Field with the statements that give it the values of another record. */
export type CopiedValues = { readonly field: FormField; readonly statements: readonly Quad[] }

/**
 * Reads the values that an offer means from the dataset that has them: resources with an address as they are, blank nodes with new
 * labels. Rejects with `Failure`.
 */
export async function offeredValues(
  context: StewardContext,
  { catalogue, node }: { readonly catalogue: string; readonly node: Quad_Subject },
  field: FormField,
  offer: string,
): Promise<CopiedValues | undefined> {
  const kind = offeredKind(field)
  const id = kind === 'publisher' ? await datasetOf(context, catalogue, offer) : offer
  if (!kind || id === undefined) return undefined
  const headers = { Accept: 'application/n-triples' }
  const lines = await context.ask('repository', `/datasets/${encodeURIComponent(id)}`, { headers })
  const graph = graphOf(await readLines(typeof lines === 'string' ? lines : ''))
  const [other = ''] = instances(graph, dcat('Dataset'))
  const path = kind === 'publisher' ? dct('publisher').value : (field.path[0] ?? '')
  const links = (graph.about(other).get(path) ?? []).slice(0, field.single ? 1 : undefined)
  const own = relabelled()
  const statements = graph
    .quads(other)
    .filter(({ predicate, object }) => predicate.value === path && links.includes(object))
    .map(({ object }) => quad(node, namedNode(field.path[0] ?? ''), own(object)))
  const about = links
    .flatMap((object) => closure(graph, object))
    .map(({ subject, predicate, object }) => quad(own(subject), predicate, own(object)))
  return { field, statements: [...statements, ...about] }
}

/** Function that gives the blank nodes of another record labels of their own. */
function relabelled() {
  const labels = new Map<string, BlankNode>()
  return <T extends Term>(term: T): T | BlankNode => {
    if (term.termType !== 'BlankNode') return term
    const label = labels.get(term.value) ?? blankNode(`n${randomUUID().replaceAll('-', '')}`)
    labels.set(term.value, label)
    return label
  }
}

/** Id of a dataset of a catalogue with a publisher; `undefined` without one. */
async function datasetOf(
  context: StewardContext,
  catalogue: string,
  publisher: string,
): Promise<string | undefined> {
  const facets = { catalog: [catalogue], publisher: [publisher] }
  const { records } = await context.find({ filters: 'dataset', limit: 1, includes: ['id'], facets })
  return textAt(records[0], 'id')
}

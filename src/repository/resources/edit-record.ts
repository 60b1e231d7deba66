/**
 * Edits the stored graph of a dataset, a catalogue or a resource of a declared type: what a PUT of the edited answer would do,
 * under the same lock and with the same checks, but nodes that the edit leaves alone keep their skolem IRIs.
 */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { canonicalise } from '../../rdf/canonical.ts'
import { fromLines, toLines } from '../../rdf/lines.ts'
import { spdx } from '../../rdf/namespaces.ts'
import type { Names } from '../../rdf/names.ts'
import { keptLabels, labelOf, skolemise, unskolemise } from '../../rdf/skolem.ts'
import { storedRecord } from '../content/catalogue-record.ts'
import { distributionIris } from '../content/distribution-iris.ts'
import {
  datasetNode,
  ownContent,
  rename,
  requireStatements,
  tooManyTriples,
} from '../content/own-content.ts'
import { resourceIri } from '../deleting/members.ts'
import type { Tombstone } from '../deleting/tombstones.ts'
import type {
  Precondition,
  RepositoryContext,
  ResourceBody,
  WriteOutcome,
} from '../repository-context.ts'
import { findById, unknownCatalogue } from '../writing/find-datasets.ts'
import { editDataset } from '../writing/write-datasets.ts'
import { catalogueHash, putCatalogue, withCatalogueLock } from './catalogues.ts'
import { factsOf, putResource, unknownResource, underLock } from './declared-resources.ts'

/** Identity of a dataset, a catalogue, or a resource of a declared type, whose id is `{type}/{id}`. */
export type RecordName = Pick<Tombstone, 'kind' | 'id'>

/** Edit of a record: `precondition` gets its stored hash, `edit` its graph with the labels of its answer. */
export type RecordEdit = {
  readonly precondition: Precondition
  readonly edit: (graph: readonly Quad[]) => readonly Quad[] | Promise<readonly Quad[]>
}

/** Commits an edit; `unchanged` when the graph stays as it is. Fails as a PUT does, and for a record that does not exist. */
export function editRecord(
  context: RepositoryContext,
  { kind, id }: RecordName,
  change: RecordEdit,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  if (kind === 'dataset') return editDatasetGraph(context, id, change, signal)
  if (kind === 'catalogue') return editCatalogue(context, id, change, signal)
  return editResource(context, id, change, signal)
}

/** Graph as its answer has it, and the skolem IRIs of its blank nodes by their labels. */
function answeredGraph({ genidPrefix: prefix }: Names, stored: readonly Quad[]) {
  const iris = new Map<string, string>()
  for (const { subject, object } of stored)
    for (const { termType, value } of [subject, object])
      if (termType === 'NamedNode' && value.startsWith(prefix))
        iris.set(`g${labelOf(value.slice(prefix.length))}`, value)
  return { graph: unskolemise(stored, { prefix }), iris }
}

async function editDatasetGraph(
  context: RepositoryContext,
  id: string,
  { precondition, edit }: RecordEdit,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { names, triples, canonical } = context
  const place = await findById(context, id, signal)
  const [iri, record] = [names.dataset(id), names.record(id)]
  const editGraph = async (stored: readonly Quad[]) => {
    const storedHash = storedRecord(toLines(stored), record).hash
    precondition(storedHash)
    const { graph, iris } = answeredGraph(names, stored)
    const edited = await edit(graph)
    const node = datasetNode(edited, { iri, originalId: place.originalId })
    if (node.value !== iri) throw new Failure('missing-class', `${iri} is no dcat:Dataset any more`)
    const statements = ownContent(edited, node, names)
    requireStatements({ node, statements })
    if (statements.length > triples) throw tooManyTriples(statements.length, triples)
    const renaming = distributionIris(statements, stored, { sent: iri, stored: iri }, context)
    const renamed = [...rename(statements, renaming.iris), ...renaming.identifiers]
    const { hash, labels } = await canonicalise(renamed, canonical)
    const content = skolemise(renamed, {
      genid: '',
      labels: keptLabels(labels, { known: iris, start: names.genid(iri) }),
    })
    const after = [...recordStatementsOf(stored, record), ...content]
    const isUnchanged = toLines(after) === toLines(stored)
    return isUnchanged ? { result: storedHash ?? '' } : { graph: after, hash, result: hash }
  }
  const { result: hash, mark } = await editDataset(context, place, editGraph, signal)
  const kind = mark ? 'updated' : 'unchanged'
  return { kind, iri, catalogue: place.catalogue, hash, ...(mark && { mark }) }
}

/** Statements of the catalogue record and its checksum in a stored graph. */
function recordStatementsOf(stored: readonly Quad[], record: string): Quad[] {
  const isLink = ({ subject, predicate }: Quad) =>
    subject.value === record && predicate.value === spdx('checksum').value
  const nodes = new Set([record, ...stored.filter(isLink).map(({ object }) => object.value)])
  return stored.filter(({ subject }) => nodes.has(subject.value))
}

/** Body of a PUT that does what an edit of the stored graph `lines` does. */
async function editedBody(
  { names }: RepositoryContext,
  iri: string,
  lines: string,
  edit: RecordEdit['edit'],
): Promise<ResourceBody> {
  const { graph, iris } = answeredGraph(names, fromLines(lines))
  const genid = names.genid(iri)
  const known = [...iris].flatMap(([label, node]) =>
    node.startsWith(genid) ? [[label, node.slice(genid.length)] as const] : [],
  )
  const edited = await edit(graph)
  const parse = () => Promise.resolve(edited)
  return { parse, source: { text: '', format: 'ntriples' }, labels: new Map(known) }
}

function editCatalogue(
  context: RepositoryContext,
  id: string,
  { precondition, edit }: RecordEdit,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const work = async () => {
    const hash = await catalogueHash(context, id, signal)
    if (hash === undefined) throw unknownCatalogue(id)
    precondition(hash)
    const iri = context.names.catalogue(id)
    const lines = (await context.store.read(iri, { links: false }, signal)) ?? ''
    const body = await editedBody(context, iri, lines, edit)
    return putCatalogue(context, { id, body, precondition }, signal)
  }
  return withCatalogueLock(context, id, work, signal)
}

function editResource(
  context: RepositoryContext,
  id: string,
  { precondition, edit }: RecordEdit,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const [typeId = '', localId = ''] = id.split('/')
  const type = context.profile.resources.find((one) => one.id === typeId)
  if (!type) throw new Failure('not-found', `the profile does not declare the type "${typeId}"`)
  const iri = resourceIri(context.names, { kind: 'resource', id })
  const resource = { type, id: localId, iri, member: { kind: 'resource', id } } as const
  const work = async () => {
    const facts = await factsOf(context, resource, signal)
    if (!facts) throw unknownResource(resource)
    precondition(facts.hash)
    const lines = (await context.store.read(iri, {}, signal)) ?? ''
    const put = { precondition, enforceUpdate: false, targetCatalogue: undefined }
    const body = await editedBody(context, iri, lines, edit)
    return putResource(context, resource, { ...put, body }, signal)
  }
  return underLock(context, resource, work, signal)
}

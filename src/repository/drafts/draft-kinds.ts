/** Kinds of records that have drafts: datasets, catalogues and resources of declared types, as reading and writing them differ. */

import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { platformId } from '../../rdf/ids.ts'
import { difference } from '../../rdf/difference.ts'
import { fromLines, readLines, toLine, toLines } from '../../rdf/lines.ts'
import { dct } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { unskolemiseLines } from '../../rdf/skolem.ts'
import type { Mark } from '../../store/marks.ts'
import {
  canonicalContent,
  catalogueContent,
  catalogueNode,
  datasetNode,
  mergedGraphs,
  ownContent,
  resourceContent,
  resourceNode,
  skolemisedContent,
} from '../content/own-content.ts'
import { memberLocks, requireCatalogue, resourceFacts, type Member } from '../deleting/members.ts'
import { removeMembers } from '../deleting/removal.ts'
import type { Precondition, RepositoryContext, WriteOutcome } from '../repository-context.ts'
import { catalogueHash, putCatalogue, withCatalogueLock } from '../resources/catalogues.ts'
import { putDataset } from '../resources/datasets.ts'
import { putResource, underLock } from '../resources/declared-resources.ts'
import { editRecord, type RecordName } from '../resources/edit-record.ts'
import { findById } from '../writing/find-datasets.ts'
import { resultOf } from '../writing/write-batch.ts'
import type { Draft } from './draft-file.ts'

/** Published record: where it is, and its hash. */
type Published = {
  readonly id: string
  readonly originalId: string
  readonly catalogue: string
  readonly hash: string
  /** For its removal; absent for a catalogue. */
  readonly member?: Member
}

type RootCriteria = { readonly iri: string; readonly originalId: string }
type Write = {
  readonly draft: Pick<Draft, 'id' | 'originalId' | 'catalogue' | 'graph' | 'base' | 'baseTag'>
  readonly precondition: Precondition
}

/** Kind of records, as drafts need it. */
export type DraftKind = {
  /** As in paths: `datasets`, `catalogues`, or the id of a declared type. */
  readonly type: string
  /** Whether its records are in catalogues, or are catalogues. */
  readonly inCatalogue: boolean
  readonly iri: (id: string) => string
  /** Finds the record in a body, and its statements. Throws what `datasetNode` throws. */
  readonly select: (quads: readonly Quad[], criteria: RootCriteria) => Content
  /** The published record; `undefined` without one. */
  readonly find: (id: string, signal: AbortSignal) => Promise<Published | undefined>
  /** Whether a new record may get the id in a catalogue. */
  readonly isFree: (id: string, catalogue: string, signal: AbortSignal) => Promise<boolean>
  /** Writes a new record. */
  readonly create: (write: Write, signal: AbortSignal) => Promise<WriteOutcome>
  /** Name of a record in the store. */
  readonly recordName: (id: string) => RecordName
}

type Content = { readonly node: Term; readonly statements: readonly Quad[] }

/** Returns the kind of a type in a path. Throws `not-found`. */
export function kindOf(context: RepositoryContext, type: string): DraftKind {
  if (type === 'datasets' || type === 'resources') return datasetKind(context)
  if (type === 'catalogues') return catalogueKind(context)
  const declared = context.profile.resources.find(({ id }) => id === type)
  if (declared) return declaredKind(context, declared)
  throw new Failure('not-found', 'drafts are of datasets, catalogues and types of the profile')
}

function datasetKind(context: RepositoryContext): DraftKind {
  const { names, ids, tombstones } = context
  return {
    type: 'datasets',
    recordName: (id) => ({ kind: 'dataset', id }),
    inCatalogue: true,
    iri: names.dataset,
    select: (quads, criteria) => {
      const node = datasetNode(quads, criteria)
      return { node, statements: ownContent(quads, node, names) }
    },
    find: async (id, signal) => {
      const found = await unlessUnknown(findById(context, id, signal))
      return found && { ...found, member: { kind: 'dataset', ...found } }
    },
    isFree: async (id, catalogue, signal) => {
      const [target] = await ids({ catalogue, originalIds: [id] }, signal)
      const isNew = target && 'id' in target && target.id === id && !target.origin.record
      return isNew === true && !tombstones.find('dataset', id)
    },
    create: ({ draft, precondition }, signal) => {
      const { originalId, catalogue } = draft
      return putDataset(
        context,
        { catalogue, originalId, body: bodyOf(draft), precondition },
        signal,
      )
    },
  }
}

function catalogueKind(context: RepositoryContext): DraftKind {
  const { names, tombstones } = context
  const find: DraftKind['find'] = async (id, signal) => {
    const hash = await catalogueHash(context, id, signal)
    return hash === undefined ? undefined : { id, originalId: id, catalogue: id, hash }
  }
  return {
    type: 'catalogues',
    recordName: (id) => ({ kind: 'catalogue', id }),
    inCatalogue: true,
    iri: names.catalogue,
    select: (quads, { iri }) => {
      const node = catalogueNode(quads, iri)
      return { node, statements: catalogueContent(quads, node, names) }
    },
    find,
    isFree: async (id, _catalogue, signal) =>
      !(await find(id, signal)) && !tombstones.find('catalogue', id),
    create: ({ draft, precondition }, signal) =>
      withCatalogueLock(
        context,
        draft.id,
        () => putCatalogue(context, { id: draft.id, body: bodyOf(draft), precondition }, signal),
        signal,
      ),
  }
}

type DeclaredType = RepositoryContext['profile']['resources'][number]

function declaredKind(context: RepositoryContext, type: DeclaredType): DraftKind {
  const { names, tombstones } = context
  const find: DraftKind['find'] = async (id, signal) => {
    const iri = names.resource(type.id, id)
    const facts = (await resourceFacts(context, [iri], signal)).get(iri)
    const { catalogue = '', hash = '' } = facts ?? {}
    return facts && { id, originalId: id, catalogue, hash, member: facts }
  }
  return {
    type: type.id,
    recordName: (id) => ({ kind: 'resource', id: `${type.id}/${id}` }),
    inCatalogue: type.inCatalogue,
    iri: (id) => names.resource(type.id, id),
    select: (quads, { iri, originalId: id }) => {
      const node = resourceNode(quads, { typeUri: type.typeUri, id, iri })
      return { node, statements: resourceContent(quads, node, { names, iri }) }
    },
    find,
    isFree: async (id, _catalogue, signal) =>
      !(await find(id, signal)) && !tombstones.find('resource', `${type.id}/${id}`),
    create: ({ draft, precondition }, signal) => {
      const member = { kind: 'resource', id: `${type.id}/${draft.id}` } as const
      const resource = { type, id: draft.id, iri: names.resource(type.id, draft.id), member }
      const targetCatalogue = draft.catalogue || undefined
      const put = { body: bodyOf(draft), precondition, enforceUpdate: false, targetCatalogue }
      const work = () => putResource(context, resource, put, signal)
      return underLock(context, resource, work, signal)
    },
  }
}

/** Writes the differences of a draft from its base into the published record; what it does not touch stays as it is. */
async function writeChanges(
  context: RepositoryContext,
  kind: DraftKind,
  { draft, precondition }: Write,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const [base, own] = [fromLines(draft.base), fromLines(draft.graph)]
  const { removed, added } = await difference(base, own, context.canonical)
  const gone = new Set(removed.map(toLine))
  const edit = (graph: readonly Quad[]) => [...graph.filter((q) => !gone.has(toLine(q))), ...added]
  return editRecord(context, kind.recordName(draft.id), { precondition, edit }, signal)
}

/** Writes a draft: as a new record, or its differences from the published one. Fails as a PUT does. */
export const writeDraft = (
  context: RepositoryContext,
  kind: DraftKind,
  write: Write,
  signal: AbortSignal,
): Promise<WriteOutcome> =>
  write.draft.baseTag === undefined
    ? kind.create(write, signal)
    : writeChanges(context, kind, write, signal)

/** Body of a write with the graph of a draft. */
const bodyOf = ({ graph }: Pick<Draft, 'graph'>) => ({
  parse: () => readLines(graph),
  source: { text: graph, format: 'ntriples' as const },
})

/** Resolves with `undefined` for a resource that does not exist. */
const unlessUnknown = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (error instanceof Failure && error.kind.startsWith('unknown-')) return undefined
    throw error
  })

/** Graph of a body as a draft stores it: N-Triples about the record alone, under its IRI, with stable labels. */
export async function draftGraph(
  context: RepositoryContext,
  kind: DraftKind,
  quads: readonly Quad[],
  { id, originalId }: Pick<Draft, 'id' | 'originalId'>,
): Promise<string> {
  const iri = kind.iri(id)
  const selected = kind.select(mergedGraphs(quads), { iri, originalId })
  const content = await canonicalContent(context, selected)
  const lines = toLines(skolemisedContent(context.names, iri, content))
  return unskolemiseLines(lines, { prefix: context.names.genidPrefix })
}

/** Graph of a published record with the labels that readers of it get, without its catalogue record. */
export async function publishedGraph(
  context: RepositoryContext,
  kind: DraftKind,
  record: Published,
  signal: AbortSignal,
): Promise<string> {
  const stored = (await context.store.read(kind.iri(record.id), { links: false }, signal)) ?? ''
  return storedGraph(context, kind, record, stored)
}

/** Graph in stored lines of a record, as `publishedGraph` has it. */
export function storedGraph(
  { names }: Pick<RepositoryContext, 'names'>,
  kind: DraftKind,
  { id, originalId }: Pick<Draft, 'id' | 'originalId'>,
  stored: string,
): string {
  const quads = fromLines(unskolemiseLines(stored, { prefix: names.genidPrefix }))
  return toLines(kind.select(quads, { iri: kind.iri(id), originalId }).statements)
}

/** Titles of a record by language; `''` for one without. */
export const titlesOf = (graph: readonly Quad[], iri: string): Record<string, string> =>
  Object.fromEntries(
    graph.flatMap(({ subject, predicate, object }) =>
      object.termType === 'Literal' && predicate.equals(dct('title')) && keyOf(subject) === iri
        ? [[object.language.toLowerCase(), object.value.slice(0, 1000)] as const]
        : [],
    ),
  )

/** Most ids that are tried for a new record. */
const mostClashes = 1000

/** Chooses the id of a new record: made of its title, with `-2`, `-3` … where that is taken. Throws `conflict`. */
export async function freeId(
  kind: DraftKind,
  {
    title,
    catalogue,
    isTaken,
  }: {
    readonly title: string
    readonly catalogue: string
    readonly isTaken: (id: string) => boolean
  },
  signal: AbortSignal,
): Promise<string> {
  const base =
    platformId(title)
      .replace(/^-+|-+$/g, '')
      .slice(0, 100) || 'record'
  for (let clash = 1; clash <= mostClashes; clash += 1) {
    const id = clash === 1 ? base : `${base}-${clash}`
    const parent = kind.type === 'catalogues' ? id : catalogue
    if (!isTaken(id) && (await kind.isFree(id, parent, signal))) return id
  }
  throw new Failure('conflict', 'too many records have this title; choose another one')
}

/** Takes a published record away, restorable as any deleted one. Throws `precondition-failed` and `conflict` for a catalogue. */
export async function removePublished(
  context: RepositoryContext,
  kind: DraftKind,
  id: string,
  signal: AbortSignal,
): Promise<Mark> {
  const found = await kind.find(id, signal)
  if (!found) throw new Failure('unknown-resource', `there is no published record "${id}"`)
  const { member } = found
  if (!member) throw new Failure('conflict', 'a catalogue is deleted with DELETE /catalogues/{id}')
  const work = async () => {
    const [result] = await removeMembers(context, [member], { at: context.now() }, signal)
    return resultOf(result)
  }
  return context.locks.run(memberLocks(context.names, [member]), work, signal)
}

/** Throws `unknown-catalogue` where a draft names a catalogue that does not exist. */
export const demandCatalogue = (
  context: RepositoryContext,
  kind: DraftKind,
  catalogue: string,
  signal: AbortSignal,
): Promise<void> =>
  kind.type === 'catalogues' || !kind.inCatalogue
    ? Promise.resolve()
    : requireCatalogue(context, catalogue, signal).then(() => undefined)

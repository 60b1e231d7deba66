/**
 * Endpoints of versions of datasets, catalogues and resources of declared types: the list, one of them, the difference of two, and
 * ways back. They are for readers of the catalogue, because versions may have what was removed for a reason.
 */

import { z } from '@hono/zod-openapi'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { isPermitted } from '../../http/api-key.ts'
import type { AppContext } from '../../http/app.ts'
import { mayAs, type Auth, type Endpoint } from '../../http/endpoint.ts'
import type { Role } from '../../http/roles.ts'
import type { ResourceType } from '../../profile/profile.ts'
import { difference, merge } from '../../rdf/difference.ts'
import { readLines, toLine } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { patchMediaType, toPatch } from '../../rdf/patch.ts'
import { unskolemise } from '../../rdf/skolem.ts'
import { resourceFacts, resourceIri } from '../deleting/members.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { typeParameter } from '../resources/declared-resources.ts'
import { editRecord, type RecordName } from '../resources/edit-record.ts'
import { withNote } from '../versions/record-versions.ts'
import { type ReadVersion, stateOf } from '../versions/version-file.ts'
import { findById } from '../writing/find-datasets.ts'
import { contract, repositoryEndpoint } from './contract.ts'
import { expectedState, pathId, requireId } from './requests.ts'
import { answerStoredGraph, answerWrite } from './responses.ts'

const { answers, parameters } = contract

/** Kind of record with versions: its path, and how a request names one. */
type VersionedKind = {
  readonly path: `/${string}`
  /** Begins the ids of the operations. */
  readonly operation: string
  readonly params: z.ZodObject
  readonly recordOf: (c: AppContext) => RecordName
}

const kinds = (types: readonly ResourceType[]): readonly VersionedKind[] => [
  {
    path: '/datasets/{datasetId}',
    operation: 'DatasetsByDatasetId',
    params: parameters.dataset,
    recordOf: (c) => ({ kind: 'dataset', id: pathId(c, 'datasetId') }),
  },
  {
    path: '/catalogues/{catalogueId}',
    operation: 'CataloguesByCatalogueId',
    params: parameters.catalogue,
    recordOf: (c) => ({ kind: 'catalogue', id: pathId(c, 'catalogueId') }),
  },
  ...(types.length === 0
    ? []
    : [
        {
          path: '/customresources/{type}/{id}' as const,
          operation: 'CustomresourcesByTypeById',
          params: z.object({ type: typeParameter(types), id: parameters.idWithSuffix }),
          recordOf: (c: AppContext) => ({
            kind: 'resource' as const,
            id: `${requireId('type', c.req.param('type') ?? '')}/${pathId(c, 'id')}`,
          }),
        },
      ]),
]

/** Catalogue of a record, for the roles in it; a record that was deleted has it in its tombstone. */
async function catalogueOf(
  c: AppContext,
  context: RepositoryContext,
  record: RecordName,
): Promise<string | undefined> {
  const { kind, id } = record
  if (kind === 'catalogue') return id
  const tombstone = context.tombstones.find(kind, id)
  if (tombstone) return tombstone.catalogue || undefined
  const signal = c.get('signal')
  if (kind === 'dataset') return (await findById(context, id, signal)).catalogue
  const iri = resourceIri(context.names, record)
  return (await resourceFacts(context, [iri], signal)).get(iri)?.catalogue || undefined
}

const mayIn = (role: 'reader' | 'steward', kind: VersionedKind): Auth<RepositoryContext> =>
  mayAs(role, (c, context: RepositoryContext) => catalogueOf(c, context, kind.recordOf(c)))

const versionNumber = z.coerce.number().int().min(1).openapi({ example: 1 })

/** Stored lines of a record, `''` for one that does not exist. */
const storedLines = async (
  c: AppContext,
  { store, names }: RepositoryContext,
  record: RecordName,
) =>
  (await store.read(
    resourceIri(names, record),
    record.kind === 'catalogue' ? { links: false } : {},
    c.get('signal'),
  )) ?? ''

/** Makes the failure of a version that does not exist, or cannot be read. */
export const unknownVersion = (number: number) =>
  new Failure(
    'unknown-resource',
    `there is no version ${number}, or its graph cannot be read any more`,
  )

/** Reads a version of a record; fails with `unknown-resource`. */
export async function readVersion(
  c: AppContext,
  context: RepositoryContext,
  record: RecordName,
  number: number,
): Promise<ReadVersion> {
  const stored = await storedLines(c, context, record)
  const found = context.history.read(resourceIri(context.names, record), stored, number)
  if (!found) throw unknownVersion(number)
  return found
}

/** Content of a version with blank nodes, as its answer has it, without the catalogue record. */
const quadsOf = async ({ names }: RepositoryContext, lines: string): Promise<Quad[]> =>
  withoutRecord(names, unskolemise(await readLines(lines), { prefix: names.genidPrefix }))

function withoutRecord(names: Names, quads: readonly Quad[]): Quad[] {
  const isRecord = ({ subject }: Quad) => subject.value.startsWith(names.record(''))
  const checksums = new Set(
    quads.flatMap((q) => (isRecord(q) && q.object.termType === 'BlankNode' ? q.object.value : [])),
  )
  return quads.filter((q) => !isRecord(q) && !checksums.has(q.subject.value))
}

async function answerVersions(c: AppContext, context: RepositoryContext, record: RecordName) {
  const stored = await storedLines(c, context, record)
  const { versions, changedOutside } = context.history.history(
    resourceIri(context.names, record),
    stored,
  )
  if (versions.length === 0 && stored === '')
    throw new Failure('unknown-resource', `there are no versions of "${record.id}"`)
  const listed = versions.map((version) => ({
    ...version,
    name: context.keys.active(version.who)?.name,
    ...(record.kind === 'dataset' && { revision: `${record.id}.${version.number}` }),
  }))
  const action = { method: 'POST', path: `${c.req.path}/1/restore` }
  const catalogue = await catalogueOf(c, context, record)
  const key = c.get('key')
  const mayAct = (role: Role) =>
    key !== undefined && isPermitted(key, { ...action, role, catalogue })
  const isReviewed = context.drafts.rules(catalogue ?? '').rules.review === 'every'
  const mayWithdraw = mayAct(isReviewed || record.kind === 'catalogue' ? 'steward' : 'publisher')
  const rights = {
    mayWrite: mayAct('steward'),
    mayChange: mayAct(record.kind === 'catalogue' ? 'steward' : 'publisher'),
    mayWithdraw,
  }
  return { versions: listed, changedOutside, ...rights, catalogue, isStored: stored !== '' }
}

async function answerVersion(
  c: AppContext,
  context: RepositoryContext,
  record: RecordName,
  number: number,
): Promise<Response> {
  const { names } = context
  const { lines, version } = await readVersion(c, context, record, number)
  if (lines === '') throw new Failure('not-found', `version ${number} is the deletion`)
  return answerStoredGraph(c, lines, {
    graph: resourceIri(names, record),
    genidPrefix: names.genidPrefix,
    name: `${record.id.replace('/', '-')}-${version.number}`,
    hash: stateOf(lines),
  })
}

async function answerDifference(
  c: AppContext,
  context: RepositoryContext,
  record: RecordName,
  numbers: readonly [number, number],
): Promise<Response> {
  const [from, to] = await Promise.all(
    numbers.map(async (number) =>
      quadsOf(context, (await readVersion(c, context, record, number)).lines),
    ),
  )
  const change = await difference(from ?? [], to ?? [], context.canonical)
  c.header('Vary', 'Accept', { append: true })
  if ((c.req.header('Accept') ?? '').includes(patchMediaType))
    return c.body(toPatch(change), 200, { 'Content-Type': `${patchMediaType}; charset=utf-8` })
  const { removed, added } = change
  return c.json({ removed: removed.map(toLine), added: added.map(toLine) })
}

/** Sets a record to the graph of a version. */
async function restore(
  c: AppContext,
  context: RepositoryContext,
  record: RecordName,
  number: number,
): Promise<Response> {
  const { lines } = await readVersion(c, context, record, number)
  const graph = await quadsOf(context, lines)
  const change = { precondition: expectedState(c), edit: () => graph }
  const outcome = await withNote(`restored version ${number}`, () =>
    editRecord(context, record, change, c.get('signal')),
  )
  return answerWrite(c, context, outcome)
}

/** Takes back what a version changed where its values are still those; fails with `conflict` where they are not. */
async function undo(
  c: AppContext,
  context: RepositoryContext,
  record: RecordName,
  number: number,
): Promise<Response> {
  const { lines, former } = await readVersion(c, context, record, number)
  if (former === undefined || former === '' || lines === '') throw unknownVersion(number)
  const [from, to] = [await quadsOf(context, lines), await quadsOf(context, former)]
  const edit = async (current: readonly Quad[]) => {
    const bounds = context.canonical ?? {}
    const now = withoutRecord(context.names, current)
    const { graph, conflicts } = await merge(from, now, to, { bounds })
    if (conflicts.length === 0) return graph
    throw new Failure('conflict', 'later versions changed the same properties', {
      errors: conflicts.map(({ subject, predicate }) => ({
        detail: `${subject.value} ${predicate.value}`,
      })),
    })
  }
  const change = { precondition: expectedState(c), edit }
  const outcome = await withNote(`undid version ${number}`, () =>
    editRecord(context, record, change, c.get('signal')),
  )
  return answerWrite(c, context, outcome)
}

const revisions = z.object({ revisionNumber1: versionNumber, revisionNumber2: versionNumber })

/** Endpoints that read the versions of one kind of record. */
function readEndpointsOf(kind: VersionedKind): Endpoint<RepositoryContext>[] {
  const { path, operation, params, recordOf } = kind
  const read = { method: 'get', auth: mayIn('reader', kind) } as const
  return [
    repositoryEndpoint({
      ...read,
      path: `${path}/versions`,
      operation: `get${operation}Versions`,
      summary: 'List the versions, newest first: who wrote them, when and how',
      params,
      answers: answers.object,
      handle: ({ c }, context) => answerVersions(c, context, recordOf(c)),
    }),
    repositoryEndpoint({
      ...read,
      path: `${path}/versions/{version}`,
      operation: `get${operation}VersionsByVersion`,
      summary: 'Read a version',
      params: params.extend({ version: versionNumber }),
      answers: answers.graph,
      handle: ({ c, params: { version } }, context) =>
        answerVersion(c, context, recordOf(c), Number(version)),
    }),
    repositoryEndpoint({
      ...read,
      path: `${path}/diff`,
      operation: `get${operation}Diff`,
      summary: 'Read the difference of two versions as JSON, or as RDF Patch',
      params,
      query: revisions,
      answers: answers.difference,
      handle: ({ c, query: { revisionNumber1, revisionNumber2 } }, context) =>
        answerDifference(c, context, recordOf(c), [revisionNumber1, revisionNumber2]),
    }),
  ]
}

/** Endpoints that go back to versions of one kind of record. */
function restoreEndpointsOf(kind: VersionedKind): Endpoint<RepositoryContext>[] {
  const { path, operation, params, recordOf } = kind
  const write = {
    method: 'post',
    auth: mayIn('steward', kind),
    params: params.extend({ version: versionNumber }),
    answers: answers.update,
  } as const
  return [
    repositoryEndpoint({
      ...write,
      path: `${path}/versions/{version}/restore`,
      operation: `post${operation}VersionsByVersionRestore`,
      summary: 'Go back to a version, which is a new version',
      handle: ({ c, params: { version } }, context) =>
        restore(c, context, recordOf(c), Number(version)),
    }),
    repositoryEndpoint({
      ...write,
      path: `${path}/versions/{version}/undo`,
      operation: `post${operation}VersionsByVersionUndo`,
      summary: 'Take back what a version changed; later changes stay',
      handle: ({ c, params: { version } }, context) =>
        undo(c, context, recordOf(c), Number(version)),
    }),
  ]
}

/** Id of a dataset and the number of its version, as the list of versions has them. */
function revisionOf(c: AppContext) {
  const [id = '', number = ''] = (c.req.param('revision') ?? '').split('.')
  return {
    record: { kind: 'dataset', id: requireId('revision', id) } as const,
    number: Number(number),
  }
}

const readRevision = repositoryEndpoint({
  method: 'get',
  path: '/datasets/revisions/{revision}',
  operation: 'getDatasetsRevisionsByRevision',
  summary: 'Read a version of a dataset by its revision',
  auth: mayAs('reader', (c, context: RepositoryContext) =>
    catalogueOf(c, context, revisionOf(c).record),
  ),
  params: z.object({ revision: z.string().openapi({ example: 'levels.1' }) }),
  answers: answers.graph,
  handle: ({ c }, context) => {
    const { record, number } = revisionOf(c)
    return answerVersion(c, context, record, number)
  },
})

/** Endpoints of versions, of resources of these types too. */
export const versionEndpoints = (
  types: readonly ResourceType[],
): readonly Endpoint<RepositoryContext>[] => [
  readRevision,
  ...kinds(types).flatMap((kind) => [...readEndpointsOf(kind), ...restoreEndpointsOf(kind)]),
]

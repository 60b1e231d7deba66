/** Endpoints of one catalogue: read without its links, create or replace, delete with its datasets, restore. */

import type { RouteConfig } from '@hono/zod-openapi'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { anyone } from '../../http/endpoint.ts'
import { keyIdOf } from '../../http/context.ts'
import { fromLines, subjectQuads, toLines } from '../../rdf/lines.ts'
import { dct, xsd } from '../../rdf/namespaces.ts'
import { literal, namedNode, quad } from '../../rdf/terms.ts'
import { factLine, systemChange } from '../../store/marks.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { modifiedDate, timestamp } from '../content/catalogue-record.ts'
import {
  canonicalContent,
  catalogueContent,
  catalogueNode,
  skolemisedContent,
} from '../content/own-content.ts'
import type { Precondition, RepositoryContext, WriteOutcome } from '../repository-context.ts'
import {
  beginDeletion,
  beginRestore,
  activeDeletion,
  requireNoDeletion,
  activeRestore,
  type CatalogueRemoval,
} from '../deleting/catalogue-deletion.ts'
import { contract, repositoryEndpoint } from '../endpoints/contract.ts'
import {
  answerCatalogueRemoval,
  answerCatalogueRestore,
  answerResource,
} from '../endpoints/responses.ts'
import {
  expectedState,
  mayWriteCatalogue,
  respondToWrite,
  suffixedId,
  type WriteRequest,
} from '../endpoints/requests.ts'
import { catalogueMarks } from '../writing/catalogue-marks.ts'
import { unknownCatalogue } from '../writing/find-datasets.ts'
import { commitOne } from '../writing/write-batch.ts'

const { answers, bodies, parameters } = contract

const factsQuery = loadQuery('catalogue-facts')

/** Returns the hash of the last body, `''` when the store has none; `undefined` when there is no such catalogue. */
export async function catalogueHash(
  { store, names }: RepositoryContext,
  id: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const catalogue = namedNode(names.catalogue(id))
  const [row] = await store.select(bind(factsQuery, { catalogue }), signal)
  return row && (row['hash']?.value ?? '')
}

/** PUT of one catalogue; its id is that of the path. */
type CataloguePut = WriteRequest & { readonly id: string }

/** Writes a catalogue; call it under the lock of the catalogue. */
export async function putCatalogue(
  context: RepositoryContext,
  { id, body, precondition }: CataloguePut,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { store, names } = context
  const stored = await catalogueHash(context, id, signal)
  const iri = names.catalogue(id)
  const quads = await body.parse(iri)
  const node = catalogueNode(quads, iri)
  const statements = catalogueContent(quads, node, names)
  const content = await canonicalContent(context, { node, statements }, body.labels)
  const { hash } = content
  precondition(stored)
  if (stored === undefined) await requireNoDeletion(context, id, signal)
  const outcome = { iri, catalogue: id, hash }
  if (stored === hash) return { kind: 'unchanged', ...outcome }
  const lines = stored === undefined ? undefined : await store.read(iri, { links: false }, signal)
  const before = fromLines(lines ?? '')
  const withoutBlankNodes = skolemisedContent(names, iri, content)
  const after = [
    ...withoutBlankNodes,
    ...missingDates(iri, { sent: withoutBlankNodes, before, now: context.now() }),
  ]
  const {
    mark,
    marks,
    lines: markLines,
    cascades,
  } = catalogueMarks(context, { iri, before, after })
  const system = systemChange({
    add: [factLine(iri, 'hash', hash), ...markLines],
    remove: stored === undefined ? [] : [factLine(iri, 'hash', stored)],
  })
  const kind = stored === undefined ? 'created' : 'updated'
  const changes = [{ graph: iri, content: toLines(after), before: lines ?? '' }, system]
  const result = { kind, ...outcome, mark } as const
  await commitOne(context, { result, group: { changes, marks } })
  // A new catalogue gets nothing of a deleted one with its id, neither its rules nor what could be restored.
  if (stored === undefined) {
    context.tombstones.forget('catalogue', [id])
    context.drafts.forgetRules(id)
  }
  if (cascades) context.onCascadeMark()
  return result
}

type CatalogueDates = {
  readonly sent: readonly Quad[]
  readonly before: readonly Quad[]
  readonly now: Date
}

/** Makes `dct:issued` (stored date, else now) and `dct:modified` (now) of a catalogue, each unless the body has it. */
function missingDates(iri: string, { sent, before, now }: CatalogueDates): Quad[] {
  const statementOf = (quads: readonly Quad[], name: string) =>
    quads.find((q) => q.subject.value === iri && q.predicate.value === dct(name).value)
  const time = literal(timestamp(now), xsd('dateTime'))
  const unlessSent = (name: string, value: Quad['object']) =>
    statementOf(sent, name) ? [] : [quad(namedNode(iri), dct(name), value)]
  return [
    ...unlessSent('issued', statementOf(before, 'issued')?.object ?? time),
    ...unlessSent('modified', time),
  ]
}

/** Deletion of a catalogue: its id, the id of the API key that asks for it, and the check of its current hash. */
type CatalogueRemovalRequest = {
  readonly id: string
  readonly createdBy: string
  readonly precondition: Precondition
}

/**
 * Deletes the catalogue at once and its members after it; repeated calls meanwhile return the same job. Call it under the lock of
 * the catalogue. Fails with `unknown-catalogue`, as `precondition` does, and with `conflict` during a restore.
 */
async function removeCatalogue(
  context: RepositoryContext,
  { id, createdBy, precondition }: CatalogueRemovalRequest,
  signal: AbortSignal,
): Promise<CatalogueRemoval> {
  const isRestoring = activeRestore(context, id) !== undefined
  const hash = await catalogueHash(context, id, signal)
  if (hash === undefined) {
    const job = await activeDeletion(context, id, signal)
    if (job) return { job }
    throw unknownCatalogue(id)
  }
  precondition(hash)
  if (isRestoring)
    throw new Failure('conflict', `the catalogue "${id}" is being restored; try again later`)
  return beginDeletion(context, { id, hash, createdBy }, signal)
}

/** JSON schema of the answer 202, not a zod schema, because the handler answers with or without a body. */
const remaining = {
  type: 'object' as const,
  properties: { remaining: { type: 'integer' as const } },
  required: ['remaining'],
}

const removal: RouteConfig['responses'] = {
  ...answers.removal,
  202: {
    description: 'The catalogue is gone; some of its datasets are still to be removed',
    content: { 'application/json': { schema: remaining } },
  },
}

const path = '/catalogues/{catalogueId}'
const params = parameters.catalogue

/** Runs work under the lock of the catalogue. */
export const withCatalogueLock = <T>(
  { locks }: RepositoryContext,
  id: string,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> => locks.run([`catalogue ${id}`], work, signal)

const readCatalogue = repositoryEndpoint({
  method: 'get',
  path,
  operation: 'getCataloguesByCatalogueId',
  summary: 'Read a catalogue without its links',
  auth: anyone,
  params,
  answers: answers.graph,
  handle: async ({ c, signal }, context) => {
    const { store, names } = context
    const { id, suffix } = suffixedId(c, 'catalogueId')
    const hash = await catalogueHash(context, id, signal)
    const iri = names.catalogue(id)
    const lines = hash === undefined ? undefined : await store.read(iri, { links: false }, signal)
    if (lines === undefined) throw unknownCatalogue(id)
    const modified = modifiedDate(subjectQuads(lines, iri), iri)
    const resource = { id, iri, path: `/catalogues/${id}`, modified, lines, hash }
    return answerResource(c, context, resource, suffix)
  },
})

const replaceCatalogue = repositoryEndpoint({
  method: 'put',
  path,
  operation: 'putCataloguesByCatalogueId',
  summary: 'Create or replace a catalogue',
  auth: mayWriteCatalogue,
  params,
  body: bodies.catalogue,
  answers: answers.write,
  handle: ({ c, params: { catalogueId: id } }, context) =>
    respondToWrite(c, context, (request, signal) =>
      withCatalogueLock(
        context,
        id,
        () => putCatalogue(context, { id, ...request }, signal),
        signal,
      ),
    ),
})

const deleteCatalogue = repositoryEndpoint({
  method: 'delete',
  path,
  operation: 'deleteCataloguesByCatalogueId',
  summary: 'Delete a catalogue and all its datasets',
  auth: mayWriteCatalogue,
  params,
  answers: removal,
  handle: async ({ c, params: { catalogueId: id }, signal }, context) => {
    const request = { id, createdBy: keyIdOf(c), precondition: expectedState(c) }
    const work = () => removeCatalogue(context, request, signal)
    return answerCatalogueRemoval(c, context, await withCatalogueLock(context, id, work, signal))
  },
})

const restoreCatalogue = repositoryEndpoint({
  method: 'post',
  path: `${path}/restore`,
  operation: 'postCataloguesByCatalogueIdRestore',
  summary: 'Restore a deleted catalogue and the datasets that were deleted with it',
  auth: mayWriteCatalogue,
  params,
  answers: answers.creation,
  handle: async ({ c, params: { catalogueId: id }, signal }, context) => {
    const work = async () => {
      await requireNoDeletion(context, id, signal)
      return beginRestore(context, { id, createdBy: keyIdOf(c) }, signal)
    }
    return answerCatalogueRestore(c, context, await withCatalogueLock(context, id, work, signal))
  },
})

/** Endpoints of catalogues. */
export const catalogueResourceEndpoints = [
  readCatalogue,
  replaceCatalogue,
  deleteCatalogue,
  restoreCatalogue,
]

/**
 * Resources of the types that the profile declares: put under an id, read, deleted, restored, listed. Without such types these
 * paths do not exist.
 */

import { z } from '@hono/zod-openapi'
import type { Quad } from '@rdfjs/types'
import { Failure, invalidParameter } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { anyone, type Endpoint, mayCallFor } from '../../http/endpoint.ts'
import { sizedAnswer } from '../../http/long-answers.ts'
import type { ResourceType } from '../../profile/profile.ts'
import { subjectQuads, toLines } from '../../rdf/lines.ts'
import { dct } from '../../rdf/namespaces.ts'
import type { GraphChange } from '../../store/graph-store.ts'
import { markLine, systemChange } from '../../store/marks.ts'
import { recordStatements, storedRecord, timestamp } from '../content/catalogue-record.ts'
import {
  canonicalContent,
  skolemisedContent,
  mergedGraphs,
  resourceContent,
  resourceNode,
} from '../content/own-content.ts'
import type { RepositoryContext, WriteOutcome } from '../repository-context.ts'
import {
  requireCatalogue,
  linkChange,
  memberFacts,
  memberLocks,
  resourceFacts,
  type ResourceFacts,
} from '../deleting/members.ts'
import { removeMembers, restoreMember } from '../deleting/removal.ts'
import { answerList } from './list-answer.ts'
import { declaredList } from './resource-lists.ts'
import { contract, repositoryEndpoint } from '../endpoints/contract.ts'
import { answerDelete, answerResource, answerWrite } from '../endpoints/responses.ts'
import {
  requireId,
  expectedState,
  pathId,
  respondToWrite,
  suffixedId,
  type WriteRequest,
} from '../endpoints/requests.ts'
import { commitOne, resultOf } from '../writing/write-batch.ts'

const { answers, bodies, parameters } = contract

/** Resource that the path of a request names. */
type NamedResource = {
  readonly type: ResourceType
  readonly id: string
  readonly iri: string
  /** Kind and id of the resource in its tombstone. */
  readonly member: { readonly kind: 'resource'; readonly id: string }
}

/** Returns the declared type of the path; throws `not-found` for another type. */
function typeOf(c: AppContext, { profile }: RepositoryContext): ResourceType {
  const type = profile.resources.find(({ id }) => id === c.req.param('type'))
  if (type) return type
  const declared = profile.resources.map(({ id }) => `"${id}"`).join(', ')
  throw new Failure('not-found', `the profile does not declare this type; it declares ${declared}`)
}

/** Returns the resource of the path. */
function resourceFromPath(
  c: AppContext,
  context: RepositoryContext,
  id = pathId(c, 'id'),
): NamedResource {
  const type = typeOf(c, context)
  const member = { kind: 'resource', id: `${type.id}/${id}` } as const
  return { type, id, iri: context.names.resource(type.id, id), member }
}

export const unknownResource = ({ type, id }: NamedResource) =>
  new Failure('unknown-resource', `there is no resource "${id}" of the type "${type.id}"`)

/** Reads the facts of a resource in the system graph, without its graph. */
export const factsOf = async (
  context: RepositoryContext,
  { iri }: NamedResource,
  signal: AbortSignal,
) => (await resourceFacts(context, [iri], signal)).get(iri)

type ResourcePut = WriteRequest & {
  /** Write even when the hash is equal. */
  readonly enforceUpdate: boolean
  /** Catalogue for types that are in catalogues; `undefined` = keep the current one. */
  readonly targetCatalogue: string | undefined
}

/**
 * Writes a resource; call it under its lock. Fails with `unknown-catalogue`, as `catalogueFor` does, and as its body, its
 * precondition, `resourceNode` and `canonicalContent` do.
 */
export async function putResource(
  context: RepositoryContext,
  resource: NamedResource,
  { body, precondition, enforceUpdate, targetCatalogue }: ResourcePut,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { names, store, deletions, versions, tombstones } = context
  const { type, id, iri, member } = resource
  const stored = await factsOf(context, resource, signal)
  const catalogue = catalogueFor(resource, targetCatalogue, stored)
  const check = deletions.watch(catalogue)
  if (catalogue !== '') await requireCatalogue(context, catalogue, signal)
  const quads = mergedGraphs(await body.parse(iri))
  const node = resourceNode(quads, { typeUri: type.typeUri, id, iri })
  const statements = resourceContent(quads, node, { names, iri })
  const content = await canonicalContent(context, { node, statements }, body.labels)
  const { hash } = content
  precondition(stored?.hash)
  const outcome = { iri, hash, ...(catalogue !== '' && { catalogue }) }
  const isMoved = stored?.catalogue !== catalogue
  if (stored?.hash === hash && !isMoved && !enforceUpdate) return { kind: 'unchanged', ...outcome }
  const before = stored ? ((await store.read(iri, {}, signal)) ?? '') : ''
  const record = catalogue === '' ? [] : recordFor(context, resource, before, hash)
  const mark = { resource: iri, version: versions.next() }
  const facts = { ...member, catalogue, hash }
  const changes: GraphChange[] = [
    {
      graph: iri,
      content: toLines([...skolemisedContent(names, iri, content), ...record]),
      before,
    },
    ...(stored && isMoved ? linkChange(names, stored, 'remove') : []),
    ...(isMoved ? linkChange(names, facts, 'add') : []),
    systemChange({
      add: [...memberFacts(names, facts), markLine('pending', mark)],
      remove: stored ? memberFacts(names, stored) : [],
    }),
  ]
  const result = { kind: stored ? ('updated' as const) : ('created' as const), ...outcome, mark }
  await commitOne(context, { result, group: { changes, marks: [mark] }, check })
  if (!stored) tombstones.forget('resource', [member.id])
  return result
}

/** Returns the catalogue that a resource will be in, `''` when its type is in none. Throws `conflict` or `invalid-parameter`. */
function catalogueFor(
  { type, id }: NamedResource,
  target: string | undefined,
  stored: ResourceFacts | undefined,
): string {
  if (!type.inCatalogue) return ''
  const current = stored?.catalogue
  if (target !== undefined && current && target !== current)
    throw new Failure(
      'conflict',
      `the resource "${id}" is in the catalogue "${current}"; delete it there first`,
    )
  const catalogue = target ?? current
  if (catalogue) return catalogue
  const detail = `a resource of the type "${type.id}" is written into a catalogue: add catalogId=<id>`
  throw invalidParameter('catalogId', detail)
}

/** Makes the record of a resource in a catalogue; it keeps the date of creation that the stored graph `before` states. */
function recordFor(
  { names, now }: RepositoryContext,
  { type, id, iri: topic }: NamedResource,
  before: string,
  hash: string,
): Quad[] {
  const iri = names.resourceRecord(type.id, id)
  const modified = timestamp(now())
  const statement = subjectQuads(before, iri).find((q) => q.predicate.value === dct('issued').value)
  const issued = statement?.object.value ?? modified
  return recordStatements({ topic, iri }, { originalId: id, hash, issued, modified }, names)
}

const query = z.object({
  catalogId: z.string().optional().openapi({
    description:
      'Of types that are in catalogues: the id of the catalogue. To create such a resource it is required, otherwise it restricts',
  }),
})

const path = '/customresources/{type}/{id}'

/** Schema of the path parameter `type`, which lists the declared types in the OpenAPI contract. */
export function typeParameter(types: readonly ResourceType[]) {
  const [first] = types
  return z.string().openapi({
    enum: types.map((type) => type.id),
    description: types.map((type) => `${type.id}: ${type.name} (${type.typeUri})`).join('; '),
    ...(first && { example: first.id }),
  })
}

const exampleOf = (type: ResourceType | undefined) => `@prefix dct: <http://purl.org/dc/terms/> .

<> a <${type?.typeUri ?? ''}> ;
  dct:title "Gauges"@en .
`

/** Returns `catalogId`, which is ignored for types that are in no catalogue. */
const catalogueFromQuery = (c: AppContext, { inCatalogue }: ResourceType) => {
  const id = inCatalogue ? c.req.query('catalogId') : undefined
  return id === undefined ? undefined : requireId('catalogId', id)
}

/** Returns the facts when they belong to the catalogue that the client names; else fails with `unknown-resource`. */
async function requireFacts(
  c: AppContext,
  context: RepositoryContext,
  resource: NamedResource,
): Promise<ResourceFacts> {
  const facts = await factsOf(context, resource, c.get('signal'))
  const catalogue = catalogueFromQuery(c, resource.type)
  if (!facts || (catalogue !== undefined && catalogue !== facts.catalogue))
    throw unknownResource(resource)
  return facts
}

/** Returns the id of the catalogue that a resource is in, if any. */
const catalogueOf = (facts: { readonly catalogue: string } | undefined): string | undefined =>
  facts?.catalogue || undefined

const mayPut = mayCallFor(async (c, context: RepositoryContext) => {
  const resource = resourceFromPath(c, context)
  if (!resource.type.inCatalogue) return undefined
  const catalogueOrFacts =
    catalogueFromQuery(c, resource.type) ?? (await factsOf(context, resource, c.get('signal')))
  return typeof catalogueOrFacts === 'string' ? catalogueOrFacts : catalogueOf(catalogueOrFacts)
})

export const mayWriteResource = mayCallFor(async (c, context: RepositoryContext) => {
  const resource = resourceFromPath(c, context)
  return resource.type.inCatalogue
    ? catalogueOf(await requireFacts(c, context, resource))
    : undefined
})

const mayRestore = mayCallFor(async (c, context: RepositoryContext) => {
  const resource = resourceFromPath(c, context)
  const tombstone = context.tombstones.find('resource', resource.member.id)
  const facts = tombstone ?? (await factsOf(context, resource, c.get('signal')))
  if (!facts) throw unknownResource(resource)
  return catalogueOf(facts)
})

/** Runs work under the lock of a resource. */
export const underLock = <T>(
  { locks, names }: RepositoryContext,
  { member }: NamedResource,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> => locks.run(memberLocks(names, [member]), work, signal)

/** Refuses undeclared types with `not-found`, before a key is asked for; does nothing where the profile declares no types. */
export function requireDeclaredType(app: App, context: RepositoryContext): void {
  if (context.profile.resources.length === 0) return
  app.use('/customresources/:type/*', (c, next) => {
    typeOf(c, context)
    return next()
  })
}

/** Endpoints of the resources of declared types; empty when the profile declares none. */
export function declaredEndpoints(types: readonly ResourceType[]): Endpoint<RepositoryContext>[] {
  if (types.length === 0) return []
  const type = typeParameter(types)
  return [
    listResources(type),
    ...resourceEndpoints(
      z.object({ type, id: parameters.idWithSuffix }),
      bodies.withExample(exampleOf(types[0])),
    ),
  ]
}

type TypeParameter = ReturnType<typeof typeParameter>

const listResources = (type: TypeParameter) =>
  repositoryEndpoint({
    method: 'get',
    path: '/customresources/{type}',
    operation: 'getCustomresourcesByType',
    summary: 'List the resources of a type that the profile declares',
    auth: anyone,
    params: z.object({ type }),
    query: parameters.list.extend(query.shape),
    answers: answers.list,
    handle: ({ c, query: { catalogId, ...page } }, context) => {
      const { id, inCatalogue: hasCatalogue } = typeOf(c, context)
      const within =
        catalogId !== undefined && hasCatalogue ? requireId('catalogId', catalogId) : undefined
      return answerList(c, context, declaredList(context, id, within), page)
    },
  })

type ResourcePath = z.ZodObject<{ type: TypeParameter; id: typeof parameters.idWithSuffix }>

function resourceEndpoints(params: ResourcePath, body: ReturnType<typeof bodies.withExample>) {
  const readResource = repositoryEndpoint({
    method: 'get',
    path,
    operation: 'getCustomresourcesByTypeById',
    summary: 'Read a resource of a declared type',
    auth: anyone,
    params,
    query,
    answers: answers.graph,
    handle: ({ c }, context) => answer(c, context),
  })
  const replaceResource = repositoryEndpoint({
    method: 'put',
    path,
    operation: 'putCustomresourcesByTypeById',
    summary: 'Create or replace a resource of a declared type',
    auth: mayPut,
    params,
    query: query.extend({ enforceUpdate: parameters.put.shape.enforceUpdate }),
    body,
    answers: answers.write,
    handle: ({ c, query: { enforceUpdate } }, context) => replace(c, context, enforceUpdate),
  })
  const deleteResource = repositoryEndpoint({
    method: 'delete',
    path,
    operation: 'deleteCustomresourcesByTypeById',
    summary: 'Delete a resource of a declared type',
    auth: mayWriteResource,
    params,
    query,
    answers: answers.removal,
    handle: ({ c }, context) => remove(c, context),
  })
  const restoreResource = repositoryEndpoint({
    method: 'post',
    path: `${path}/restore`,
    operation: 'postCustomresourcesByTypeByIdRestore',
    summary: 'Restore a deleted resource of a declared type',
    auth: mayRestore,
    params,
    answers: answers.creation,
    handle: ({ c }, context) => restore(c, context),
  })
  return [readResource, replaceResource, deleteResource, restoreResource]
}

function replace(
  c: AppContext,
  context: RepositoryContext,
  enforceUpdate: boolean,
): Promise<Response> {
  const resource = resourceFromPath(c, context)
  const targetCatalogue = catalogueFromQuery(c, resource.type)
  return respondToWrite(c, context, (request, signal) => {
    const put = { ...request, enforceUpdate, targetCatalogue }
    return underLock(context, resource, () => putResource(context, resource, put, signal), signal)
  })
}

async function restore(c: AppContext, context: RepositoryContext): Promise<Response> {
  const resource = resourceFromPath(c, context)
  const restored = await restoreMember(context, resource.member, c.get('signal'))
  if (!restored) throw unknownResource(resource)
  return answerWrite(c, context, restored)
}

async function remove(c: AppContext, context: RepositoryContext): Promise<Response> {
  const [resource, signal] = [resourceFromPath(c, context), c.get('signal')]
  const work = async () => {
    const facts = await requireFacts(c, context, resource)
    expectedState(c)(facts.hash)
    const [result] = await removeMembers(context, [facts], { at: context.now() }, signal)
    return { mark: resultOf(result), catalogue: catalogueOf(facts) }
  }
  return answerDelete(c, context, await underLock(context, resource, work, signal))
}

/** Answers the graph of a resource, with its record when it is in a catalogue. */
async function answer(c: AppContext, context: RepositoryContext): Promise<Response> {
  const { names, store } = context
  const { id, suffix } = suffixedId(c, 'id')
  const resource = resourceFromPath(c, context, id)
  const { type, iri } = resource
  return sizedAnswer(c, iri, async (read) => {
    const [lines, { hash, catalogue }] = await Promise.all([
      store.read(iri, {}, c.get('signal')),
      requireFacts(c, context, resource),
    ])
    if (lines === undefined) throw unknownResource(resource)
    read(lines.length)
    const record = names.resourceRecord(type.id, id)
    const links =
      catalogue === '' ? {} : { describedby: record, collection: names.catalogue(catalogue) }
    const { modified } = storedRecord(lines, record)
    const facts = { id, iri, path: `/customresources/${type.id}/${id}`, hash, modified }
    return answerResource(c, context, { ...facts, lines, links }, suffix)
  })
}

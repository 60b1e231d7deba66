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

/** A resource that a request names. */
type NamedResource = {
  readonly type: ResourceType
  readonly id: string
  readonly iri: string
  /** Name of its tombstone. */
  readonly member: { readonly kind: 'resource'; readonly id: string }
}

/** Returns the declared type of the path; throws `not-found`, which lists the declared types. */
function typeOf(c: AppContext, { profile }: RepositoryContext): ResourceType {
  const found = profile.resources.find(({ id }) => id === c.req.param('type'))
  if (found) return found
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

const unknownResource = ({ type, id }: NamedResource) =>
  new Failure('unknown-resource', `there is no resource "${id}" of the type "${type.id}"`)

/** Reads the facts of a resource in the system graph, without its graph. */
const factsOf = async (context: RepositoryContext, { iri }: NamedResource, signal: AbortSignal) =>
  (await resourceFacts(context, [iri], signal)).get(iri)

type ResourcePut = WriteRequest & {
  /** Write even when the hash is equal. */
  readonly enforceUpdate: boolean
  /** Catalogue for types that are in catalogues; `undefined` = keep the current one. */
  readonly targetCatalogue: string | undefined
}

/**
 * Writes a resource under its lock. Fails with `unknown-catalogue`, `invalid-parameter` when a new one needs a catalogue,
 * `conflict` when it is in another one, and as the PUT of a dataset does.
 */
async function putResource(
  context: RepositoryContext,
  name: NamedResource,
  { body, precondition, enforceUpdate, targetCatalogue }: ResourcePut,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { names, store, deletions, versions, tombstones } = context
  const { type, id, iri, member } = name
  const stored = await factsOf(context, name, signal)
  const catalogue = catalogueFor(name, targetCatalogue, stored)
  const check = deletions.watch(catalogue)
  if (catalogue !== '') await requireCatalogue(context, catalogue, signal)
  const quads = mergedGraphs(await body.parse(iri))
  const node = resourceNode(quads, { typeUri: type.typeUri, id, iri })
  const statements = resourceContent(quads, node, { names, iri })
  const content = await canonicalContent(context, { node, statements })
  const { hash } = content
  precondition(stored?.hash)
  const outcome = { iri, hash, ...(catalogue !== '' && { catalogue }) }
  const isMoved = stored?.catalogue !== catalogue
  if (stored?.hash === hash && !isMoved && !enforceUpdate) return { kind: 'unchanged', ...outcome }
  const before = stored ? ((await store.read(iri, {}, signal)) ?? '') : ''
  const record = catalogue === '' ? [] : recordFor(context, name, before, hash)
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

/** Returns the catalogue that a resource will be in, `''` when its type is in none. */
function catalogueFor(
  { type, id }: NamedResource,
  home: string | undefined,
  stored: ResourceFacts | undefined,
): string {
  if (!type.inCatalogue) return ''
  const present = stored?.catalogue
  if (home !== undefined && present && home !== present)
    throw new Failure(
      'conflict',
      `the resource "${id}" is in the catalogue "${present}"; delete it there first`,
    )
  const found = home ?? present
  if (found) return found
  const detail = `a resource of the type "${type.id}" is written into a catalogue: add catalogId=<id>`
  throw invalidParameter('catalogId', detail)
}

/** Makes the record of a resource in a catalogue; it keeps the date of the creation. */
function recordFor(
  { names, now }: RepositoryContext,
  { type, id, iri: topic }: NamedResource,
  before: string,
  hash: string,
): Quad[] {
  const iri = names.resourceRecord(type.id, id)
  const modified = timestamp(now())
  const said = subjectQuads(before, iri).find((q) => q.predicate.value === dct('issued').value)
  const issued = said?.object.value ?? modified
  return recordStatements({ topic, iri }, { originalId: id, hash, issued, modified }, names)
}

const query = z.object({
  catalogId: z.string().optional().openapi({
    description:
      'Of types that are in catalogues: the id of the catalogue. To create such a resource it is required, otherwise it restricts',
  }),
})

const path = '/customresources/{type}/{id}'

/** Describes the type of the path: a parameter for every declared type, which the contract lists. */
function typeParameter(types: readonly ResourceType[]) {
  const [first] = types
  return z.string().openapi({
    enum: types.map((one) => one.id),
    description: types.map((one) => `${one.id}: ${one.name} (${one.typeUri})`).join('; '),
    ...(first && { example: first.id }),
  })
}

const exampleOf = (type: ResourceType | undefined) => `@prefix dct: <http://purl.org/dc/terms/> .

<> a <${type?.typeUri ?? ''}> ;
  dct:title "Gauges"@en .
`

/** Returns `catalogId`, which is ignored for types that are in no catalogue. */
const namedCatalogue = (c: AppContext, { inCatalogue }: ResourceType) => {
  const named = inCatalogue ? c.req.query('catalogId') : undefined
  return named === undefined ? undefined : requireId('catalogId', named)
}

/** Returns the facts when they belong to the catalogue that the client names; else fails with `unknown-resource`. */
async function requireFacts(
  c: AppContext,
  context: RepositoryContext,
  name: NamedResource,
): Promise<ResourceFacts> {
  const found = await factsOf(context, name, c.get('signal'))
  const named = namedCatalogue(c, name.type)
  if (!found || (named !== undefined && named !== found.catalogue)) throw unknownResource(name)
  return found
}

/** Returns the id of the catalogue that a resource is in, if any. */
const inCatalogue = (facts: { readonly catalogue: string } | undefined): string | undefined =>
  facts?.catalogue || undefined

const mayPut = mayCallFor(async (c, context: RepositoryContext) => {
  const name = resourceFromPath(c, context)
  if (!name.type.inCatalogue) return undefined
  const found = namedCatalogue(c, name.type) ?? (await factsOf(context, name, c.get('signal')))
  return typeof found === 'string' ? found : inCatalogue(found)
})

const mayDelete = mayCallFor(async (c, context: RepositoryContext) => {
  const name = resourceFromPath(c, context)
  return name.type.inCatalogue ? inCatalogue(await requireFacts(c, context, name)) : undefined
})

const mayRestore = mayCallFor(async (c, context: RepositoryContext) => {
  const name = resourceFromPath(c, context)
  const tombstone = context.tombstones.find('resource', name.member.id)
  const known = tombstone ?? (await factsOf(context, name, c.get('signal')))
  if (!known) throw unknownResource(name)
  return inCatalogue(known)
})

/** Runs work under the locks of a resource. */
const locked = <T>(
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
      const { id, inCatalogue: isIn } = typeOf(c, context)
      const within = catalogId !== undefined && isIn ? requireId('catalogId', catalogId) : undefined
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
    auth: mayDelete,
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
  const name = resourceFromPath(c, context)
  const targetCatalogue = namedCatalogue(c, name.type)
  return respondToWrite(c, context, (request, signal) => {
    const put = { ...request, enforceUpdate, targetCatalogue }
    return locked(context, name, () => putResource(context, name, put, signal), signal)
  })
}

async function restore(c: AppContext, context: RepositoryContext): Promise<Response> {
  const name = resourceFromPath(c, context)
  const restored = await restoreMember(context, name.member, c.get('signal'))
  if (!restored) throw unknownResource(name)
  return answerWrite(c, context, restored)
}

async function remove(c: AppContext, context: RepositoryContext): Promise<Response> {
  const [name, signal] = [resourceFromPath(c, context), c.get('signal')]
  const work = async () => {
    const facts = await requireFacts(c, context, name)
    expectedState(c)(facts.hash)
    const [removed] = await removeMembers(context, [facts], { at: context.now() }, signal)
    return { mark: resultOf(removed), catalogue: inCatalogue(facts) }
  }
  return answerDelete(c, context, await locked(context, name, work, signal))
}

/** Answers the graph of a resource, with its record when it is in a catalogue. */
async function answer(c: AppContext, context: RepositoryContext): Promise<Response> {
  const { names, store } = context
  const { id, suffix } = suffixedId(c, 'id')
  const name = resourceFromPath(c, context, id)
  const { type, iri } = name
  return sizedAnswer(c, iri, async (read) => {
    const [lines, { hash, catalogue }] = await Promise.all([
      store.read(iri, {}, c.get('signal')),
      requireFacts(c, context, name),
    ])
    if (lines === undefined) throw unknownResource(name)
    read(lines.length)
    const record = names.resourceRecord(type.id, id)
    const links =
      catalogue === '' ? {} : { describedby: record, collection: names.catalogue(catalogue) }
    const { modified } = storedRecord(lines, record)
    const facts = { id, iri, path: `/customresources/${type.id}/${id}`, hash, modified }
    return answerResource(c, context, { ...facts, lines, links }, suffix)
  })
}

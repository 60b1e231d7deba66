/** Binds the routes of the resources of declared types. Where the profile declares none, there is nothing at these paths. */

import type { AppContext } from '../../http/app.ts'
import { splitSuffix } from '../../rdf/media-types.ts'
import { answerDelete, answerWrite, answering } from '../answering/answers.ts'
import { demandId } from '../answering/guard.ts'
import { receivedBody } from '../answering/received.ts'
import { answerResource } from '../answering/resource.ts'
import type { Bound } from '../bound.ts'
import { storedRecord } from '../content/record.ts'
import { answerList } from '../listing/answer-list.ts'
import type { ListDeps } from '../listing/lists.ts'
import { declaredType, type ResourceName } from './declared-types.ts'
import type { ResourceFacts } from './facts.ts'
import { tombstoneId } from './removing.ts'
import { resourceList, resourceMembers } from './resource-list.ts'
import { resourceRoutes } from './routes.ts'
import { unknownResource } from './resources.ts'

export function bindCustomResources(bound: Bound): void {
  const { app, profile } = bound
  if (profile.resources.length === 0) return
  const listing: ListDeps = {
    ...bound,
    rosters: bound.kept.rosters,
    demand: (catalogue, signal) => bound.catalogues.demand(catalogue, signal),
  }
  const routes = resourceRoutes(profile.resources)
  const typeOf = (c: AppContext) => declaredType(profile.resources, c.req.param('type') ?? '')
  const nameOf = (c: AppContext): ResourceName => ({
    type: typeOf(c),
    id: demandId('id', c.req.param('id') ?? ''),
  })
  app.use('/customresources/:type/*', (c, next) => {
    typeOf(c)
    return next()
  })
  bound.guard({
    methods: ['PUT', 'DELETE'],
    paths: ['/customresources/:type/:id'],
    permission: (c) => catalogueOf(c, bound, nameOf(c)),
  })
  bound.guard({
    methods: ['POST'],
    paths: ['/customresources/:type/:id/restore'],
    permission: (c) => formerCatalogueOf(c, bound, nameOf(c)),
  })

  app.openapi(routes.list, (c) => {
    const { catalogId, ...query } = c.req.valid('query')
    const { id: type, inCatalogue } = typeOf(c)
    if (catalogId === undefined || !inCatalogue) {
      return answerList(c, resourceList(listing, type), query, bound)
    }
    const catalogue = demandId('catalogId', catalogId)
    return answerList(c, resourceMembers(listing, { type, catalogue }), query, bound)
  })
  app.openapi(routes.read, (c) => answer(c, bound, typeOf(c)))
  app.openapi(routes.put, (c) => put(c, bound, nameOf(c), c.req.valid('query').enforceUpdate))
  app.openapi(routes.remove, (c) => remove(c, bound, nameOf(c)))
  app.openapi(routes.restore, async (c) => {
    const { customResources, limits } = bound
    const outcome = await customResources.restore(nameOf(c), c.get('signal'))
    return answerWrite(c, outcome, answering(bound, limits))
  })
}

/** Whose permission a write needs; fails with `unknown-resource` for what can only be deleted where it is. */
async function catalogueOf(
  c: AppContext,
  { customResources }: Bound,
  name: ResourceName,
): Promise<string | undefined> {
  if (!name.type.inCatalogue) return undefined
  const named = namedCatalogue(c, name)
  if (c.req.method === 'PUT' && named !== undefined) return named
  const found = await customResources.find(name, c.get('signal'))
  if (c.req.method === 'PUT') return found?.catalogue
  return demandIn(found, name, named).catalogue
}

/** The same for what was deleted. */
async function formerCatalogueOf(
  c: AppContext,
  { customResources, tombstones, names }: Bound,
  name: ResourceName,
): Promise<string | undefined> {
  const id = tombstoneId(names, names.resource(name.type.id, name.id)) ?? ''
  const known =
    tombstones.find('resource', id) ?? (await customResources.find(name, c.get('signal')))
  if (!known) throw unknownResource(name)
  return known.catalogue === '' ? undefined : known.catalogue
}

/** What `catalogId` says; of types that are in no catalogue it says nothing. */
const namedCatalogue = (c: AppContext, { type }: Pick<ResourceName, 'type'>) => {
  const named = type.inCatalogue ? c.req.query('catalogId') : undefined
  return named === undefined ? undefined : demandId('catalogId', named)
}

/** The facts, when there are any and they are of the catalogue that the client names. */
function demandIn<T extends ResourceFacts>(
  found: T | undefined,
  name: ResourceName,
  named: string | undefined,
): T {
  if (!found || (named !== undefined && named !== found.catalogue)) throw unknownResource(name)
  return found
}

async function put(
  c: AppContext,
  bound: Bound,
  name: ResourceName,
  enforceUpdate: boolean,
): Promise<Response> {
  const { customResources, limits, expected } = bound
  const catalogue = namedCatalogue(c, name)
  const body = await receivedBody(c, limits)
  const request = {
    ...name,
    body,
    enforceUpdate,
    precondition: expected(c),
    ...(catalogue !== undefined && { catalogue }),
  }
  const outcome = await customResources.put(request, c.get('signal'))
  return answerWrite(c, outcome, answering(bound, limits))
}

async function remove(c: AppContext, bound: Bound, name: ResourceName): Promise<Response> {
  const { customResources, limits, expected } = bound
  const catalogue = await catalogueOf(c, bound, name)
  const mark = await customResources.remove(name, expected(c), c.get('signal'))
  return answerDelete(c, mark, answering(bound, limits), catalogue)
}

async function answer(c: AppContext, bound: Bound, type: ResourceName['type']): Promise<Response> {
  const { customResources, names } = bound
  const { id: plain, format: suffix } = splitSuffix(c.req.param('id') ?? '')
  const name = { type, id: demandId('id', plain) }
  const found = await customResources.read(name, c.get('signal'))
  const { lines, hash, catalogue } = demandIn(found, name, namedCatalogue(c, name))
  const { id } = name
  const iri = names.resource(type.id, id)
  const record = names.resourceRecord(type.id, id)
  const links =
    catalogue === undefined ? {} : { describedby: record, collection: names.catalogue(catalogue) }
  const { modified } = storedRecord(lines, record)
  const facts = { id, iri, graph: iri, path: `/customresources/${type.id}/${id}`, hash, modified }
  return answerResource(c, { ...facts, lines, links }, bound, suffix)
}

/** The routes of the resources of declared types. Where the profile declares none, there is nothing at these paths. */

import { z } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { storedRecord } from '../content/catalogue-record.ts'
import {
  memberId,
  unknownResource,
  type ResourceName,
  type RepositoryType,
} from '../declared-resources.ts'
import type { ResourceFacts } from '../deleting/members.ts'
import { answerList } from '../listing/list-answer.ts'
import { declaredList } from '../listing/lists.ts'
import {
  repositoryBodies as bodies,
  listRoute,
  postRoute,
  putRoute,
  readRoute,
  removeRoute,
} from './contract.ts'
import { repositoryParameters as parameters } from './parameters.ts'
import { answerDelete, answerResource, answerWrite } from './responses.ts'
import {
  writeAnswer,
  demandId,
  expectedState,
  respondToWrite,
  suffixedId,
  type RouteContext,
} from './route-context.ts'

const catalogue = z.object({
  catalogId: z.string().optional().openapi({
    description:
      'Of types that are in catalogues: the id of the catalogue. To create such a resource it is required, otherwise it restricts',
  }),
})

const put = catalogue.extend({ enforceUpdate: parameters.put.shape.enforceUpdate })

const path = '/customresources/{type}/{id}'

/** The type is a parameter of the path, as everywhere that the platform is generic; the contract names the declared ones. */
function routesOf(types: readonly RepositoryType[]) {
  const [first] = types
  const type = z.string().openapi({
    enum: types.map((one) => one.id),
    description: types.map((one) => `${one.id}: ${one.name} (${one.typeUri})`).join('; '),
    ...(first && { example: first.id }),
  })
  const params = z.object({ type, id: parameters.suffixed })
  return {
    list: listRoute(
      '/customresources/{type}',
      'List the resources of a type that the profile declares',
      { params: z.object({ type }), query: parameters.list.extend(catalogue.shape) },
    ),
    read: readRoute(path, 'Read a resource of a declared type', { params, query: catalogue }),
    ...writesOf(params, first),
  }
}

function writesOf(params: z.ZodObject, example: RepositoryType | undefined) {
  return {
    put: putRoute(path, 'Create or replace a resource of a declared type', {
      params,
      query: put,
      body: bodies.of(exampleOf(example)),
    }),
    remove: removeRoute(path, 'Delete a resource of a declared type', { params, query: catalogue }),
    restore: postRoute(`${path}/restore`, 'Restore a deleted resource of a declared type', {
      params,
    }),
  }
}

const exampleOf = (type: RepositoryType | undefined) => `@prefix dct: <http://purl.org/dc/terms/> .

<> a <${type?.typeUri ?? ''}> ;
  dct:title "Gauges"@en .
`

/** The declared type of the path; throws `not-found`, which names those that there are. */
function typeOf(c: AppContext, { profile }: RouteContext): RepositoryType {
  const found = profile.resources.find(({ id }) => id === c.req.param('type'))
  if (found) return found
  const declared = profile.resources.map(({ id }) => `"${id}"`).join(', ')
  throw new Failure('not-found', `the profile declares no such type, only ${declared}`)
}

const nameOf = (c: AppContext, context: RouteContext): ResourceName => ({
  type: typeOf(c, context),
  id: demandId('id', c.req.param('id') ?? ''),
})

export function addDeclaredRoutes(context: RouteContext): void {
  const { app, declared, guard, profile } = context
  if (profile.resources.length === 0) return
  const routes = routesOf(profile.resources)
  const one = '/customresources/:type/:id'
  app.use('/customresources/:type/*', (c, next) => {
    typeOf(c, context)
    return next()
  })
  guard({
    methods: ['PUT', 'DELETE'],
    path: one,
    permission: (c) => catalogueOf(c, context, nameOf(c, context)),
  })
  guard({
    methods: ['POST'],
    path: `${one}/restore`,
    permission: (c) => formerCatalogueOf(c, context, nameOf(c, context)),
  })

  app.openapi(routes.list, (c) => {
    const { catalogId, ...query } = c.req.valid('query')
    const { id: type, inCatalogue } = typeOf(c, context)
    const isRestricted = catalogId !== undefined && inCatalogue
    const within = isRestricted ? demandId('catalogId', catalogId) : undefined
    return answerList(c, declaredList(context, type, within), query, context)
  })
  app.openapi(routes.read, (c) => answer(c, context))
  app.openapi(routes.put, (c) => {
    const name = nameOf(c, context)
    const { enforceUpdate } = c.req.valid('query')
    const home = namedCatalogue(c, name)
    return respondToWrite(c, context, (request, signal) =>
      declared.put({ ...name, enforceUpdate, catalogue: home, ...request }, signal),
    )
  })
  app.openapi(routes.remove, async (c) => {
    const name = nameOf(c, context)
    const home = await catalogueOf(c, context, name)
    const mark = await declared.remove(name, expectedState(c), c.get('signal'))
    return answerDelete(c, { mark, catalogue: home }, writeAnswer(context))
  })
  app.openapi(routes.restore, async (c) => {
    const outcome = await declared.restore(nameOf(c, context), c.get('signal'))
    return answerWrite(c, outcome, writeAnswer(context))
  })
}

/** Whose permission a write needs; fails with `unknown-resource` for what can only be deleted where it is. */
async function catalogueOf(
  c: AppContext,
  { declared }: RouteContext,
  name: ResourceName,
): Promise<string | undefined> {
  if (!name.type.inCatalogue) return undefined
  const named = namedCatalogue(c, name)
  const isPut = c.req.method === 'PUT'
  if (isPut && named !== undefined) return named
  const found = await declared.find(name, c.get('signal'))
  const facts = isPut ? found : demandIn(found, name, named)
  return facts?.catalogue === '' ? undefined : facts?.catalogue
}

/** The same for what was deleted. */
async function formerCatalogueOf(
  c: AppContext,
  { declared, tombstones }: RouteContext,
  name: ResourceName,
): Promise<string | undefined> {
  const known =
    tombstones.find('resource', memberId(name)) ?? (await declared.find(name, c.get('signal')))
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

async function answer(c: AppContext, context: RouteContext): Promise<Response> {
  const { declared, names } = context
  const { id, suffix } = suffixedId(c, 'id')
  const name = { type: typeOf(c, context), id }
  const found = await declared.read(name, c.get('signal'))
  const { lines, hash, catalogue: home } = demandIn(found, name, namedCatalogue(c, name))
  const type = name.type.id
  const [iri, record] = [names.resource(type, id), names.resourceRecord(type, id)]
  const links = home === '' ? {} : { describedby: record, collection: names.catalogue(home) }
  const { modified } = storedRecord(lines, record)
  const facts = { id, iri, graph: iri, path: `/customresources/${type}/${id}`, hash, modified }
  return answerResource(c, { ...facts, lines, links }, names, suffix)
}

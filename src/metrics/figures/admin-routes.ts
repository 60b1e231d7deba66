/** Endpoints of the metrics cache for administrators: refreshes, schedules, removal of figures; and the state of the cache. */

import { z } from '@hono/zod-openapi'
import { Failure, shown } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { keyIdOf } from '../../http/context.ts'
import { anyone, type Auth, mayCall } from '../../http/endpoint.ts'
import { readJsonBody } from '../../pipe/pipe-text.ts'
import {
  type CacheContext,
  cacheEndpoint,
  jsonContent,
  healthSchema,
  idPath,
  scheduleSchema,
} from './cache-contract.ts'
import {
  catalogueIds,
  readCatalogues,
  unknownCatalogue,
  visibleCatalogue,
} from './catalogue-reader.ts'
import type { CatalogueFigures } from './figures.ts'
import type { RefreshProgress, RefreshScope } from './refresh-figures.ts'
import type { StoredSchedule } from './refresh-schedules.ts'

const accepted = {
  202: {
    description: 'It is being done; what is served changes when it is complete',
    headers: {
      Link: {
        schema: { type: 'string' as const },
        description: 'rel="monitor": where the progress can be read',
      },
    },
  },
}

const scopes = ['catalogues', 'countries', 'global'] as const

/** A key that may clear everything may call every endpoint of administration. */
const mayAdminister: Auth<CacheContext> = {
  ...mayCall,
  orElse: { method: 'POST', path: '/admin/clear' },
}

/** Requests a refresh, which goes on after the answer. */
function start(c: AppContext, { cache }: CacheContext, scope: RefreshScope): Response {
  cache.refreshes.request(scope, keyIdOf(c))
  return c.body(null, 202, { Link: `<${c.get('address')}/health>; rel="monitor"` })
}

const refreshAll = cacheEndpoint({
  method: 'post',
  path: '/admin/refresh',
  operation: 'postAdminRefresh',
  summary: 'Count all figures again from the metrics graphs; joins a refresh that runs',
  auth: mayAdminister,
  answers: accepted,
  handle: ({ c }, context) => start(c, context, 'all'),
})

const refreshPart = cacheEndpoint({
  method: 'post',
  path: '/admin/refresh/{scope}/{id}',
  operation: 'postAdminRefreshByScopeById',
  summary: 'The same for a catalogue or a country, and for what they are part of',
  auth: mayAdminister,
  params: z.object({
    scope: z.enum(scopes),
    id: z.string().describe('Of the catalogue or the country; global has none'),
  }),
  answers: accepted,
  handle: async ({ c, params: { scope, id }, signal }, context) =>
    start(c, context, await refreshScopeOf(context, scope, id, signal)),
})

const clearFigures = cacheEndpoint({
  method: 'post',
  path: '/admin/clear',
  operation: 'postAdminClear',
  summary: 'Remove all figures and their history; the metrics graphs stay',
  auth: mayAdminister,
  answers: { 202: { description: 'They are removed' } },
  handle: ({ c }, { cache }) => {
    cache.clear()
    return c.body(null, 202)
  },
})

const listSchedules = cacheEndpoint({
  method: 'get',
  path: '/admin/schedule',
  operation: 'getAdminSchedule',
  summary: 'When the figures are refreshed by themselves, beside once a day',
  auth: mayAdminister,
  answers: { 200: jsonContent('Schedules', z.array(scheduleSchema)) },
  handle: (_, { cache }) => cache.schedules.all().map(scheduleDocument),
})

/** Maximum bytes of the body that sets a schedule, and maximum number of schedules. */
const maxBytes = 65_536
const maxSchedules = 100

const setSchedule = cacheEndpoint({
  method: 'post',
  path: '/admin/schedule',
  operation: 'postAdminSchedule',
  summary: 'Set a schedule, in place of the one with its id',
  auth: mayAdminister,
  body: {
    required: true,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Schedule' },
        example: { id: 'nightly', status: 'enabled', cron: '0 3 * * *' },
      },
    },
  },
  answers: { 202: jsonContent('The schedule', scheduleSchema) },
  handle: async ({ c }, { cache }) => {
    const body = await readJsonBody(c, { bytes: maxBytes })
    if (body === undefined) throw new Failure('empty-body', 'the request has no body')
    return c.json(scheduleDocument(cache.schedules.set(body, maxSchedules)), 202)
  },
})

const forgetCatalogue = cacheEndpoint({
  method: 'delete',
  path: '/catalogues/{id}',
  operation: 'deleteCataloguesById',
  summary: 'Remove the figures of a catalogue and their history; the metrics graphs stay',
  auth: mayAdminister,
  params: idPath,
  answers: { 200: { description: 'They are removed' } },
  handle: ({ c, params: { id } }, { cache }) => {
    if (!cache.figures.catalogue(id)) throw unknownCatalogue(id)
    cache.forget(id)
    return c.body(null, 200)
  },
})

const readHealth = cacheEndpoint({
  method: 'get',
  path: '/health',
  operation: 'getHealth',
  summary: 'The last refresh, and how far one that runs has come',
  auth: anyone,
  answers: { 200: jsonContent('The state', healthSchema) },
  handle: (_, { cache }) => {
    const refreshed = cache.figures.refreshed()
    const { progress } = cache.refreshes
    return {
      status: 'up',
      refresh: refreshed ? { number: refreshed.number, at: refreshed.at.toISOString() } : null,
      refreshing: progress ? progressOf(progress) : null,
    }
  },
})

/** The endpoints of administration, and the state of the cache. */
export const adminEndpoints = [
  refreshAll,
  refreshPart,
  clearFigures,
  listSchedules,
  setSchedule,
  forgetCatalogue,
  readHealth,
]

const progressOf = ({ scope, since, catalogues, datasets }: RefreshProgress) => ({
  extent: scope === 'all' ? 'all' : { catalogues: scope },
  since: new Date(since).toISOString(),
  catalogues,
  datasets,
})

/**
 * Catalogues that the path names. A catalogue need not have figures yet; where no counted catalogue is of a country, those of the
 * store are read. Throws `unknown-catalogue` and `not-found`.
 */
async function refreshScopeOf(
  { cache: { figures }, source }: CacheContext,
  scope: (typeof scopes)[number],
  id: string,
  signal: AbortSignal,
): Promise<RefreshScope> {
  if (scope === 'global') return 'all'
  if (scope === 'catalogues') return [(await visibleCatalogue(source, id, signal)).id]
  const ofCountry = (catalogues: readonly CatalogueFigures[]) =>
    catalogues
      .filter(({ country }) => country === id.toUpperCase())
      .map((catalogue) => catalogue.id)
  const countedIds = ofCountry(figures.catalogues())
  if (countedIds.length > 0) return countedIds
  const storedCatalogues = await readCatalogues(source, await catalogueIds(source, signal), signal)
  const ids = ofCountry([...storedCatalogues.values()].filter(({ isHidden }) => !isHidden))
  if (ids.length > 0) return ids
  throw new Failure('not-found', `no catalogue is of the country ${shown(id)}`)
}

const scheduleDocument = ({ document, next, last }: StoredSchedule) => ({
  ...document,
  ...(next !== undefined && { next: new Date(next).toISOString() }),
  ...(last !== undefined && { last: new Date(last).toISOString() }),
})

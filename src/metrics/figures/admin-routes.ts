/** Routes of administration, and of the state of the cache. */

import { createRoute, z } from '@hono/zod-openapi'
import { Failure, shown } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { readBody } from '../../http/body.ts'
import {
  type CacheContext,
  content,
  health,
  idPath,
  responses,
  schedule,
  security,
} from './cache-contract.ts'
import {
  catalogueIds,
  readCatalogues,
  unknownCatalogue,
  visibleCatalogue,
} from './catalogue-reader.ts'
import type { CatalogueFigures } from './figures.ts'
import type { Extent, RefreshProgress, Scheduled } from './metrics-cache.ts'

const reference = { $ref: '#/components/schemas/Schedule' }
const example = { id: 'nightly', status: 'enabled', cron: '0 3 * * *' }

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

const extents = ['catalogues', 'countries', 'global'] as const

const routes = {
  refresh: createRoute({
    method: 'post',
    path: '/admin/refresh',
    summary: 'Count all figures again from the metrics graphs; joins a refresh that runs',
    security,
    responses: responses(accepted),
  }),
  refreshPart: createRoute({
    method: 'post',
    path: '/admin/refresh/{scope}/{id}',
    summary: 'The same for a catalogue or a country, and for what they are part of',
    security,
    request: {
      params: z.object({
        scope: z.enum(extents),
        id: z.string().describe('Of the catalogue or the country; global has none'),
      }),
    },
    responses: responses(accepted),
  }),
  clear: createRoute({
    method: 'post',
    path: '/admin/clear',
    summary: 'Remove all figures and their history; the metrics graphs stay',
    security,
    responses: responses({ 202: { description: 'They are removed' } }),
  }),
  schedules: createRoute({
    method: 'get',
    path: '/admin/schedule',
    summary: 'When the figures are refreshed by themselves, beside once a day',
    security,
    responses: responses({ 200: content('Schedules', z.array(schedule)) }),
  }),
  schedule: createRoute({
    method: 'post',
    path: '/admin/schedule',
    summary: 'Set a schedule, in place of the one with its id',
    security,
    request: {
      // Read and checked by the handler: its bounds come before its schema.
      body: { required: true, content: { 'application/json': { schema: reference, example } } },
    },
    responses: responses({ 202: content('The schedule', schedule) }),
  }),
  forget: createRoute({
    method: 'delete',
    path: '/catalogues/{id}',
    summary: 'Remove the figures of a catalogue and their history; the metrics graphs stay',
    security,
    request: { params: idPath },
    responses: responses({ 200: { description: 'They are removed' } }),
  }),
  health: createRoute({
    method: 'get',
    path: '/health',
    summary: 'The last refresh, and how far one that runs has come',
    responses: responses({ 200: content('The state', health) }),
  }),
} as const

/** Bytes of a schedule. */
const mostBytes = 65_536
const mostSchedules = 100

/** `/admin/…`, `/health` and the removal of a catalogue's figures; who may use them is checked before (`cacheApp`). */
export function addAdminRoutes(app: App, context: CacheContext): void {
  const { cache, log } = context
  const start = (c: AppContext, extent: Extent): Response => {
    cache.refresh(extent).catch((error: unknown) => log.warn({ err: error }, 'figures.failed'))
    return c.body(null, 202, { Link: `<${c.get('address')}/health>; rel="monitor"` })
  }
  app.openapi(routes.refresh, (c) => start(c, 'all'))
  app.openapi(routes.refreshPart, async (c) => {
    const { scope, id } = c.req.valid('param')
    return start(c, await extentOf(context, scope, id, c.var.signal))
  })
  app.openapi(routes.clear, (c) => {
    cache.clear()
    return c.body(null, 202)
  })
  app.openapi(routes.forget, (c) => {
    const { id } = c.req.valid('param')
    if (!cache.figures.catalogue(id)) throw unknownCatalogue(id)
    cache.forget(id)
    return c.body(null, 200)
  })
  app.openapi(routes.schedules, (c) => c.json(cache.schedules.all().map(scheduleDocument)))
  app.openapi(routes.schedule, async (c) => {
    const id = cache.schedules.set(await jsonBody(c), mostSchedules)
    const set = cache.schedules.all().find((one) => one.id === id)
    return c.json(set ? scheduleDocument(set) : { id }, 202)
  })
  app.openapi(routes.health, (c) => {
    const refreshed = cache.figures.refreshed()
    const progress = cache.progress()
    return c.json({
      status: 'up' as const,
      refresh: refreshed ? { number: refreshed.number, at: refreshed.at.toISOString() } : null,
      refreshing: progress ? progressOf(progress) : null,
    })
  })
}

const progressOf = ({ extent, since, catalogues, datasets }: RefreshProgress) => ({
  extent: extent === 'all' ? 'all' : { catalogues: extent },
  since: new Date(since).toISOString(),
  catalogues,
  datasets,
})

/** A catalogue need not have figures yet; a country is known by its catalogues, and they need not have any either. */
async function extentOf(
  { cache: { figures }, source }: CacheContext,
  scope: (typeof extents)[number],
  id: string,
  signal: AbortSignal,
): Promise<Extent> {
  if (scope === 'global') return 'all'
  if (scope === 'countries') {
    const code = id.toUpperCase()
    const inIt = (all: readonly CatalogueFigures[]) =>
      all.filter(({ country }) => country === code).map((catalogue) => catalogue.id)
    const counted = inIt(figures.catalogues())
    if (counted.length > 0) return counted
    const facts = await readCatalogues(source, await catalogueIds(source, signal), signal)
    const there = inIt([...facts.values()].filter(({ isHidden }) => !isHidden))
    if (there.length > 0) return there
    throw new Failure('not-found', `no catalogue is of the country ${shown(id)}`)
  }
  return [(await visibleCatalogue(source, id, signal)).id]
}

const scheduleDocument = ({ document, coming, last }: Scheduled) => ({
  ...document,
  ...(coming !== undefined && { next: new Date(coming).toISOString() }),
  ...(last !== undefined && { last: new Date(last).toISOString() }),
})

async function jsonBody(c: AppContext): Promise<unknown> {
  const body = await readBody(c.req.raw, { bytes: mostBytes }, c.var.signal)
  if (body.length === 0) throw new Failure('empty-body', 'the request has no body')
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch (cause) {
    throw new Failure('malformed-json', 'the body is not valid JSON', { cause })
  }
}

/** Routes of administration, and of the state of the cache. */

import { z } from '@hono/zod-openapi'
import { Failure, shown } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { readJsonBody } from '../../pipe/pipe-text.ts'
import { type CacheContext, content, health, idPath, route, schedule } from './cache-contract.ts'
import {
  catalogueIds,
  readCatalogues,
  unknownCatalogue,
  visibleCatalogue,
} from './catalogue-reader.ts'
import type { CatalogueFigures } from './figures.ts'
import type { RefreshProgress } from './metrics-cache.ts'
import type { Extent, Scheduled } from './refresh-queue.ts'

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
  refresh: route(
    'post /admin/refresh',
    'Count all figures again from the metrics graphs; joins a refresh that runs',
    accepted,
  ),
  refreshPart: route(
    'post /admin/refresh/{scope}/{id}',
    'The same for a catalogue or a country, and for what they are part of',
    accepted,
    {
      params: z.object({
        scope: z.enum(extents),
        id: z.string().describe('Of the catalogue or the country; global has none'),
      }),
    },
  ),
  clear: route(
    'post /admin/clear',
    'Remove all figures and their history; the metrics graphs stay',
    { 202: { description: 'They are removed' } },
  ),
  schedules: route(
    'get /admin/schedule',
    'When the figures are refreshed by themselves, beside once a day',
    { 200: content('Schedules', z.array(schedule)) },
  ),
  schedule: route(
    'post /admin/schedule',
    'Set a schedule, in place of the one with its id',
    { 202: content('The schedule', schedule) },
    {
      // Read and checked by the handler: its bounds come before its schema.
      body: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Schedule' },
            example: { id: 'nightly', status: 'enabled', cron: '0 3 * * *' },
          },
        },
      },
    },
  ),
  forget: route(
    'delete /catalogues/{id}',
    'Remove the figures of a catalogue and their history; the metrics graphs stay',
    { 200: { description: 'They are removed' } },
    { params: idPath },
  ),
  health: route('get /health', 'The last refresh, and how far one that runs has come', {
    200: content('The state', health),
  }),
} as const

/** Bytes of a schedule. */
const mostBytes = 65_536
const mostSchedules = 100

/** `/admin/…`, `/health` and the removal of a catalogue's figures; who may use them is checked before (`cacheApp`). */
export function addAdminRoutes(app: App, context: CacheContext): void {
  const { cache } = context
  const start = (c: AppContext, extent: Extent): Response => {
    void cache.refresh(extent)
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
    const body = await readJsonBody(c, { bytes: mostBytes })
    if (body === undefined) throw new Failure('empty-body', 'the request has no body')
    return c.json(scheduleDocument(cache.schedules.set(body, mostSchedules)), 202)
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
  if (scope === 'catalogues') return [(await visibleCatalogue(source, id, signal)).id]
  const ofCountry = (all: readonly CatalogueFigures[]) =>
    all.filter(({ country }) => country === id.toUpperCase()).map((catalogue) => catalogue.id)
  const counted = ofCountry(figures.catalogues())
  if (counted.length > 0) return counted
  const stored = await readCatalogues(source, await catalogueIds(source, signal), signal)
  const found = ofCountry([...stored.values()].filter(({ isHidden }) => !isHidden))
  if (found.length > 0) return found
  throw new Failure('not-found', `no catalogue is of the country ${shown(id)}`)
}

const scheduleDocument = ({ document, coming, last }: Scheduled) => ({
  ...document,
  ...(coming !== undefined && { next: new Date(coming).toISOString() }),
  ...(last !== undefined && { last: new Date(last).toISOString() }),
})

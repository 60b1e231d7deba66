/** Binds the routes of administration. */

import { Failure, shown } from '../../../errors.ts'
import type { App, AppContext } from '../../../http/app.ts'
import { readBody } from '../../../http/body.ts'
import { unknownCatalogue, visibleCatalogue } from '../answering/known.ts'
import type { Bound } from '../deps.ts'
import type { CatalogueFigures } from '../figures.ts'
import { allFacts, catalogueIds } from '../refreshing/catalogues.ts'
import type { Extent, Progress } from '../refreshing/refresh.ts'
import { adminRoutes as routes, type extents } from '../routes/admin.ts'
import type { Scheduled } from '../scheduling/schedules.ts'

/** Bytes of a schedule. */
const mostBytes = 65_536
const mostSchedules = 100

export function bindAdmin(app: App, bound: Bound): void {
  const { cache, log } = bound
  const start = (c: AppContext, extent: Extent): Response => {
    cache.refresh(extent).catch((error: unknown) => log.warn({ err: error }, 'figures.failed'))
    return c.body(null, 202, { Link: `<${c.get('address')}/health>; rel="monitor"` })
  }
  app.openapi(routes.refresh, (c) => start(c, 'all'))
  app.openapi(routes.refreshPart, async (c) => {
    const { scope, id } = c.req.valid('param')
    return start(c, await extentOf(bound, scope, id, c.var.signal))
  })
  app.openapi(routes.clear, async (c) => {
    await cache.clear()
    return c.body(null, 202)
  })
  app.openapi(routes.forget, async (c) => {
    const { id } = c.req.valid('param')
    if (!bound.figures.catalogue(id)) throw unknownCatalogue(id)
    await cache.forget(id)
    return c.body(null, 200)
  })
  app.openapi(routes.schedules, (c) => c.json(cache.schedules.all().map(told)))
  app.openapi(routes.schedule, async (c) => {
    const id = cache.schedules.set(await jsonBody(c), mostSchedules)
    const set = cache.schedules.all().find((one) => one.id === id)
    return c.json(set ? told(set) : { id }, 202)
  })
}

export function bindHealth(app: App, { cache, figures }: Bound): void {
  app.openapi(routes.health, (c) => {
    const refreshed = figures.refreshed()
    const progress = cache.progress()
    return c.json({
      status: 'up' as const,
      refresh: refreshed ? { number: refreshed.number, at: refreshed.at.toISOString() } : null,
      refreshing: progress ? progressOf(progress) : null,
    })
  })
}

const progressOf = ({ extent, since, catalogues, datasets }: Progress) => ({
  extent: extent === 'all' ? 'all' : { catalogues: extent },
  since: new Date(since).toISOString(),
  catalogues,
  datasets,
})

/** A catalogue need not have figures yet; a country is known by its catalogues, and they need not have any either. */
async function extentOf(
  { figures, source }: Bound,
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
    const facts = await allFacts(source, await catalogueIds(source, signal), signal)
    const there = inIt([...facts.values()].filter((one) => one !== 'hidden'))
    if (there.length > 0) return there
    throw new Failure('not-found', `no catalogue is of the country ${shown(id)}`)
  }
  return [(await visibleCatalogue(source, id, signal)).id]
}

const told = ({ told: trigger, coming, last }: Scheduled) => ({
  ...trigger,
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

/** Routes of figures and of their history, for every scope. */

import { createRoute, z } from '@hono/zod-openapi'
import { Failure, shown } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { longAnswer } from '../../http/shell/flow.ts'
import {
  aggregate,
  answers,
  filter,
  filterOfAll,
  history,
  idPath,
  page,
  span,
} from './cache-contract.ts'
import { answerFigures, enveloped, findCatalogue, type CacheContext } from './cache-context.ts'
import { aggregateOf } from './counts.ts'
import { aggregateDocument, catalogueInfo, historyDocument } from './figure-documents.ts'
import type { Filter, HistoryForm } from './figure-documents.ts'
import type {
  CatalogueFigures,
  Figures,
  PublisherFigures,
  Resolution,
  Scope,
  HistorySpan,
} from './figures.ts'
import { dayOf } from './history.ts'

const route = <Path extends string>(path: Path, summary: string) => ({
  method: 'get' as const,
  path,
  summary,
  responses: answers(summary, aggregate),
})

const publisherQuery = z.object({
  publisher: z.string().describe('IRI, or the name of one without'),
})

const figureRoutes = {
  global: createRoute({
    ...route('/global', 'Figures of the whole portal'),
    request: { query: filterOfAll },
  }),
  countries: createRoute({
    ...route('/countries', 'Figures of the countries of catalogues'),
    request: { query: filter },
  }),
  country: createRoute({
    ...route('/countries/{id}', 'Figures of a country (ISO 3166-1 alpha-3, any case)'),
    request: { params: idPath, query: filter },
  }),
  catalogues: createRoute({
    ...route('/catalogues', 'Figures of all catalogues, by id'),
    request: { query: filter },
  }),
  catalogue: createRoute({
    ...route('/catalogues/{id}', 'Figures of a catalogue'),
    request: { params: idPath, query: filter },
  }),
  publishers: createRoute({
    ...route('/publishers', 'Figures of publishers, those with the most datasets first, or of one'),
    request: { query: filter.extend(page.shape).extend(publisherQuery.partial().shape) },
  }),
} as const

/** Whose figures, and what is said of them beside. */
type Subject = { readonly scope: Scope; readonly info: unknown }

const portal: Subject = { scope: 'global', info: undefined }
const countryOf = (code: string): Subject => ({ scope: { country: code }, info: code })
const catalogueOf = (catalogue: CatalogueFigures): Subject => ({
  scope: { catalogue: catalogue.id },
  info: catalogueInfo(catalogue),
})
const publisherOf = ({ key, name }: PublisherFigures): Subject => ({
  scope: { publisher: key },
  info: { id: key, title: name },
})

function findCountry(figures: Figures, id: string): Subject {
  const code = id.toUpperCase()
  if (figures.aggregate({ country: code })) return countryOf(code)
  throw new Failure('not-found', `no catalogue is of the country ${shown(id)}`)
}

function findPublisher(figures: Figures, key: string): Subject {
  const found = figures.publisher(key)
  if (found) return publisherOf(found)
  throw new Failure('not-found', `there are no figures of a publisher ${shown(key)}`)
}

export function addFigureRoutes(app: App, context: CacheContext): void {
  const { cache, maxima } = context
  const { figures } = cache
  // Before the first refresh the portal has figures of nothing, and so has a catalogue before it is counted.
  const nothing = aggregateOf({}, maxima)
  const rows = (all: readonly Subject[], wanted: Filter) =>
    all.map(({ scope, info }) =>
      aggregateDocument(figures.aggregate(scope) ?? nothing, info, wanted),
    )
  const answerAll = (c: AppContext, all: () => readonly Subject[], wanted: Filter) =>
    longAnswer(c, () => answerFigures(context, c, () => enveloped(rows(all(), wanted))))

  app.openapi(figureRoutes.global, (c) => answerAll(c, () => [portal], c.req.valid('query').filter))
  app.openapi(figureRoutes.countries, (c) =>
    answerAll(c, () => figures.countries().map(countryOf), c.req.valid('query').filter),
  )
  app.openapi(figureRoutes.country, (c) => {
    const found = findCountry(figures, c.req.valid('param').id)
    return answerAll(c, () => [found], c.req.valid('query').filter)
  })
  app.openapi(figureRoutes.catalogues, (c) =>
    answerAll(c, () => figures.catalogues().map(catalogueOf), c.req.valid('query').filter),
  )
  app.openapi(figureRoutes.catalogue, async (c) => {
    const found = await findCatalogue(context, c.req.valid('param').id, c.var.signal)
    return answerAll(c, () => [catalogueOf(found)], c.req.valid('query').filter)
  })
  app.openapi(figureRoutes.publishers, (c) => {
    const { publisher, filter: wanted, offset, limit } = c.req.valid('query')
    if (publisher !== undefined) {
      const found = findPublisher(figures, publisher)
      return answerAll(c, () => [found], wanted)
    }
    const listed = () => {
      const { count, rows: some } = figures.publishers({ offset, limit })
      return enveloped(rows(some.map(publisherOf), wanted), count)
    }
    return longAnswer(c, () => answerFigures(context, c, listed))
  })
}

const past = filter.extend(span.shape)

/** The same list under two names, which differ in how the scores of dimensions are written. */
function historyRoutes<Name extends HistoryForm>(name: Name) {
  const over = <Path extends string>(path: Path, whose: string) => {
    const summary = `${whose} over time: the last refresh of each period`
    return { method: 'get' as const, path, summary, responses: answers(summary, history) }
  }
  return {
    global: createRoute({
      ...over(`/global/${name}`, 'The whole portal'),
      request: { query: filterOfAll.extend(span.shape) },
    }),
    countries: createRoute({
      ...over(`/countries/${name}`, 'Countries'),
      request: { query: past },
    }),
    country: createRoute({
      ...over(`/countries/{id}/${name}`, 'A country'),
      request: { params: idPath, query: past },
    }),
    catalogues: createRoute({
      ...over(`/catalogues/${name}`, 'Catalogues'),
      request: { query: past },
    }),
    catalogue: createRoute({
      ...over(`/catalogues/{id}/${name}`, 'A catalogue'),
      request: { params: idPath, query: past },
    }),
    publisher: createRoute({
      ...over(`/publishers/${name}`, 'A publisher'),
      request: { query: past.extend(publisherQuery.shape) },
    }),
  }
}

type HistoryQuery = {
  readonly filter?: Filter
  readonly startDate: string
  readonly endDate?: string | undefined
  readonly resolution: Resolution
}

function spanOf({ startDate: from, endDate, resolution }: HistoryQuery, now: number): HistorySpan {
  if (endDate !== undefined && endDate < from) {
    const detail = `endDate must not be before startDate, got ${endDate}`
    throw new Failure('invalid-parameter', detail, { errors: [{ parameter: 'endDate', detail }] })
  }
  return { from, to: endDate ?? dayOf(now), resolution }
}

export function addHistoryRoutes(app: App, context: CacheContext, form: HistoryForm): void {
  const { figures } = context.cache
  const routes = historyRoutes(form)
  const answerAll = (c: AppContext, query: HistoryQuery, all: () => readonly Subject[]) => {
    const given = spanOf(query, context.now())
    const options = { filter: query.filter, form }
    const documents = () =>
      all().map(({ scope, info }) => historyDocument(figures.history(scope, given), info, options))
    return longAnswer(c, () => answerFigures(context, c, () => enveloped(documents())))
  }
  app.openapi(routes.global, (c) => answerAll(c, c.req.valid('query'), () => [portal]))
  app.openapi(routes.countries, (c) =>
    answerAll(c, c.req.valid('query'), () => figures.countries().map(countryOf)),
  )
  app.openapi(routes.country, (c) => {
    const found = findCountry(figures, c.req.valid('param').id)
    return answerAll(c, c.req.valid('query'), () => [found])
  })
  app.openapi(routes.catalogues, (c) =>
    answerAll(c, c.req.valid('query'), () => figures.catalogues().map(catalogueOf)),
  )
  app.openapi(routes.catalogue, async (c) => {
    const found = await findCatalogue(context, c.req.valid('param').id, c.var.signal)
    return answerAll(c, c.req.valid('query'), () => [catalogueOf(found)])
  })
  app.openapi(routes.publisher, (c) => {
    const found = findPublisher(figures, c.req.valid('query').publisher)
    return answerAll(c, c.req.valid('query'), () => [found])
  })
}

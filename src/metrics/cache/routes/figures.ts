/** The contract of figures and their history. */

import { createRoute, z } from '@hono/zod-openapi'
import { answers, filter, filterOfAll, idPath, page, span } from './parts.ts'
import { aggregate, history } from './schemas.ts'

const figures = <Path extends string>(path: Path, summary: string) => ({
  method: 'get' as const,
  path,
  summary,
  responses: answers(summary, aggregate),
})

/** The same list under two names, which differ in the form of the scores of dimensions. */
const histories = <Path extends string>(path: Path, whose: string) => {
  const summary = `${whose} over time: the last refresh of each period`
  return { method: 'get' as const, path, summary, responses: answers(summary, history) }
}

const past = filter.extend(span.shape)
const publisher = z.object({ publisher: z.string().describe('IRI, or the name of one without') })

export const figureRoutes = {
  global: createRoute({
    ...figures('/global', 'Figures of the whole portal'),
    request: { query: filterOfAll },
  }),
  countries: createRoute({
    ...figures('/countries', 'Figures of the countries of catalogues'),
    request: { query: filter },
  }),
  country: createRoute({
    ...figures('/countries/{id}', 'Figures of a country (ISO 3166-1 alpha-3, any case)'),
    request: { params: idPath, query: filter },
  }),
  catalogues: createRoute({
    ...figures('/catalogues', 'Figures of all catalogues, by id'),
    request: { query: filter },
  }),
  catalogue: createRoute({
    ...figures('/catalogues/{id}', 'Figures of a catalogue'),
    request: { params: idPath, query: filter },
  }),
  publishers: createRoute({
    ...figures(
      '/publishers',
      'Figures of publishers, those with the most datasets first, or of one',
    ),
    request: { query: filter.extend(page.shape).extend(publisher.partial().shape) },
  }),
} as const

/** The routes of one form of history; `name` ends their paths. */
export const historyRoutes = <Name extends 'history' | 'historical'>(name: Name) => ({
  global: createRoute({
    ...histories(`/global/${name}`, 'The whole portal'),
    request: { query: filterOfAll.extend(span.shape) },
  }),
  countries: createRoute({
    ...histories(`/countries/${name}`, 'Countries'),
    request: { query: past },
  }),
  country: createRoute({
    ...histories(`/countries/{id}/${name}`, 'A country'),
    request: { params: idPath, query: past },
  }),
  catalogues: createRoute({
    ...histories(`/catalogues/${name}`, 'Catalogues'),
    request: { query: past },
  }),
  catalogue: createRoute({
    ...histories(`/catalogues/{id}/${name}`, 'A catalogue'),
    request: { params: idPath, query: past },
  }),
  publisher: createRoute({
    ...histories(`/publishers/${name}`, 'A publisher'),
    request: { query: past.extend(publisher.shape) },
  }),
})

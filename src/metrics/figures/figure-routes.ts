/** Routes of figures and of their history, for every scope, as documents under the names that clients know. */

import { z } from '@hono/zod-openapi'
import { Failure, shown, invalidParameter } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { longAnswer } from '../../http/long-answers.ts'
import { dimensions, indicatorOf, type Dimension } from '../indicators.ts'
import { localText } from '../localized-texts.ts'
import {
  aggregate,
  answerFigures,
  answers,
  type CacheContext,
  enveloped,
  filter,
  filterOfAll,
  findCatalogue,
  history,
  idPath,
  page,
  route,
  envelopeOf,
  span,
} from './cache-contract.ts'
import { aggregateOf, metricNames } from './counts.ts'
import { dayOf } from './figures-file.ts'
import type {
  Aggregate,
  CatalogueFigures,
  HistorySnapshot,
  MetricName,
  PublisherFigures,
  Scope,
} from './figures.ts'

/** Keys of a document that may be asked for; all where nothing is asked for. */
type Filter = readonly string[] | undefined

/** Where the figures have another name than the metric. */
const renamed: Readonly<Partial<Record<MetricName, string>>> = {
  accessUrlStatusCode: 'accessUrlStatusCodes',
  downloadUrlStatusCode: 'downloadUrlStatusCodes',
  formatMediaTypeVocabularyAlignment: 'formatMediaTypeAlignment',
  formatMediaTypeMachineInterpretable: 'formatMediaTypeMachineReadable',
  knownLicence: 'licenceAlignment',
  accessRightsVocabularyAlignment: 'accessRightsAlignment',
}

const dimensionOf = (name: MetricName): Dimension => indicatorOf(name)?.dimension ?? 'accessibility'
const metricsOf = Map.groupBy(metricNames, dimensionOf)

/** The one shape of all figures; `info` is absent for the whole portal. */
function documentOf(
  filter: Filter,
  leaves: {
    readonly info: unknown
    readonly score: unknown
    readonly dimension: (name: Dimension) => unknown
    readonly metric: (name: MetricName) => unknown
  },
) {
  const part = (name: Dimension) => ({
    score: leaves.dimension(name),
    ...Object.fromEntries(
      (metricsOf.get(name) ?? []).map((one) => [renamed[one] ?? one, leaves.metric(one)]),
    ),
  })
  const isWanted = (key: string) => !filter?.length || filter.includes(key)
  return {
    ...(leaves.info !== undefined && isWanted('info') && { info: leaves.info }),
    ...(isWanted('score') && { score: leaves.score }),
    ...Object.fromEntries(dimensions.filter(isWanted).map((name) => [name, part(name)])),
  }
}

const aggregateDocument = (figures: Aggregate, info: unknown, wanted: Filter) =>
  documentOf(wanted, {
    info,
    score: figures.score,
    dimension: (name) => figures.dimensions[name],
    // Clients walk through the list: nothing was measured where it is empty.
    metric: (name) => figures.metrics[name] ?? [],
  })

/** How the scores of dimensions are written: two generations of clients know one form each. */
type HistoryForm = 'history' | 'historical'

/** Each leaf as a list over time; what was not measured on a day is left out of it. */
function historyDocument(
  snapshots: readonly HistorySnapshot[],
  info: unknown,
  wanted: Filter,
  form: HistoryForm,
) {
  const over = <T>(
    read: (figures: Aggregate) => T | null | undefined,
    entry: (day: string, value: T) => object = (day, value) => ({ [day]: value }),
  ) =>
    snapshots.flatMap(({ day, aggregate: figures }) => {
      const value = read(figures)
      return value === null || value === undefined ? [] : [entry(day, value)]
    })
  return documentOf(wanted, {
    info,
    score: over(({ score }) => score),
    dimension: (name) =>
      form === 'history'
        ? over((figures) => figures.dimensions[name]?.points)
        : over(
            (figures) => figures.dimensions[name],
            (date, { points, percentage }) => ({ date, value: { points, percentage } }),
          ),
    metric: (name) => over((figures) => figures.metrics[name]),
  })
}

/** Whose figures, and what is said of them beside. */
type Subject = { readonly scope: Scope; readonly info: unknown }

const ofCountry = (code: string): Subject => ({ scope: { country: code }, info: code })

const ofPublisher = ({ key, name }: PublisherFigures): Subject => ({
  scope: { publisher: key },
  info: { id: key, title: name },
})

/** A catalogue as clients read it, in English or its main language. */
function ofCatalogue(catalogue: CatalogueFigures): Subject {
  const { id, titles, descriptions, languages, country, type } = catalogue
  const text = (texts: CatalogueFigures['titles']) =>
    localText(texts, { locale: 'en', languages, id: '' }).text
  const [title, description] = [text(titles) || id, text(descriptions)]
  const spatial = country ?? ''
  return { scope: { catalogue: id }, info: { id, title, description, spatial, type: type ?? '' } }
}

type Found = { readonly rows: readonly Subject[]; readonly count?: number }

type Subjects = {
  readonly path: string
  readonly summary: string
  /** At the head of the summary of the history. */
  readonly whose: string
  /** What is asked about; throws when there is no such thing. */
  readonly find: (c: AppContext) => Promise<Found>
  readonly query?: z.ZodObject<{ filter: (typeof filter.shape)['filter'] }>
}

const publisherQuery = z.object({
  publisher: z.string().describe('IRI, or the name of one without'),
})

/** Whose figures there are, and how each is found. */
function subjects(context: CacheContext): readonly Subjects[] {
  const { figures } = context.cache
  const idOf = (c: AppContext) => c.req.param('id') ?? ''
  const country = (code: string) => {
    if (figures.aggregate({ country: code.toUpperCase() })) return ofCountry(code.toUpperCase())
    throw new Failure('not-found', `no catalogue is of the country ${shown(code)}`)
  }
  return [
    {
      path: '/global',
      summary: 'Figures of the whole portal',
      whose: 'The whole portal',
      query: filterOfAll,
      find: async () => ({ rows: [{ scope: 'global', info: undefined }] }),
    },
    {
      path: '/countries',
      summary: 'Figures of all countries with catalogues',
      whose: 'Countries',
      find: async () => ({ rows: figures.countries().map(ofCountry) }),
    },
    {
      path: '/countries/{id}',
      summary: 'Figures of a country (ISO 3166-1 alpha-3, any case)',
      whose: 'A country',
      find: async (c) => ({ rows: [country(idOf(c))] }),
    },
    {
      path: '/catalogues',
      summary: 'Figures of all catalogues, by id',
      whose: 'Catalogues',
      find: async () => ({ rows: figures.catalogues().map(ofCatalogue) }),
    },
    {
      path: '/catalogues/{id}',
      summary: 'Figures of a catalogue',
      whose: 'A catalogue',
      find: async (c) => ({
        rows: [ofCatalogue(await findCatalogue(context, idOf(c), c.var.signal))],
      }),
    },
    {
      path: '/publishers',
      summary: 'Figures of publishers, those with the most datasets first, or of one',
      whose: 'A publisher',
      query: filter.extend(page.shape).extend(publisherQuery.partial().shape),
      find: async (c) => publishers(context, c),
    },
  ]
}

/** The publisher of the query, or a page of them; throws `not-found`. */
function publishers({ cache: { figures } }: CacheContext, c: AppContext): Found {
  const key = c.req.query('publisher')
  if (key === undefined) {
    const { rows, count } = figures.publishers(page.parse(c.req.query()))
    return { rows: rows.map(ofPublisher), count }
  }
  const found = figures.publisher(key)
  if (found) return { rows: [ofPublisher(found)] }
  throw new Failure('not-found', `there are no figures of a publisher ${shown(key)}`)
}

const requestOf = <Query extends z.ZodObject>(path: string, query: Query) => ({
  query,
  ...(path.includes('{id}') && { params: idPath }),
})

/** `/global`, `/countries`, `/catalogues` and `/publishers`. */
export function addFigureRoutes(app: App, context: CacheContext): void {
  const { figures, maxima } = context.cache
  // Before the first refresh the portal has figures of nothing, and so has a catalogue before it is counted.
  const nothing = aggregateOf({}, maxima)
  for (const { path, summary, find, query = filter } of subjects(context)) {
    const good = answers(summary, envelopeOf(aggregate))
    app.openapi(route(`get ${path}`, summary, good, requestOf(path, query)), async (c) => {
      const { filter: wanted } = c.req.valid('query')
      const { rows, count } = await find(c)
      const documents = () =>
        rows.map(({ scope, info }) =>
          aggregateDocument(figures.aggregate(scope) ?? nothing, info, wanted),
        )
      return longAnswer(c, () => answerFigures(context, c, () => enveloped(documents(), count)))
    })
  }
}

/** The same list under two names, which differ in how the scores of dimensions are written. */
export function addHistoryRoutes(app: App, context: CacheContext, form: HistoryForm): void {
  const { figures } = context.cache
  for (const { path, whose, find, query: keys = filter } of subjects(context)) {
    const summary = `${whose} over time: the last refresh of each period`
    const one = path === '/publishers' ? publisherQuery.shape : {}
    const query = keys.extend(span.shape).extend(one)
    const good = answers(summary, envelopeOf(history))
    const contract = route(`get ${path}/${form}`, summary, good, requestOf(path, query))
    app.openapi(contract, async (c) => {
      const { startDate: from, endDate, resolution, filter: wanted } = c.req.valid('query')
      const { rows } = await find(c)
      if (endDate !== undefined && endDate < from)
        throw invalidParameter('endDate', `endDate must not be before startDate, got ${endDate}`)
      const given = { from, to: endDate ?? dayOf(context.now()), resolution }
      const documents = () =>
        rows.map(({ scope, info }) =>
          historyDocument(figures.history(scope, given), info, wanted, form),
        )
      return longAnswer(c, () => answerFigures(context, c, () => enveloped(documents())))
    })
  }
}

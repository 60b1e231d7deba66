/** Endpoints of the metrics cache for figures and their history, for every scope, in the documents that older clients read. */

import { z } from '@hono/zod-openapi'
import { Failure, shown, invalidParameter } from '../../errors.ts'
import { anyone } from '../../http/endpoint.ts'
import { longAnswer } from '../../http/long-answers.ts'
import { dimensions, indicatorOf, type Dimension } from '../indicators.ts'
import { pickLocalText } from '../localized-texts.ts'
import {
  aggregateSchema,
  answerFigures,
  figureAnswers,
  type CacheContext,
  cacheEndpoint,
  envelope,
  filterQuery,
  portalFilterQuery,
  findCatalogue,
  historySchema,
  idPath,
  pageQuery,
  envelopeSchema,
  spanQuery,
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

/** Keys of a document that a client wants; all of them where it names none. */
type Filter = readonly string[] | undefined

/** Names of figures that differ from those of their metrics. */
const figureNames: Readonly<Partial<Record<MetricName, string>>> = {
  accessUrlStatusCode: 'accessUrlStatusCodes',
  downloadUrlStatusCode: 'downloadUrlStatusCodes',
  formatMediaTypeVocabularyAlignment: 'formatMediaTypeAlignment',
  formatMediaTypeMachineInterpretable: 'formatMediaTypeMachineReadable',
  knownLicence: 'licenceAlignment',
  accessRightsVocabularyAlignment: 'accessRightsAlignment',
}

const dimensionOf = (name: MetricName): Dimension => indicatorOf(name)?.dimension ?? 'accessibility'
const metricsOf = Map.groupBy(metricNames, dimensionOf)

/** Document in the shape that all figures have; `info` is absent for the whole portal. */
function documentOf(
  filter: Filter,
  values: {
    readonly info: unknown
    readonly score: unknown
    readonly dimension: (name: Dimension) => unknown
    readonly metric: (name: MetricName) => unknown
  },
) {
  const part = (name: Dimension) => ({
    score: values.dimension(name),
    ...Object.fromEntries(
      (metricsOf.get(name) ?? []).map((metric) => [
        figureNames[metric] ?? metric,
        values.metric(metric),
      ]),
    ),
  })
  const isWanted = (key: string) => !filter?.length || filter.includes(key)
  return {
    ...(values.info !== undefined && isWanted('info') && { info: values.info }),
    ...(isWanted('score') && { score: values.score }),
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

/** Form of the scores of dimensions in a history: two generations of clients read one each. */
type HistoryForm = 'history' | 'historical'

/** Document with each leaf as a list over time; days on which a metric was not measured are left out of its list. */
function historyDocument(
  snapshots: readonly HistorySnapshot[],
  info: unknown,
  wanted: Filter,
  form: HistoryForm,
) {
  const seriesOf = <T>(
    read: (figures: Aggregate) => T | null | undefined,
    entry: (day: string, value: T) => object = (day, value) => ({ [day]: value }),
  ) =>
    snapshots.flatMap(({ day, aggregate: figures }) => {
      const value = read(figures)
      return value === null || value === undefined ? [] : [entry(day, value)]
    })
  return documentOf(wanted, {
    info,
    score: seriesOf(({ score }) => score),
    dimension: (name) =>
      form === 'history'
        ? seriesOf((figures) => figures.dimensions[name]?.points)
        : seriesOf(
            (figures) => figures.dimensions[name],
            (date, { points, percentage }) => ({ date, value: { points, percentage } }),
          ),
    metric: (name) => seriesOf((figures) => figures.metrics[name]),
  })
}

/** Scope with its description. */
type Subject = { readonly scope: Scope; readonly info: unknown }

const countrySubject = (code: string): Subject => ({ scope: { country: code }, info: code })

const publisherSubject = ({ key, name }: PublisherFigures): Subject => ({
  scope: { publisher: key },
  info: { id: key, title: name },
})

/** Subject of a catalogue, described in English or its main language. */
function catalogueSubject(catalogue: CatalogueFigures): Subject {
  const { id, titles, descriptions, languages, country, type } = catalogue
  const text = (texts: CatalogueFigures['titles']) =>
    pickLocalText(texts, { locale: 'en', languages, id: '' }).text
  const [title, description] = [text(titles) || id, text(descriptions)]
  const spatial = country ?? ''
  return { scope: { catalogue: id }, info: { id, title, description, spatial, type: type ?? '' } }
}

/** Subjects of an answer; `count` is the number of all of them where `rows` are a page. */
type Figures = { readonly rows: readonly Subject[]; readonly count?: number }

type FigureRequest = {
  /** The id of the path; empty where it has none. */
  readonly id: string
  readonly query: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

/** A kind of figures: its path, and how its subjects are found. */
type FigureKind = {
  readonly path: `/${string}`
  readonly summary: string
  /** The end of the id of the operation. */
  readonly operation: string
  /** The beginning of the summary of the history. */
  readonly subject: string
  /** The subjects that are asked about; throws when there is no such thing. */
  readonly find: (request: FigureRequest, context: CacheContext) => Promise<Figures> | Figures
  /** Parameters of the figures, `filter` alone by default, and those of the history, by default the same. */
  readonly query?: z.ZodObject<{ filter: (typeof filterQuery.shape)['filter'] }>
  readonly historyQuery?: z.ZodObject<{ filter: (typeof filterQuery.shape)['filter'] }>
}

const publisherQuery = z.object({
  publisher: z.string().describe('IRI, or the name of one without'),
})

const kinds: readonly FigureKind[] = [
  {
    path: '/global',
    operation: 'Global',
    summary: 'Figures of the whole portal',
    subject: 'The whole portal',
    query: portalFilterQuery,
    find: () => ({ rows: [{ scope: 'global', info: undefined }] }),
  },
  {
    path: '/countries',
    operation: 'Countries',
    summary: 'Figures of all countries with catalogues',
    subject: 'Countries',
    find: (_, { cache }) => ({ rows: cache.figures.countries().map(countrySubject) }),
  },
  {
    path: '/countries/{id}',
    operation: 'CountriesById',
    summary: 'Figures of a country (ISO 3166-1 alpha-3, any case)',
    subject: 'A country',
    find: ({ id }, { cache }) => {
      const code = id.toUpperCase()
      if (cache.figures.aggregate({ country: code })) return { rows: [countrySubject(code)] }
      throw new Failure('not-found', `no catalogue is of the country ${shown(id)}`)
    },
  },
  {
    path: '/catalogues',
    operation: 'Catalogues',
    summary: 'Figures of all catalogues, by id',
    subject: 'Catalogues',
    find: (_, { cache }) => ({ rows: cache.figures.catalogues().map(catalogueSubject) }),
  },
  {
    path: '/catalogues/{id}',
    operation: 'CataloguesById',
    summary: 'Figures of a catalogue',
    subject: 'A catalogue',
    find: async ({ id, signal }, context) => ({
      rows: [catalogueSubject(await findCatalogue(context, id, signal))],
    }),
  },
  {
    path: '/publishers',
    operation: 'Publishers',
    summary: 'Figures of publishers, those with the most datasets first, or of one',
    subject: 'A publisher',
    query: filterQuery.extend(pageQuery.shape).extend(publisherQuery.partial().shape),
    historyQuery: filterQuery.extend(pageQuery.shape).extend(publisherQuery.shape),
    find: ({ query }, context) => publishers(context, query),
  },
]

/** The publisher of the query, or a page of them; throws `not-found`. */
function publishers(
  { cache: { figures } }: CacheContext,
  query: Readonly<Record<string, unknown>>,
): Figures {
  const key = query['publisher']
  if (typeof key !== 'string') {
    const { rows, count } = figures.publishers(pageQuery.parse(query))
    return { rows: rows.map(publisherSubject), count }
  }
  const publisher = figures.publisher(key)
  if (publisher) return { rows: [publisherSubject(publisher)] }
  throw new Failure('not-found', `there are no figures of a publisher ${shown(key)}`)
}

const idOf = ({ id = '' }: { readonly id?: string }): string => id

/** The endpoint of a kind of figures. */
const figureEndpoint = ({ path, operation, summary, find, query = filterQuery }: FigureKind) =>
  cacheEndpoint({
    method: 'get',
    path,
    operation: `get${operation}`,
    summary,
    auth: anyone,
    params: path.includes('{id}') ? idPath : undefined,
    query,
    answers: figureAnswers(summary, envelopeSchema(aggregateSchema)),
    handle: async ({ c, params, query, signal }, context) => {
      const { figures, maxima } = context.cache
      const { rows, count } = await find({ id: idOf(params), query, signal }, context)
      const documents = () => {
        // Before the first refresh the portal has figures of nothing, and so has a catalogue before it is counted.
        const emptyAggregate = aggregateOf({}, maxima)
        return rows.map(({ scope, info }) =>
          aggregateDocument(figures.aggregate(scope) ?? emptyAggregate, info, query.filter),
        )
      }
      return longAnswer(c, () => answerFigures(context, c, () => envelope(documents(), count)))
    },
  })

const historySummary = (whose: string) => `${whose} over time: the last refresh of each period`

/** The endpoint of the history of a kind of figures; its two names differ in how the scores of dimensions are written. */
const historyEndpoint = (
  {
    path,
    operation,
    subject,
    find,
    query: figureQuery = filterQuery,
    historyQuery = figureQuery,
  }: FigureKind,
  form: HistoryForm,
) =>
  cacheEndpoint({
    method: 'get',
    path: `${path}/${form}`,
    operation: `get${operation}${{ history: 'History', historical: 'Historical' }[form]}`,
    summary: historySummary(subject),
    auth: anyone,
    params: path.includes('{id}') ? idPath : undefined,
    query: historyQuery.extend(spanQuery.shape),
    answers: figureAnswers(historySummary(subject), envelopeSchema(historySchema)),
    handle: async ({ c, params, query, signal }, context) => {
      const { startDate: from, endDate, resolution, filter: wanted } = query
      const { rows } = await find({ id: idOf(params), query, signal }, context)
      if (endDate !== undefined && endDate < from)
        throw invalidParameter('endDate', `endDate must not be before startDate, got ${endDate}`)
      const span = { from, to: endDate ?? dayOf(context.now()), resolution }
      const { figures } = context.cache
      const documents = () =>
        rows.map(({ scope, info }) =>
          historyDocument(figures.history(scope, span), info, wanted, form),
        )
      return longAnswer(c, () => answerFigures(context, c, () => envelope(documents())))
    },
  })

/**
 * `/global`, `/countries`, `/catalogues` and `/publishers`; the histories first, because an id may be equal to their last word.
 */
export const figureEndpoints = [
  ...kinds.map((kind) => historyEndpoint(kind, 'history')),
  ...kinds.map((kind) => historyEndpoint(kind, 'historical')),
  ...kinds.map(figureEndpoint),
]

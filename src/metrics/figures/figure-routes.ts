/** Routes of figures and of their history, for every scope, as documents under the names that clients know. */

import { createRoute, z } from '@hono/zod-openapi'
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
  span,
} from './cache-contract.ts'
import { aggregateOf, metricNames } from './counts.ts'
import type {
  Aggregate,
  CatalogueFigures,
  HistorySnapshot,
  HistorySpan,
  MetricName,
  PublisherFigures,
  Scope,
} from './figures.ts'
import { dayOf } from './figures-file.ts'

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
function document(
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
  document(wanted, {
    info,
    score: figures.score,
    dimension: (name) => figures.dimensions[name],
    metric: (name) => figures.metrics[name],
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
  const over = <T>(read: (figures: Aggregate) => T | null | undefined) =>
    snapshots.flatMap(({ day, aggregate: figures }) => {
      const value = read(figures) ?? null
      return value === null ? [] : [{ day, value }]
    })
  const keyed = (list: readonly { readonly day: string; readonly value: unknown }[]) =>
    list.map(({ day, value }) => ({ [day]: value }))
  return document(wanted, {
    info,
    score: keyed(over(({ score }) => score)),
    dimension: (name) =>
      form === 'history'
        ? keyed(over((figures) => figures.dimensions[name]?.points))
        : over((figures) => figures.dimensions[name]).map(({ day, value }) => {
            const { points, percentage } = value
            return { date: day, value: { points, percentage } }
          }),
    metric: (name) => keyed(over((figures) => figures.metrics[name])),
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
  return { scope: { catalogue: id }, info: { id, title, description, spatial: country, type } }
}

type Subjects = {
  readonly path: string
  readonly summary: string
  /** At the head of the summary of the history. */
  readonly whose: string
  /** What is asked about; throws when there is no such thing. */
  readonly find: (c: AppContext) => Promise<readonly Subject[]>
  readonly filter?: typeof filter
}

/** The publisher of the query; throws `not-found`. */
function findPublisher({ cache: { figures } }: CacheContext, key: string): Subject {
  const found = figures.publisher(key)
  if (found) return ofPublisher(found)
  throw new Failure('not-found', `there are no figures of a publisher ${shown(key)}`)
}

/** Whose figures there are, beside those of publishers. */
function subjects(context: CacheContext): readonly Subjects[] {
  const { figures } = context.cache
  const idOf = (c: AppContext) => c.req.param('id') ?? ''
  return [
    {
      path: '/global',
      summary: 'Figures of the whole portal',
      whose: 'The whole portal',
      filter: filterOfAll,
      find: async () => [{ scope: 'global', info: undefined }],
    },
    {
      path: '/countries',
      summary: 'Figures of the countries of catalogues',
      whose: 'Countries',
      find: async () => figures.countries().map(ofCountry),
    },
    {
      path: '/countries/{id}',
      summary: 'Figures of a country (ISO 3166-1 alpha-3, any case)',
      whose: 'A country',
      find: async (c) => {
        const country = idOf(c).toUpperCase()
        if (figures.aggregate({ country })) return [ofCountry(country)]
        throw new Failure('not-found', `no catalogue is of the country ${shown(idOf(c))}`)
      },
    },
    {
      path: '/catalogues',
      summary: 'Figures of all catalogues, by id',
      whose: 'Catalogues',
      find: async () => figures.catalogues().map(ofCatalogue),
    },
    {
      path: '/catalogues/{id}',
      summary: 'Figures of a catalogue',
      whose: 'A catalogue',
      find: async (c) => [ofCatalogue(await findCatalogue(context, idOf(c), c.var.signal))],
    },
  ]
}

const publisherQuery = z.object({
  publisher: z.string().describe('IRI, or the name of one without'),
})

const requestOf = <Query extends z.ZodObject>(path: string, query: Query) => ({
  query,
  ...(path.includes('{id}') && { params: idPath }),
})

/** `/global`, `/countries`, `/catalogues` and `/publishers`. */
export function addFigureRoutes(app: App, context: CacheContext): void {
  const { figures, maxima } = context.cache
  // Before the first refresh the portal has figures of nothing, and so has a catalogue before it is counted.
  const nothing = aggregateOf({}, maxima)
  const answer = (c: AppContext, all: readonly Subject[], wanted: Filter, count = all.length) =>
    longAnswer(c, () =>
      answerFigures(context, c, () => {
        const rows = all.map(({ scope, info }) =>
          aggregateDocument(figures.aggregate(scope) ?? nothing, info, wanted),
        )
        return enveloped(rows, count)
      }),
    )
  for (const { path, summary, find, filter: keys = filter } of subjects(context)) {
    const request = requestOf(path, keys)
    const responses = answers(summary, aggregate)
    app.openapi(createRoute({ method: 'get', path, summary, request, responses }), async (c) =>
      answer(c, await find(c), c.req.valid('query').filter),
    )
  }
  const summary = 'Figures of publishers, those with the most datasets first, or of one'
  const query = filter.extend(page.shape).extend(publisherQuery.partial().shape)
  const responses = answers(summary, aggregate)
  const path = '/publishers'
  app.openapi(createRoute({ method: 'get', path, summary, request: { query }, responses }), (c) => {
    const { publisher, filter: wanted, offset, limit } = c.req.valid('query')
    if (publisher !== undefined) return answer(c, [findPublisher(context, publisher)], wanted)
    const { rows, count } = figures.publishers({ offset, limit })
    return answer(c, rows.map(ofPublisher), wanted, count)
  })
}

function spanOf(
  { startDate: from, endDate, resolution }: z.infer<typeof span>,
  now: number,
): HistorySpan {
  if (endDate !== undefined && endDate < from)
    throw invalidParameter('endDate', `endDate must not be before startDate, got ${endDate}`)
  return { from, to: endDate ?? dayOf(now), resolution }
}

/** The same list under two names, which differ in how the scores of dimensions are written. */
export function addHistoryRoutes(app: App, context: CacheContext, form: HistoryForm): void {
  const { figures } = context.cache
  const publisher: Subjects = {
    path: '/publishers',
    summary: '',
    whose: 'A publisher',
    filter: filter.extend(publisherQuery.shape),
    find: async (c) => [findPublisher(context, c.req.query('publisher') ?? '')],
  }
  for (const { path, whose, find, filter: keys = filter } of [...subjects(context), publisher]) {
    const summary = `${whose} over time: the last refresh of each period`
    const route = createRoute({
      method: 'get',
      path: `${path}/${form}`,
      summary,
      request: requestOf(path, keys.extend(span.shape)),
      responses: answers(summary, history),
    })
    app.openapi(route, async (c) => {
      const query = c.req.valid('query')
      const all = await find(c)
      const given = spanOf(query, context.now())
      const rows = () =>
        all.map(({ scope, info }) =>
          historyDocument(figures.history(scope, given), info, query.filter, form),
        )
      return longAnswer(c, () => answerFigures(context, c, () => enveloped(rows())))
    })
  }
}

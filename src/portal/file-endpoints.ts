/** Endpoints of files for programs and scripts: search suggestions, hits as CSV, schema.org, citations, SPARQL results. */

import Papa from 'papaparse'
import { Failure } from '../errors.ts'
import type { AppContext, LongAnswers } from '../http/context.ts'
import { anyone, type Endpoint, pageEndpoint } from '../http/endpoint.ts'
import { defaultLimits } from '../http/limits.ts'
import { sendPieces, longAnswer, slicedPieces } from '../http/long-answers.ts'
import { type Fields, textAt } from '../text/json.ts'
import type { FormEntries } from './addresses.ts'
import { citationFormats, citationOf } from './citations.ts'
import type { PageContext } from './context.ts'
import { sparqlFile } from './pages/sparql-page.ts'
import { hitFields } from './parts/hits.ts'
import type { PortalServices } from './portal-services.ts'
import { byteOrderMark, withByteOrderMark } from './ports.ts'
import { sharedLicence } from './record.ts'
import { datasetSchema } from './schema-org.ts'
import { searchParamsOf, lastReachableHit, searchForm } from './search-form.ts'

type Answer = (context: PageContext, c: AppContext) => Promise<Response>

/** Defines the endpoint of a file below `/{language}`, made in the queue of pages. */
const fileEndpoint = (
  ending: `/${string}`,
  operation: string,
  example: string,
  answer: Answer,
): Endpoint<PortalServices> =>
  pageEndpoint<PortalServices>({
    path: `/:language${ending}`,
    operation,
    tag: 'files',
    summary: `A file such as ${example}`,
    example,
    auth: anyone,
    page: async (c, { contextOf, renders }) => {
      const context = await contextOf(c)
      return renders.run(() => answer(context, c), c.get('signal'), c.get('client'))
    },
  })

const readSuggestions = fileEndpoint(
  '/suggest',
  'getSuggestions',
  '/en/suggest?q=water',
  async (context, c) => {
    const suggestions = await suggestionsFor(context, c.req.query('q') ?? '')
    return c.json(suggestions, 200, { 'Cache-Control': 'public, max-age=60' })
  },
)

const readResults = fileEndpoint(
  '/:file{sparql\\.[a-z]+}',
  'getSparqlResults',
  '/en/sparql.csv?query=ASK%20%7B%7D',
  async (context, c) => {
    const answer = await sparqlFile(context, endingOf(c), c.req.query('query') ?? '')
    if (!answer) throw new Failure('not-found', 'there is no such format')
    return endingOf(c) === 'csv' ? withByteOrderMark(answer) : answer
  },
)

const readSchema = fileEndpoint(
  '/datasets/:file{.+\\.schema\\.jsonld}',
  'getSchemaOrg',
  '/en/datasets/levels.schema.jsonld',
  async (context, c) => {
    const id = (c.req.param('file') ?? '').replace(/\.schema\.jsonld$/, '')
    const record = await context.readRecord('datasets', id)
    const page = `${context.root}${context.language}/datasets/${encodeURIComponent(id)}`
    const text = JSON.stringify(datasetSchema(context, record, page))
    return c.body(text, 200, { 'Content-Type': 'application/ld+json' })
  },
)

const readCitation = fileEndpoint(
  '/datasets/:id/:file{cite\\.[a-z]+}',
  'getCitation',
  '/en/datasets/levels/cite.bib',
  async (context, c) => {
    const format = citationFormats[endingOf(c)]
    if (!format) throw new Failure('not-found', 'there is no such form of citation')
    const record = await context.readRecord('datasets', c.req.param('id') ?? '')
    const name = (textAt(record, 'id') ?? 'dataset').replaceAll(/[^\w.-]/g, '-')
    return c.body(format.write(citationOf(context, record)), 200, {
      'Content-Type': format.type,
      'Content-Disposition': `attachment; filename="${name}.${endingOf(c)}"`,
    })
  },
)

/** Ending of the file name in the path. */
const endingOf = (c: AppContext): string => c.req.param('file')?.split('.').at(-1) ?? ''

/** Hits as CSV, in a slot of long answers: a place in the queue of pages would be held while the client reads. */
const readHits = pageEndpoint<PortalServices>({
  path: '/:language/datasets.csv',
  operation: 'getHits',
  tag: 'files',
  summary: 'The hits of a search as CSV',
  example: '/en/datasets.csv?q=water',
  auth: anyone,
  page: async (c, { contextOf }) => {
    // Rows are read as fast as the client reads, so the deadline of pages does not apply.
    const context = { ...(await contextOf(c)), signal: c.get('signal') }
    const { query } = searchForm(context.query)
    const pieces = () => hitsCsv(context, query, c.get('longAnswers').turn)
    const flow = { log: context.log, pieceMs: defaultLimits.requestMs, headers: csvHeaders }
    return longAnswer(c, async () => sendPieces(c, await pieces(), flow))
  },
})

/** All endpoints of files. */
export const fileEndpoints = [readSuggestions, readResults, readSchema, readCitation, readHits]

const csvHeaders = {
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': 'attachment; filename="datasets.csv"',
}

const includes = ['id', 'title', 'identifier', 'language']
/** Most suggested titles, most lines of other kinds, least characters of a text with suggestions, most that are used. */
const [mostTitles, mostValues, shortest, longest] = [5, 3, 2, 100]
/** Kinds of suggestions besides titles and words, with their facets and the key of their name. */
const kindsOfValues = {
  themes: { facets: ['categories', 'subject'], name: 'facet-categories' },
  keywords: { facets: ['keywords'], name: 'facet-keywords' },
  publishers: { facets: ['publisher'], name: 'facet-publisher' },
  places: { facets: ['country', 'spatial'], name: 'place' },
} as const

/** Suggestions for the text that was typed into the search field, by kind. Rejects with `Failure`. */
async function suggestionsFor(context: PageContext, typedText: string) {
  const { t, language, find, plainTitle, pathTo, searchTo } = context
  const q = typedText.trimStart().slice(0, longest)
  // The parameters of the page of hits, so that a number is that of the page it leads to.
  const params = searchParamsOf([['q', q]], language)
  const { records, words, values } =
    q.trim().length < shortest
      ? { records: [], words: [], values: [] }
      : await find({
          ...params,
          limit: mostTitles,
          includes,
          parameters: { ...params.parameters, autocomplete: 'true', completions: 'true' },
        })
  /** A line of the list; `about` says of which kind it is, and how many datasets it leads to. */
  const line = (label: string, kind: string, path: string, count?: number) => {
    const counted = count === undefined ? [] : [t('n-datasets', { count })]
    return { label, path, count, about: [t(kind), ...counted].join(' · ') }
  }
  const valuesOf = ({ facets, name }: (typeof kindsOfValues)[keyof typeof kindsOfValues]) => {
    const own = facets.flatMap((facet) => values.filter((value) => value.facet === facet))
    // A country may be one of catalogues and a place of single records.
    const byTitle = new Map(own.toReversed().map((value) => [value.title, value]))
    return [...byTitle.values()]
      .toSorted((a, b) => b.count - a.count)
      .slice(0, mostValues)
      .map(({ facet, id, title, count }) => line(title, name, searchTo([[facet, id]]), count))
  }
  return {
    titles: records.map((record) =>
      line(plainTitle(record), 'dataset', pathTo('datasets', textAt(record, 'id') ?? '')),
    ),
    // After a blank the last word is complete.
    words: (q.endsWith(' ') ? [] : words).map((word) =>
      line(word.q, 'word', searchTo([['q', word.q]]), word.count),
    ),
    themes: valuesOf(kindsOfValues.themes),
    keywords: valuesOf(kindsOfValues.keywords),
    publishers: valuesOf(kindsOfValues.publishers),
    places: valuesOf(kindsOfValues.places),
  }
}

const hitsPerRead = 500

/** Cells of a record by the names of the columns. */
const rowOf = ({ nameOf, textOf, plainTitle, formatsOf }: PageContext, record: Fields) => ({
  id: textAt(record, 'id'),
  address: textAt(record, 'resource'),
  title: plainTitle(record),
  description: textOf(record['description'], record)?.text,
  publisher: nameOf(record['publisher']),
  catalogue: nameOf(record['catalog']),
  formats: formatsOf(record).join(' '),
  licence: nameOf(sharedLicence(record)),
  issued: textAt(record, 'issued'),
  modified: textAt(record, 'modified'),
})

/** Lines of CSV, in which spreadsheets take no cell for a formula. */
const csvLines = (rows: readonly object[]): string =>
  rows.map((row) => `${Papa.unparse([Object.values(row)], { escapeFormulae: true })}\r\n`).join('')

/**
 * CSV with a row for each hit, at most `lastReachableHit`, after a row of column names. Rejects where the first read fails; where
 * a later one fails, the answer breaks off.
 */
async function hitsCsv(context: PageContext, query: FormEntries, turn: LongAnswers['turn']) {
  const { find, language, signal } = context
  const fields = { includes: [...hitFields, 'resource'] }
  const params = { ...searchParamsOf(query, language), ...fields, limit: hitsPerRead }
  const read = async (page: number) => (await find({ ...params, page }, signal)).records
  // Read before the answer begins, so that a failed search is answered as a problem.
  const first = await read(0)
  async function* pages() {
    yield first
    for (let page = 1, records = first; records.length === hitsPerRead; page += 1) {
      if (page * hitsPerRead >= lastReachableHit) return
      records = await read(page)
      yield records
    }
  }
  const head = byteOrderMark + csvLines([Object.keys(rowOf(context, {}))])
  const write = (record: Fields) => csvLines([rowOf(context, record)])
  return slicedPieces({ head, steps: pages(), write, tail: '' }, turn)
}

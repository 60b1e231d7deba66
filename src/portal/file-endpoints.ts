/** Files for programs and scripts: suggestions, hits as CSV, schema.org, citations, answers of SPARQL. */

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

/** Defines the endpoint of a file behind the language; what a service refuses is its problem document. */
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
    const found = await suggestionsFor(context, c.req.query('q') ?? '')
    return c.json(found, 200, { 'Cache-Control': 'public, max-age=60' })
  },
)

const readResults = fileEndpoint(
  '/:file{sparql\\.[a-z]+}',
  'getSparqlResults',
  '/en/sparql.csv?query=ASK%20%7B%7D',
  async (context, c) => {
    const found = await sparqlFile(context, endingOf(c), c.req.query('query') ?? '')
    if (!found) throw new Failure('not-found', 'there is no such format')
    return endingOf(c) === 'csv' ? withByteOrderMark(found) : found
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

const endingOf = (c: AppContext): string => c.req.param('file')?.split('.').at(-1) ?? ''

/** Sends hits in a slot of long answers, not in a place of the queue of pages, which it would hold while its client reads. */
const readHits = pageEndpoint<PortalServices>({
  path: '/:language/datasets.csv',
  operation: 'getHits',
  tag: 'files',
  summary: 'The hits of a search as CSV',
  example: '/en/datasets.csv?q=water',
  auth: anyone,
  page: async (c, { contextOf }) => {
    // Rows are read as the client takes them: longer than a page may take.
    const context = { ...(await contextOf(c)), signal: c.get('signal') }
    const { query } = searchForm(context.query)
    const pieces = () => hitsCsv(context, query, c.get('longAnswers').turn)
    const flow = { log: context.log, pieceMs: defaultLimits.requestMs, headers: csvHeaders }
    return longAnswer(c, async () => sendPieces(c, await pieces(), flow))
  },
})

/** The endpoints of files: suggestions, hits, results of queries, schema.org, citations. */
export const fileEndpoints = [readSuggestions, readResults, readSchema, readCitation, readHits]

const csvHeaders = {
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': 'attachment; filename="datasets.csv"',
}

const includes = ['id', 'title', 'identifier', 'language']
const counted = ['categories', 'publisher']
const [mostTitles, mostLabels, shortest, longest] = [8, 4, 2, 100]

/** At most eight titles, four themes and four publishers; none for fewer than two letters. Rejects with `Failure`. */
async function suggestionsFor(context: PageContext, typed: string) {
  const { language, find, nameOf, plainTitle, pathTo, searchTo } = context
  const lower = (text: string) => text.toLocaleLowerCase(language)
  const q = typed.trim().slice(0, longest)
  if (q.length < shortest) return { titles: [], themes: [], publishers: [] }
  const [hits, { facets }] = await Promise.all([
    find({ filters: 'dataset', q, limit: mostTitles, includes, more: { autocomplete: 'true' } }),
    find({ filters: 'dataset', limit: 0, counted, more: { facetSize: '500' } }),
  ])
  /** Values with a word that begins like what was typed. */
  const labels = (facet: string) =>
    (facets.get(facet) ?? [])
      .map(({ id, title }) => ({ id, label: nameOf(title) ?? id }))
      .filter(({ label }) => ` ${lower(label)}`.includes(` ${lower(q)}`))
      .slice(0, mostLabels)
      .map(({ id, label }) => ({ label, path: searchTo([[facet, id]]) }))
  return {
    titles: hits.records.map((record) => ({
      label: plainTitle(record),
      path: pathTo('datasets', textAt(record, 'id') ?? ''),
    })),
    themes: labels('categories'),
    publishers: labels('publisher'),
  }
}

const perPage = 500

/** Column → its cell. */
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

/** Lines of a file; a spreadsheet takes no cell for a formula. */
const csvLines = (rows: readonly object[]): string =>
  rows.map((row) => `${Papa.unparse([Object.values(row)], { escapeFormulae: true })}\r\n`).join('')

/** At most 10,000 rows, each a hit; the first row names the columns. Rejects as the search does, before the first row. */
async function hitsCsv(context: PageContext, query: FormEntries, turn: LongAnswers['turn']) {
  const { find, language, signal } = context
  const fields = { includes: [...hitFields, 'resource'] }
  const asked = { ...searchParamsOf(query, language), ...fields, limit: perPage }
  const read = async (page: number) => (await find({ ...asked, page }, signal)).records
  // Before the answer begins: a search that is refused is a problem, not a file.
  const first = await read(0)
  async function* pages() {
    yield first
    for (let page = 1, records = first; records.length === perPage; page += 1) {
      if (page * perPage >= lastReachableHit) return
      records = await read(page)
      yield records
    }
  }
  const head = byteOrderMark + csvLines([Object.keys(rowOf(context, {}))])
  const write = (record: Fields) => csvLines([rowOf(context, record)])
  return slicedPieces({ head, steps: pages(), write, tail: '' }, turn)
}

/** What programs and scripts get from the portal: suggestions, hits as CSV, schema.org, citations, answers of SPARQL. */

import { Failure } from '../errors.ts'
import type { App, AppContext } from '../http/app.ts'
import { citationFormats, citationOf } from './citations.ts'
import type { PageContext } from './context.ts'
import { hitsCsv } from './hits-csv.ts'
import type { Answers } from './page-routes.ts'
import { sparqlFile } from './pages/sparql-page.ts'
import { textAt } from './record.ts'
import type { RenderQueue } from './render-queue.ts'
import { datasetSchema } from './schema-org.ts'
import { searchForm } from './search-query.ts'
import { suggestionsFor } from './suggestions.ts'

type Answer = (context: PageContext, c: AppContext) => Promise<Response>

type FileContext = Pick<Answers, 'contextOf'> & { readonly renders: RenderQueue }

/** Binds them: what a service refuses is its own problem document, and nothing of a page. */
export function addFileRoutes(app: App, { contextOf, renders }: FileContext): void {
  const file: Bind = (path, make) =>
    app.get(`/:language${path}`, async (c) => {
      const context = await contextOf(c)
      if (renders.isFull())
        throw new Failure('queue-full', 'too many requests at once: try again in a moment')
      return renders.run(() => make(context, c), c.get('signal'))
    })
  addSearchFiles(file)
  addRecordFiles(file)
}

type Bind = (path: string, make: Answer) => void

/** What was found: suggestions, the hits of a search, the answer to a query. */
function addSearchFiles(file: Bind): void {
  file('/suggest', async (context, c) =>
    c.json(await suggestionsFor(context, c.req.query('q') ?? ''), 200, {
      'Cache-Control': 'public, max-age=60',
    }),
  )
  file('/datasets.csv', async (context, c) => {
    // Rows are read as the client takes them: longer than a page may take.
    const whole = { ...context, signal: c.get('signal') }
    const rows = await hitsCsv(whole, searchForm(context.query).query)
    return c.body(rows, 200, {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="datasets.csv"',
    })
  })
  file('/:file{sparql\\.[a-z]+}', async (context, c) => {
    const ending = (c.req.param('file') ?? '').slice('sparql.'.length)
    const found = await sparqlFile(context, ending, c.req.query('query') ?? '')
    if (!found) throw new Failure('not-found', 'there is no such format')
    return found
  })
}

/** One dataset: as schema.org, and how it is cited. */
function addRecordFiles(file: Bind): void {
  file('/datasets/:file{.+\\.schema\\.jsonld}', async (context, c) => {
    const id = (c.req.param('file') ?? '').replace(/\.schema\.jsonld$/, '')
    const record = await context.readRecord('datasets', id)
    const page = `${context.root}${context.language}/datasets/${encodeURIComponent(id)}`
    const text = JSON.stringify(datasetSchema(context, record, page))
    return c.body(text, 200, { 'Content-Type': 'application/ld+json' })
  })
  file('/datasets/:id/:file{cite\\.[a-z]+}', async (context, c) => {
    const ending = (c.req.param('file') ?? '').slice('cite.'.length)
    const format = citationFormats[ending]
    if (!format) throw new Failure('not-found', 'there is no such form of citation')
    const record = await context.readRecord('datasets', c.req.param('id') ?? '')
    const name = (textAt(record, 'id') ?? 'dataset').replaceAll(/[^\w.-]/g, '-')
    return c.body(format.write(citationOf(context, record)), 200, {
      'Content-Type': format.type,
      'Content-Disposition': `attachment; filename="${name}.${ending}"`,
    })
  })
}

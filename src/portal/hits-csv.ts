/** The hits of a search as CSV (RFC 4180), page by page as they are read. */

import type { PageContext } from './context.ts'
import { sharedLicence, textAt } from './record.ts'
import { lastHit, type SearchForm, serviceQuery } from './search-query.ts'

const perPage = 500
const columns = [
  'id',
  'address',
  'title',
  'description',
  'publisher',
  'catalogue',
  'formats',
  'licence',
  'issued',
  'modified',
]

/** Spreadsheets take what begins like this for a formula. */
const formula = /^[=+\-@\t\r]/

const cell = (text: string): string => {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const line = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`

/** At most 10,000 rows, each a hit; the first row names the columns. Rejects as the search does, before the first row. */
export async function hitsCsv(context: PageContext, form: SearchForm): Promise<ReadableStream> {
  const rows = rowsOf(context, form)
  const first = await rows.next()
  const all = async function* () {
    yield first.value ?? ''
    yield* rows
  }
  return ReadableStream.from(all()).pipeThrough(new TextEncoderStream())
}

async function* rowsOf(context: PageContext, form: SearchForm): AsyncGenerator<string, undefined> {
  const pages = lastHit / perPage
  for (let page = 0; page < pages; page += 1) {
    const query = serviceQuery(form, context.language, {
      limit: String(perPage),
      page: String(page),
      aggregation: 'false',
    })
    const { records } = await context.find(query)
    if (page === 0) yield line(columns)
    yield records
      .map((record) =>
        line([
          textAt(record, 'id') ?? '',
          textAt(record, 'resource') ?? '',
          context.plainTitle(record),
          context.textOf(record['description'], record)?.text ?? '',
          context.nameOf(record['publisher']) ?? '',
          context.nameOf(record['catalog']) ?? '',
          context.formatsOf(record).join(' '),
          context.nameOf(sharedLicence(record)) ?? '',
          textAt(record, 'issued') ?? '',
          textAt(record, 'modified') ?? '',
        ]),
      )
      .join('')
    if (records.length < perPage) return
  }
}
